package answer

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// What of an answer is held back until it is known to be right (correct.go).
//
// Where tool_choice forces a call, and the model was asked for it in words, that is all before the
// call, message_start included: as long as the model may have to be asked again nothing has been sent,
// so that HTTP's status and header can still say what has become of the choice. A call that a prefill
// has begun will come: message_start waits for nothing. If the model may not go on with it, all is held
// back until the answer is whole.

// hold passes on the events of an answer up to the first that has to be held back.
type hold struct {
	*correction
	prefilled bool // a prefill has begun the call that is forced, and the model goes on with it
	yield     func(messages.Event, error) bool

	state   holdState
	begun   []messages.ContentBlock // the blocks that have begun; of text, that there is any
	opening []messages.Event        // message_start and ping, if they are held back
	from    int                     // the index of the first block that is held back
	leftOut []messages.ContentBlock // the blocks that were left out before those that are passed on
	call    []messages.Event        // the call that is forced, until its first argument tells whether it is one; nil for none
	before  []messages.ContentBlock // the blocks before that
	over    bool                    // the client has got the end of the answer, or has left
}

// holdState is what becomes of the next event.
type holdState uint8

const (
	watches holdState = iota // it is passed on, and collected, since the model may have to be shown it
	holds                    // it is collected
	passes                   // it is passed on: nothing of the answer can be wrong any more
)

// forces reports whether the answer has to begin with a call.
func (c *correction) forces() bool { return c.Choice && c.req.MustCall() }

// read passes on the events of the answer, or has them collected.
func (h *hold) read(events iter.Seq2[messages.Event, error], collect func(messages.Event, error) bool) {
	if h.forces() {
		h.state = holds
	}
	for e, err := range events {
		if e.Type == messages.Pause { // events before those that are held back have been passed on
			if h.over = !h.yield(e, nil); h.over {
				return
			}
			continue
		}
		if err == nil && h.state != passes {
			h.decide(e)
		}
		if h.over || (h.state != holds || h.prefilled && isOpening(e)) && err == nil && !h.send(e) {
			return
		}
		switch {
		case h.state != passes:
			if !collect(e, err) {
				return
			}
		case err != nil:
			h.over = true
			h.yield(e, err)
			return
		}
	}
}

// decide changes the state, if e is an event from which on it has to change.
func (h *hold) decide(e messages.Event) {
	starts := e.Type == messages.ContentBlockStart
	switch {
	case h.state == watches && (h.mayBeWrong(e) || e.Type == messages.MessageDelta && h.saysNothing(h.begun, e.Message)):
		h.state, h.from = holds, len(h.begun)
	case h.state == watches && starts && e.Block.Type == messages.BlockText && !h.req.MayCall(): // now it says something
		h.pass()
	case h.forces() && !h.prefilled && isOpening(e):
		h.opening = append(h.opening, e)
	case h.forces() && starts && isCall(*e.Block) && !h.mayBeWrong(e) && !slices.ContainsFunc(h.begun, isCall) && h.req.MeetsChoice(e.Block.Name):
		h.before = h.begun
		if len(h.required(e.Block.Name)) == 0 {
			h.passCall()
			return
		}
		block := *e.Block
		e.Block = &block
		h.call = append(h.call, e)
	case h.call != nil && e.Delta == messages.InputJSONDelta:
		h.readArgument(e)
	}
	n := len(h.begun)
	switch {
	case starts:
		h.begun = append(h.begun, *e.Block)
	case n > 0 && h.begun[n-1].Text == "" && (e.Delta == messages.TextDelta || e.Delta == messages.ThinkingDelta):
		h.begun[n-1].Text = strings.TrimSpace(string(e.Text))
	}
}

