package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/rawjson"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Rescue passes on the events of a model with its own tool API. If the model writes calls in its text
// (`<invoke name="…">`, docs/reference/legacy-format.md §5), Rescue turns them into tool_use blocks. It
// reads them with the parser of [Events]. Text without calls stays the same, but may be cut into other
// pieces.
//
// req tells which tools there are; the ids of calls derive from its ID. Of target, Rescue uses only Accept,
// Thinking, UnaskedThinking, StreamValues and Memo. If Accept names an unknown format, Rescue ignores Accept.
// The configuration rejects such a name earlier.
//
// The events must be in the order of docs/reference/streaming.md §2. If they end with an error, Rescue
// first sends the text that it held because it might have become a call.
func Rescue(req *messages.Request, target prompt.Target, events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	tools := prompt.Outliving(req.Tools)
	req = answered(req, tools)
	return func(yield func(messages.Event, error) bool) {
		accepts, _ := format.AcceptedBy(target.Accept)
		prompt := prompt.Prompt{Asking: prompt.Asking{Reads: format.ReadsOf(format.List[0], target.Accept, accepts, 0), StreamValues: target.StreamValues, UnaskedThinking: target.UnaskedThinking, Tools: tools, Schemas: &prompt.ToolSchemas{Tools: tools, Memo: target.Memo}}}
		r := rescuer{req: req, prompt: prompt, thinking: target.Thinking, yield: yield}
		for e, err := range events {
			if err != nil {
				r.leave()
				if !r.gone {
					yield(e, err)
				}
				return
			}
			if r.read(e); r.gone {
				return
			}
		}
	}
}

// rescuer reads the text blocks of one message.
type rescuer struct {
	req      *messages.Request // the parts of the request that the parser needs: see answered
	prompt   prompt.Prompt     // takes the place of a prompt by Render, because Render made none
	thinking string            // [Target.Thinking]
	yield    func(messages.Event, error) bool
	gone     bool           // yield has returned false, so nothing more is sent
	parser   *parser        // for the open text block; nil if no text block is open
	start    messages.Event // the start of that block; it is sent when the block has text
	next     int            // the client's index of the next block
	outcomes []messages.Outcome

	calls callsRead // the model's own tool_use blocks, and the calls in text
	found bool      // the text has a call
}

// read reads one event of the model.
func (r *rescuer) read(e messages.Event) {
	switch e.Type {
	case messages.ContentBlockStart:
		if e.Block.Type == messages.BlockText {
			r.enter(e)
			return
		}
		if e.Block.Type == messages.BlockToolUse {
			r.calls.whole++
		}
		r.send(e.WithIndex(r.next))
	case messages.ContentBlockDelta:
		switch {
		case r.parser == nil:
			r.send(e.WithIndex(r.next))
		case e.Delta == messages.TextDelta:
			r.parser.feed(string(e.Text))
		default: // for example a citation: it belongs to the text before it
			r.parser.writeBlank()
			r.send(e.WithIndex(r.parser.out.Index))
		}
	case messages.ContentBlockStop:
		if r.parser != nil {
			r.leave()
			return
		}
		r.send(e.WithIndex(r.next))
		r.next++
	case messages.MessageDelta:
		r.send(r.stopMessage(e))
	default:
		r.send(e)
	}
}

// enter begins a text block. It does not send the start of the block yet, because the block may hold only a
// call.
func (r *rescuer) enter(e messages.Event) {
	r.start = e
	r.start.Raw = slices.Clone(e.Raw)
	r.prompt.Thinking = ""
	if r.next == 0 { // the first block: the model's own API has sent no thinking before it
		r.prompt.Thinking = r.thinking
	}
	r.parser = newParser(r.req, &r.prompt, r.parsed)
	r.parser.textMayFollow = true
	r.parser.mayCall = r.req.MayCall() // otherwise, text that looks like a call stays text, as in the model's own API
	r.parser.out.Index = r.next
	if e.Block.Text != "" {
		r.parser.feed(e.Block.Text)
	}
}

// parsed passes on an event that the parser has made from a text block.
func (r *rescuer) parsed(e messages.Event, _ error) bool {
	if e.Type == messages.ContentBlockStart && e.Block.Type == messages.BlockText && r.start.Raw != nil {
		e = r.blockStart().WithIndex(e.Index)
	}
	r.send(e)
	return !r.gone
}

// blockStart returns the start of the text block as the model sent it, but without its text: the parser has
// read that.
func (r *rescuer) blockStart() messages.Event {
	e := r.start
	if e.Block.Text == "" {
		return e
	}
	block := rawjson.WithMembers(rawjson.Lookup(e.Raw, "content_block"), map[string]jsontext.Value{"text": jsontext.Value(`""`)})
	e.Raw = rawjson.WithMembers(e.Raw, map[string]jsontext.Value{"content_block": block})
	return e
}

// leave ends the text block.
func (r *rescuer) leave() {
	p := r.parser
	if p == nil {
		return
	}
	r.parser = nil
	p.finish(messages.StopMaxTokens, "") // the stop reason comes later, so an open call may have been cut off
	out := &p.out
	if out.Index == r.next && out.OpenKind == "" && len(p.text.blank) > 0 { // a block with only white space is passed on
		p.writeBlank()
	}
	out.StopBlock()
	if out.Index == r.next { // so is a block without text
		r.send(r.start.WithIndex(r.next))
		r.send(messages.Event{Type: messages.ContentBlockStop, Index: r.next})
		out.Index++
	}
	r.next = out.Index
	r.outcomes = append(r.outcomes, p.outcomes...)
	r.calls.whole += p.calls.whole
	r.calls.incomplete = r.calls.incomplete || p.calls.incomplete
	r.found = r.found || len(p.outcomes) > 0
}

// stopMessage returns the message_delta for the client. If the text had calls, its stop_reason is the one
// for a model without a tool API: see callsRead.stopReason.
func (r *rescuer) stopMessage(e messages.Event) messages.Event {
	if !r.found || e.Message.StopReason == "" {
		return e
	}
	own := *e.Message
	own.Outcomes, r.outcomes = append(own.Outcomes, r.outcomes...), nil
	stop := own.StopReason
	if stop == messages.StopToolUse { // callsRead.stopReason expects the stop reason of a model without a tool API
		stop = messages.StopEndTurn
	}
	if stop, sequence := r.calls.stopReason(stop, own.StopSequence, false); stop != own.StopReason {
		own.StopReason, own.StopSequence = stop, sequence
		delta := rawjson.WithMembers(rawjson.Lookup(e.Raw, "delta"), map[string]jsontext.Value{
			"stop_reason":   rawjson.AppendNullable(nil, stop),
			"stop_sequence": rawjson.AppendNullable(nil, sequence),
		})
		e.Raw = rawjson.WithMembers(e.Raw, map[string]jsontext.Value{"delta": delta})
	}
	e.Message = &own
	return e
}

// send yields an event, if the consumer still listens.
func (r *rescuer) send(e messages.Event) {
	if !r.gone && !r.yield(e, nil) {
		r.gone = true
	}
}
