package messages

import (
	"bytes"
	"fmt"
	"iter"
	"testing"
)

// answerOf yields an answer with a text and a call, of size bytes each, in deltas of 16 bytes.
func answerOf(size int) iter.Seq2[Event, error] {
	text, args := bytes.Repeat([]byte("sixteen letters "), size/16), append(append([]byte(`{"t":"`), bytes.Repeat([]byte("sixteen letters "), size/16)...), `"}`...)
	message, block, call := &Message{ID: "msg_1", Model: "m"}, &ContentBlock{Type: BlockText}, &ContentBlock{Type: BlockToolUse, ID: "toolu_1", Name: "f"}
	return func(yield func(Event, error) bool) {
		yield(Event{Type: MessageStart, Message: message}, nil)
		yield(Event{Type: ContentBlockStart, Block: block}, nil)
		for i := 0; i < len(text); i += 16 {
			yield(Event{Type: ContentBlockDelta, Delta: TextDelta, Text: text[i : i+16]}, nil)
		}
		yield(Event{Type: ContentBlockStop}, nil)
		yield(Event{Type: ContentBlockStart, Index: 1, Block: call}, nil)
		for i := 0; i < len(args); i += 16 {
			yield(Event{Type: ContentBlockDelta, Delta: InputJSONDelta, Index: 1, Text: args[i:min(i+16, len(args))]}, nil)
		}
		yield(Event{Type: ContentBlockStop, Index: 1}, nil)
		yield(Event{Type: MessageDelta, Message: message}, nil)
		yield(Event{Type: MessageStop}, nil)
	}
}

func BenchmarkCollect(b *testing.B) {
	for _, size := range []int{64, 1 << 10, 100 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			events := answerOf(size)
			b.SetBytes(2 * int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Collect(events); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