// readArgument reads a delta of the call that is forced. A call whose first argument its tool requires is passed on;
// one that begins with another argument is held back to its end.
func (h *hold) readArgument(e messages.Event) {
	e.Text = slices.Clone(e.Text)
	h.call = append(h.call, e)
	var input []byte
	for _, e := range h.call {
		input = append(input, e.Text...)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(input))
	dec.ReadToken() // the brace
	name, err := dec.ReadToken()
	switch {
	case err != nil: // its name has not come
	case slices.Contains(h.required(h.call[0].Block.Name), name.String()):
		h.call = h.call[:len(h.call)-1] // e is passed on by the caller
		h.passCall()
	default:
		h.call = nil
	}
}

// passCall passes on what has come of the call that is forced, without what stands before it.
func (h *hold) passCall() {
	h.pass()
	h.leftOut = h.before
	h.open(&messages.Message{LeftOut: addBlockTypes(nil, h.leftOut)})
	for _, e := range h.call {
		if h.over || !h.send(e) {
			return
		}
	}
}

// pass has all that follows passed on. The request is not kept for it: the model is not asked again.
func (h *hold) pass() {
	h.state = passes
	h.req, h.language = nil, nil
}

// isOpening reports whether e stands before the blocks of an answer.
func isOpening(e messages.Event) bool {
	return e.Type == messages.MessageStart || e.Type == messages.Ping
}

// mayBeWrong reports whether e starts a block that a check may find wrong, or tells that a call could
// not be read.
func (h *hold) mayBeWrong(e messages.Event) bool {
	switch e.Type {
	case messages.ContentBlockStart:
		return e.Block.Type == messages.BlockToolUse && (len(h.Inputs) > 0 || h.Readable || h.tries) ||
			e.Block.Type == messages.BlockText && (h.req.Format != nil || e.Block.Refused && h.Readable)
	case messages.MessageDelta:
		return h.hasUnread(e.Message.Outcomes)
	}
	return false
}

// send passes e on, and reports whether more can follow. Where blocks were left out, those after
// them have their places.
func (h *hold) send(e messages.Event) bool {
	switch e.Type {
	case messages.ContentBlockStart, messages.ContentBlockDelta, messages.ContentBlockStop:
		e.Index -= len(h.leftOut)
	case messages.MessageDelta:
		if len(h.leftOut) > 0 {
			e = withChoice(e, &messages.Message{LeftOut: addBlockTypes(slices.Clone(e.Message.LeftOut), h.leftOut)})
		}
	}
	h.over = !h.yield(e, nil) || e.Type == messages.MessageStop
	return !h.over
}

// open sends the opening that was held back, with what told says of a choice that forces a call.
func (h *hold) open(told *messages.Message) {
	for _, e := range h.opening {
		if e.Message != nil {
			e = withChoice(e, told)
		}
		if h.over = !h.yield(e, nil); h.over {
			return
		}
	}
}

// withChoice returns e with what told says of a choice that forces a call.
func withChoice(e messages.Event, told *messages.Message) messages.Event {
	m := *e.Message
	m.LeftOut, m.Unmet = told.LeftOut, told.Unmet
	e.Message = &m
	return e
}

// sendHeld sends what the blocks that were held back have become.
func (h *hold) sendHeld(m *messages.Message) {
	if h.forces() {
		if h.isMet(m.Content) {
			call := slices.IndexFunc(m.Content, isCall)
			m.LeftOut, m.Content = addBlockTypes(m.LeftOut, m.Content[:call]), m.Content[call:]
		} else if !isRefused(m) {
			m.Unmet = []string{reasonChoice}
		}
		if h.open(m); h.over {
			return
		}
	}
	for e, err := range messages.Replay(m, h.from) {
		if !h.yield(e, err) {
			return
		}
	}
}

// addBlockTypes returns types with those of blocks, each once. Blocks of white space alone do not count.
func addBlockTypes(types []string, blocks []messages.ContentBlock) []string {
	for i := range blocks {
		b := &blocks[i]
		if strings.TrimSpace(b.Text+b.Thinking) != "" && !slices.Contains(types, b.Type) {
			types = append(types, b.Type)
		}
	}
	return types
}
