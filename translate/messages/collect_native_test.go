package messages

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/rawjson"
)

// native returns the events for these lines of JSON, with the fields that an upstream sets.
func native(t *testing.T, lines ...string) iter.Seq2[Event, error] {
	t.Helper()
	names := map[string]EventType{}
	for e := MessageStart; e <= MessageStop; e++ {
		names[e.String()] = e
	}
	return func(yield func(Event, error) bool) {
		for _, line := range lines {
			var w struct {
				Type         string `json:"type"`
				Index        int    `json:"index"`
				ContentBlock struct {
					Type string `json:"type"`
					Text string `json:"text"`
				} `json:"content_block"`
				Delta struct {
					Type       string `json:"type"`
					Text       string `json:"text"`
					StopReason Stop   `json:"stop_reason"`
				} `json:"delta"`
			}
			if err := json.Unmarshal([]byte(line), &w); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			e := Event{Type: names[w.Type], Index: w.Index, Raw: jsontext.Value(line), Delta: OtherDelta}
			if e.Type == 0 {
				e.Type = OtherEvent
			}
			switch e.Type {
			case MessageStart:
				e.Message = &Message{}
			case MessageDelta:
				e.Message = &Message{StopReason: w.Delta.StopReason}
			case ContentBlockStart:
				e.Block = &ContentBlock{Type: w.ContentBlock.Type, Text: w.ContentBlock.Text}
			}
			if w.Delta.Type == "text_delta" {
				e.Delta, e.Text = TextDelta, []byte(w.Delta.Text)
			}
			e.Raw, e.Text = slices.Clone(e.Raw), slices.Clone(e.Text)
			if !yield(e, nil) {
				return
			}
			clear(e.Raw) // valid only until the next event
			clear(e.Text)
		}
	}
}

const (
	nativeStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1,"mine":{"a":1}},"container":null}}`
	nativeStop  = `{"type":"message_stop"}`
)

func textBlock(index int, pieces ...string) []string {
	lines := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":"","citations":[]}}`, index)}
	for _, piece := range pieces {
		lines = append(lines, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, index, rawjson.AppendString(nil, piece)))
	}
	return append(lines, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func toolBlock(index int, pieces ...string) []string {
	lines := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{},"caller":{"type":"direct"}}}`, index)}
	for _, piece := range pieces {
		lines = append(lines, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`, index, rawjson.AppendString(nil, piece)))
	}
	return append(lines, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func messageDelta(stop string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + stop + `","stop_sequence":null,"container":{"id":"c"}},"usage":{"output_tokens":9,"input_tokens":null}}`
}

func together(parts ...any) (all []string) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			all = append(all, part)
		case []string:
			all = append(all, part...)
		}
	}
	return all
}

// TestCollectNative collects members that only a client of the model knows.
func TestCollectNative(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"tools", strings.Join(together(textBlock(0, "né ", "\"x\"\n"), toolBlock(1, "", `{"a":`, `"\ud83d\ude00"}`)), "\n"),
			`[{"type":"text","text":"né \"x\"\n","citations":[]},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":"\ud83d\ude00"},"caller":{"type":"direct"}}]`},
		{"a tool without input", strings.Join(toolBlock(0, ""), "\n"),
			`[{"type":"tool_use","id":"toolu_1","name":"f","input":{},"caller":{"type":"direct"}}]`},
		{"an input that was cut behind others", strings.Join(toolBlock(0, `{"a":[1.50],"b":"c\u00e9","n":1`), "\n"),
			`[{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":[1.50],"b":"c\u00e9"},"caller":{"type":"direct"}}]`},
		{"an input that was cut", strings.Join(toolBlock(0, `{"a":"b`), "\n"),
			`[{"type":"tool_use","id":"toolu_1","name":"f","input":{},"caller":{"type":"direct"}}]`},
		{"an input that was cut, in the place of one in the start", `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":"c"}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"[1"}}
{"type":"content_block_stop","index":0}`, `[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]`},
		{"an input in the start", `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":"c"}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" "}}
{"type":"content_block_stop","index":0}`, `[{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":"c"}}]`},
		{"citations", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":null}}
{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"n":1}}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}
{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"n":2}}}
{"type":"content_block_stop","index":0}`, `[{"type":"text","text":"x","citations":[{"n":1},{"n":2}]}]`},
		{"thinking, and a block that nobody knows", `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"abc="}}
{"type":"content_block_stop","index":0}
{"type":"surprise","what":1}
{"type":"content_block_start","index":1,"content_block":{"type":"new_result","content":[1]}}
{"type":"content_block_delta","index":1,"delta":{"type":"new_delta","content":[1,2],"note":"a","gone":null}}
{"type":"content_block_stop","index":1}`,
			`[{"type":"thinking","thinking":"hm","signature":"abc="},{"type":"new_result","content":[1,2],"note":"a"}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			events := together(nativeStart, `{"type":"ping"}`, strings.Split(test.content, "\n"), messageDelta("tool_use"), nativeStop)
			m, err := Collect(native(t, events...))
			if err != nil {
				t.Fatal(err)
			}
			stop := StopToolUse
			if strings.Contains(test.name, "cut") { // otherwise half of a call would look complete
				stop = StopMaxTokens
			}
			want := `{"id":"msg_1","type":"message","model":"m","content":` + test.want +
				`,"stop_reason":"` + string(stop) + `","usage":{"input_tokens":3,"output_tokens":9,"mine":{"a":1}},"container":{"id":"c"},"stop_sequence":null}`
			if diff := cmp.Diff(want, string(m.AppendJSON(nil))); diff != "" {
				t.Error(diff)
			}
			if m.StopReason != stop || m.ID != "msg_1" || len(m.Content) == 0 {
				t.Errorf("what we know of it: %+v", m)
			}
			for _, b := range m.Content {
				if b.Type == BlockToolUse && (b.Name != "f" || b.ID != "toolu_1" || !b.Input.IsValid()) || b.Type == BlockText && b.Text == "" {
					t.Errorf("block %+v", b)
				}
			}
		})
	}
}

func TestCollectNativeCut(t *testing.T) {
	events := together(nativeStart, textBlock(0, "x"), messageDelta("end_turn"))
	if m, err := Collect(native(t, events...)); err == nil {
		t.Errorf("a message that was cut: %s", m.AppendJSON(nil))
	}
}
