package answer

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// This file holds back the part of an answer that may still turn out wrong (correct.go).
//
// If tool_choice forces a call, and the prompt only asked for the call in words, Dragoman holds back everything
// before the call, including message_start. As long as it may have to ask the model again, it sends nothing. So it
// can still set the HTTP status and headers. If a prefill has begun the call, the call will come, and Dragoman
// sends message_start at once. If the model may fail to continue that prefill, Dragoman holds everything back until
// the answer is whole.

// hold passes on the events of an answer up to the first event that it has to hold back.
type hold struct {
	*correction
	prefilled bool // a prefill has begun the forced call, and the model continues it
	yield     func(messages.Event, error) bool

	state   holdState
	begun   []messages.ContentBlock // the blocks that have begun; of a text, only whether it has any
	opening []messages.Event        // message_start and ping, if held back
	from    int                     // index of the first block that is held back
	leftOut []messages.ContentBlock // the blocks omitted before the blocks that are passed on
	call    []messages.Event        // events of the forced call until its first argument arrives; else nil
	before  []messages.ContentBlock // the blocks before the forced call
	over    bool                    // the client has the end of the answer, or has gone away
}

// holdState says what happens to the next event.
type holdState uint8

const (
	watches holdState = iota // pass it on, and collect it in case the model has to see it again
	holds                    // collect it
	passes                   // pass it on: nothing later in the answer can be wrong
)

// forces reports whether the answer must begin with a call.
func (c *correction) forces() bool { return c.Choice && c.req.MustCall() }

// read passes on the events of the answer, or hands them to collect.
func (h *hold) read(events iter.Seq2[messages.Event, error], collect func(messages.Event, error) bool) {
	if h.forces() {
		h.state = holds
	}
	for e, err := range events {
		if e.Type == messages.Pause { // all events before the held ones have been passed on
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

// decide changes the state if e requires it.
func (h *hold) decide(e messages.Event) {
	starts := e.Type == messages.ContentBlockStart
	switch {
	case h.state == watches && (h.mayBeWrong(e) || e.Type == messages.MessageDelta && h.saysNothing(h.begun, e.Message)):
		h.state, h.from = holds, len(h.begun)
	case h.state == watches && starts && e.Block.Type == messages.BlockText && !h.req.MayCall(): // the answer has text
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

// readArgument reads a delta of the forced call. If the tool requires the first argument of the call, the call is
// passed on. If the call begins with another argument, it is held back to its end.
func (h *hold) readArgument(e messages.Event) {
	e.Text = slices.Clone(e.Text)
	h.call = append(h.call, e)
	var input []byte
	for _, e := range h.call {
		input = append(input, e.Text...)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(input))
	dec.ReadToken() // the opening brace
	name, err := dec.ReadToken()
	switch {
	case err != nil: // the name of the argument is not complete yet
	case slices.Contains(h.required(h.call[0].Block.Name), name.String()):
		h.call = h.call[:len(h.call)-1] // the caller passes e on
		h.passCall()
	default:
		h.call = nil
	}
}

// passCall passes on the events of the forced call so far, and omits the blocks before it.
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

// pass passes on everything that follows. It releases the request, because the model is not asked again.
func (h *hold) pass() {
	h.state = passes
	h.req, h.language = nil, nil
}

// isOpening reports whether e comes before the blocks of an answer.
func isOpening(e messages.Event) bool {
	return e.Type == messages.MessageStart || e.Type == messages.Ping
}

// mayBeWrong reports whether e starts a block that a check may reject, or reports a call that could not be read.
func (h *hold) mayBeWrong(e messages.Event) bool {
	switch e.Type {
	case messages.ContentBlockStart:
		return e.Block.Type == messages.BlockToolUse && (len(h.Inputs) > 0 || h.Readable || h.tries) ||
			e.Block.Type == messages.BlockText && (h.req.OutputSchema != nil || e.Block.Refused && h.Readable)
	case messages.MessageDelta:
		return h.hasUnread(e.Message.Outcomes)
	}
	return false
}

// send passes e on, and reports whether more can follow. If blocks were omitted, it renumbers the later blocks.
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

// open sends the opening that was held back. It adds LeftOut and Unmet from told.
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

// withChoice returns e with LeftOut and Unmet from told.
func withChoice(e messages.Event, told *messages.Message) messages.Event {
	m := *e.Message
	m.LeftOut, m.Unmet = told.LeftOut, told.Unmet
	e.Message = &m
	return e
}

// sendHeld sends the blocks that were held back, in their final form.
func (h *hold) sendHeld(m *messages.Message) {
	if h.forces() {
		if h.isMet(m.Content) {
			call := slices.IndexFunc(m.Content, isCall)
			m.LeftOut, m.Content = addBlockTypes(m.LeftOut, m.Content[:call]), m.Content[call:]
		} else if !isRefused(m) {
			m.Unmet = []string{messages.UnmetChoice}
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

// addBlockTypes adds the types of blocks to types, each once. It ignores blocks of only white space.
func addBlockTypes(types []string, blocks []messages.ContentBlock) []string {
	for i := range blocks {
		b := &blocks[i]
		if strings.TrimSpace(b.Text+b.Thinking) != "" && !slices.Contains(types, b.Type) {
			types = append(types, b.Type)
		}
	}
	return types
}
