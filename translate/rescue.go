package translate

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// Rescue passes on the events of a model that has a tool API of its own, and turns the calls that
// the model has written in its text (`<invoke name="…">`, docs/reference/legacy-format.md) into
// tool_use blocks. It reads them with the parser of [Events]. Text without calls goes on as it came,
// but may be cut into other pieces. req says which tools there are, and the ids of the calls are made
// of its ID. Of target, only HoldValues counts.
func Rescue(req *messages.Request, target Target, events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		r := rescuer{req: req, prompt: Prompt{holdsValues: target.HoldValues}, yield: yield}
		for e, err := range events {
			if err != nil {
				r.leave()
				if !r.unheard {
					yield(e, err)
				}
				return
			}
			if r.read(e); r.unheard {
				return
			}
		}
	}
}

// rescuer reads the text blocks of one message.
type rescuer struct {
	req      *messages.Request
	prompt   Prompt // stands for the prompt of the answer, which was not made by Render
	yield    func(messages.Event, error) bool
	unheard  bool
	parser   *parser        // of the text block that is open, nil if none is
	start    messages.Event // of that block, until it is known to be text
	next     int            // index of the next block for the client
	outcomes []messages.Outcome

	calls callsRead // of either kind
	found bool      // something was in the text
}

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
		default: // a citation, say: it belongs to the text before it
			r.parser.writeBlank()
			r.send(e.WithIndex(r.parser.out.index))
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

// enter begins to read a text block. Its start is kept until there is text: a call
// may be all there is.
func (r *rescuer) enter(e messages.Event) {
	r.start = e
	r.start.Raw = slices.Clone(e.Raw)
	r.parser = newParser(r.req, &r.prompt, r.parsed)
	r.parser.textMayFollow = true
	r.parser.out.index = r.next
	if e.Block.Text != "" {
		r.parser.feed(e.Block.Text)
	}
}

// parsed passes on what the parser makes of a text block.
func (r *rescuer) parsed(e messages.Event) bool {
	if e.Type == messages.ContentBlockStart && e.Block.Type == messages.BlockText && r.start.Raw != nil {
		e = r.blockStart().WithIndex(e.Index)
	}
	r.send(e)
	return !r.unheard
}

// blockStart returns the start of the text block as it came, without the text that the
// parser has been given.
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
	p.finish(messages.StopMaxTokens, "") // why the message ends is not told yet: what is not closed may be cut
	out := &p.out
	if out.index == r.next && out.openKind == "" && len(p.text.blank) > 0 { // white space alone is what the model said
		p.writeBlank()
	}
	out.closeBlock()
	if out.index == r.next { // a block without text stays one
		r.send(r.start.WithIndex(r.next))
		r.send(messages.Event{Type: messages.ContentBlockStop, Index: r.next})
		out.index++
	}
	r.next = out.index
	r.outcomes = append(r.outcomes, p.outcomes...)
	r.calls.whole += p.calls.whole
	r.calls.incomplete = r.calls.incomplete || p.calls.incomplete
	r.found = r.found || len(p.outcomes) > 0
}

// stopMessage returns the end of the message, which calls that were found may change: to the same
// reason as in a message of a model without tools.
func (r *rescuer) stopMessage(e messages.Event) messages.Event {
	if !r.found || e.Message.StopReason == "" {
		return e
	}
	own := *e.Message
	own.Outcomes, r.outcomes = append(own.Outcomes, r.outcomes...), nil
	stop := own.StopReason
	if stop == messages.StopToolUse { // which is what a model without tools calls its end
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

func (r *rescuer) send(e messages.Event) {
	if !r.unheard && !r.yield(e, nil) {
		r.unheard = true
	}
}
