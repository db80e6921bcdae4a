package messages

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// This file turns a whole message into events.

// Replay returns the events of a whole message except message_start, for an answer that has already
// begun. index is the index of the first block.
func Replay(m *Message, index int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for i := range m.Content {
			b := &m.Content[i]
			start := ContentBlock{Type: b.Type, ID: b.ID, Name: b.Name}
			events := []Event{{Type: ContentBlockStart, Index: index, Block: &start}}
			for delta, text := range b.deltas() {
				events = append(events, Event{Type: ContentBlockDelta, Delta: delta, Index: index, Text: []byte(text)})
			}
			for _, e := range append(events, Event{Type: ContentBlockStop, Index: index, Cut: len(b.openInput())}) {
				if !yield(e, nil) {
					return
				}
			}
			index++
		}
		_ = yield(Event{Type: MessageDelta, Message: m}, nil) && yield(Event{Type: MessageStop}, nil)
	}
}

// deltas returns the deltas of a complete block.
func (b *ContentBlock) deltas() iter.Seq2[DeltaType, string] {
	return func(yield func(DeltaType, string) bool) {
		switch b.Type {
		case BlockToolUse:
			input := b.Input
			if b.Cut != nil {
				input = b.openInput()
			}
			yield(InputJSONDelta, string(input))
		case BlockThinking:
			_ = yield(ThinkingDelta, b.Thinking) && yield(SignatureDelta, b.Signature)
		default:
			yield(TextDelta, b.Text)
		}
	}
}

// openInput returns the complete parameters of a call that was cut, as a JSON object without the
// closing brace. It returns nil for any other block.
func (b *ContentBlock) openInput() jsontext.Value {
	if b.Cut == nil {
		return nil
	}
	return b.Input[:len(b.Input)-1]
}
