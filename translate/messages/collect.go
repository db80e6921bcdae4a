package messages

import (
	"errors"
	"iter"
	"slices"
)

// This file makes one message of the events of an answer.

// Collect makes one message of the events of a whole answer. It returns the error of events, or an
// error if they end before message_stop, and then no message: half an answer is never returned.
//
// If the events come from a model with a tool API of its own (Event.Raw), the message holds all
// members that they have, in Message.Raw.
func Collect(events iter.Seq2[Event, error]) (*Message, error) {
	var m *Message
	var native *nativeMessage
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
			m.Content[e.Index].appendDelta(e.Delta, e.Text)
		case ContentBlockStop:
			m.Content[e.Index].finish(e.Cut)
		case MessageDelta:
			m.StopReason, m.StopSequence = e.Message.StopReason, e.Message.StopSequence
			m.Usage, m.Outcomes = e.Message.Usage, e.Message.Outcomes
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

// appendDelta appends the piece of a delta. Pieces are gathered in Input, which grows in place, and
// become text when the block ends.
func (b *ContentBlock) appendDelta(delta DeltaType, piece []byte) {
	if delta == SignatureDelta {
		b.Signature += string(piece)
		return
	}
	b.Input = append(b.Input, piece...)
}

// finish turns the gathered pieces into the block's content. cut is Event.Cut: of a call that was
// cut, Input keeps the parameters that came whole, because programs run what they are given.
func (b *ContentBlock) finish(cut int) {
	switch b.Type {
	case BlockToolUse:
		if cut > 0 {
			b.Cut = slices.Clone(b.Input)
			b.Input = append(b.Input[:cut], '}')
		}
	case BlockText:
		b.Text, b.Input = string(b.Input), nil
	case BlockThinking:
		b.Thinking, b.Input = string(b.Input), nil
	}
}
