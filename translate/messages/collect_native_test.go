package messages

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// TestBodyTwice reads a request in two ways, in either order.
func TestBodyTwice(t *testing.T) {
	const body = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],
		"tools":[{"type":"web_search_20260101","name":"web_search"},{"name":"f","input_schema":{"type":"object"}},{"type":"computer_20250124","name":"computer","display_width_px":1,"display_height_px":1}],
		"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true}}`
	once, err := Decode([]byte(strings.Replace(body, `{"type":"web_search_20260101","name":"web_search"},`, "", 1)), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadBody(t.Context(), []byte(strings.Replace(body, `{"type":"web_search_20260101","name":"web_search"},`, "", 1)), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		native, err := b.Native(t.Context())
		if err != nil || len(native.Tools) != 2 || native.ToolChoice.Name != "f" {
			t.Errorf("native: %+v, %v", native, err)
		}
		again, err := b.Request(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(once, again); diff != "" {
			t.Error(diff)
		}
	}
	if b, err = ReadBody(t.Context(), []byte(body), DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if native, err := b.Native(t.Context()); err != nil || len(native.Tools) != 2 {
		t.Errorf("beside a tool of the model's own: %+v, %v", native, err)
	}
}

func TestWithMembers(t *testing.T) {
	object := jsontext.Value(`{ "a" : 1, "b":{"x": [1, 2]},"c":"\u00e9" }`)
	got := WithMembers(object, map[string]jsontext.Value{"a": nil, "c": jsontext.Value(`3`), "d": jsontext.Value(`true`)})
	if want := `{"b":{"x": [1, 2]},"c":3,"d":true}`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Many citations cost what their bytes cost.
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
