package messages

import (
	"errors"
	"iter"
	"slices"
)

// This file collects the events of an answer into one message.

// Collect returns the message that the events of an answer add up to. If events ends with an error,
// or ends before message_stop, Collect returns an error and no message: it never returns half an
// answer.
//
// If the events have Event.Raw, because the model has a tool API of its own, Message.Raw has all
// members of all events.
func Collect(events iter.Seq2[Event, error]) (*Message, error) {
	var m *Message
	var native *nativeMessage
	var gathered []byte // from the deltas of the open block
	stopped := false
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if e.Type == MessageStart && e.Raw != nil {
			native = &nativeMessage{}
		}
		if native != nil {
			native.add(e)
			stopped = stopped || e.Type == MessageStop
			continue
		}
		switch e.Type {
		case MessageStart:
			m = &Message{ID: e.Message.ID, Model: e.Message.Model, Usage: e.Message.Usage}
		case ContentBlockStart:
			b := *e.Block
			b.Input = nil
			m.Content = append(m.Content, b)
		case ContentBlockDelta:
			if e.Delta == SignatureDelta {
				m.Content[e.Index].Signature += string(e.Text)
			} else {
				gathered = gather(gathered, e.Text)
			}
		case ContentBlockStop:
			m.Content[e.Index].finish(gathered, e.Cut)
			gathered = gathered[:0]
		case MessageDelta:
			m.StopReason, m.StopSequence = e.Message.StopReason, e.Message.StopSequence
			m.Usage, m.UsageEstimated, m.Outcomes = e.Message.Usage, e.Message.UsageEstimated, e.Message.Outcomes
			m.Continued, m.LeftOut, m.Unmet = e.Message.Continued, e.Message.LeftOut, e.Message.Unmet
		case MessageStop:
			stopped = true
		}
	}
	if !stopped {
		return nil, errors.New("the events ended before message_stop")
	}
	if native != nil {
		return native.message(), nil
	}
	return m, nil
}

// gather appends a piece to text. It doubles the capacity when it is full. The append builtin grows
// more slowly, and would copy a long text a dozen times.
func gather(text, piece []byte) []byte {
	if len(text)+len(piece) > cap(text) {
		text = slices.Grow(text, max(len(text), len(piece), 256))
	}
	return append(text, piece...)
}

// finish sets the block's content to the gathered pieces. cut is Event.Cut. If the call was cut,
// Input has only the parameters that are complete, because clients run what Input holds.
func (b *ContentBlock) finish(gathered []byte, cut int) {
	switch b.Type {
	case BlockToolUse:
		if cut > 0 {
			b.Cut = slices.Clone(gathered)
			b.Input = append(slices.Clone(gathered[:cut]), '}')
		} else if len(gathered) > 0 {
			b.Input = slices.Clone(gathered)
		}
	case BlockText:
		b.Text = string(gathered)
	case BlockThinking:
		b.Thinking = string(gathered)
	}
}
