package messages

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TestManyCitations checks that memory for citations grows with their bytes, not faster.
func TestManyCitations(t *testing.T) {
	const n = 20_000
	events := func(yield func(Event, error) bool) {
		send := func(e Event, raw string) bool {
			e.Raw = jsontext.Value(raw)
			return yield(e, nil)
		}
		m := &Message{}
		_ = send(Event{Type: MessageStart, Message: m}, `{"type":"message_start","message":{"id":"m","content":[],"usage":{}}}`) &&
			send(Event{Type: ContentBlockStart, Block: &ContentBlock{Type: BlockText}}, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[{"n":-1}]}}`)
		for i := range n {
			if !send(Event{Type: ContentBlockDelta, Delta: OtherDelta}, fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"n":%d}}}`, i)) {
				return
			}
		}
		_ = send(Event{Type: ContentBlockStop}, `{"type":"content_block_stop","index":0}`) && send(Event{Type: MessageStop}, `{"type":"message_stop"}`)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Collect(events)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Content []struct {
			Citations []struct {
				N int `json:"n"`
			} `json:"citations"`
		} `json:"content"`
	}
	if err := json.Unmarshal(m.Raw, &got); err != nil || len(got.Content) != 1 || len(got.Content[0].Citations) != n+1 {
		t.Fatalf("%v, %.200s", err, m.Raw)
	}
	for i, c := range got.Content[0].Citations {
		if c.N != i-1 {
			t.Fatalf("citation %d is %d", i, c.N)
		}
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 200 {
		t.Errorf("%d MB were allocated", mb)
	}
}
