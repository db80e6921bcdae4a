package translate

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// native returns the events for these lines of JSON, with the fields that an upstream sets.
func native(t *testing.T, lines ...string) iter.Seq2[messages.Event, error] {
	t.Helper()
	names := map[string]messages.EventType{}
	for e := messages.MessageStart; e <= messages.MessageStop; e++ {
		names[e.String()] = e
	}
	return func(yield func(messages.Event, error) bool) {
		for _, line := range lines {
			var w struct {
				Type         string `json:"type"`
				Index        int    `json:"index"`
				ContentBlock struct {
					Type string `json:"type"`
					Text string `json:"text"`
				} `json:"content_block"`
				Delta struct {
					Type       string        `json:"type"`
					Text       string        `json:"text"`
					StopReason messages.Stop `json:"stop_reason"`
				} `json:"delta"`
			}
			if err := json.Unmarshal([]byte(line), &w); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			e := messages.Event{Type: names[w.Type], Index: w.Index, Raw: jsontext.Value(line), Delta: messages.OtherDelta}
			if e.Type == 0 {
				e.Type = messages.OtherEvent
			}
			switch e.Type {
			case messages.MessageStart:
				e.Message = &messages.Message{}
			case messages.MessageDelta:
				e.Message = &messages.Message{StopReason: w.Delta.StopReason}
			case messages.ContentBlockStart:
				e.Block = &messages.ContentBlock{Type: w.ContentBlock.Type, Text: w.ContentBlock.Text}
			}
			if w.Delta.Type == "text_delta" {
				e.Delta, e.Text = messages.TextDelta, []byte(w.Delta.Text)
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
			m, err := messages.Collect(native(t, events...))
			if err != nil {
				t.Fatal(err)
			}
			stop := messages.StopToolUse
			if strings.Contains(test.name, "cut") { // otherwise half of a call would look complete
				stop = messages.StopMaxTokens
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
				if b.Type == messages.BlockToolUse && (b.Name != "f" || b.ID != "toolu_1" || !b.Input.IsValid()) || b.Type == messages.BlockText && b.Text == "" {
					t.Errorf("block %+v", b)
				}
			}
		})
	}
}

func TestCollectNativeCut(t *testing.T) {
	events := together(nativeStart, textBlock(0, "x"), messageDelta("end_turn"))
	if m, err := messages.Collect(native(t, events...)); err == nil {
		t.Errorf("a message that was cut: %s", m.AppendJSON(nil))
	}
}

// TestRescue finds calls that a model has written in its text.
func TestRescue(t *testing.T) {
	call := "<invoke name=\"f\">\n<parameter name=\"a\">1</parameter>\n</invoke>"
	found := `{"type":"tool_use","id":"ID","name":"f","input":{"a":1},"caller":{"type":"direct"}}`
	own := `{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":2},"caller":{"type":"direct"}}`
	text := func(s string) string {
		return `{"type":"text","text":` + string(rawjson.AppendString(nil, s)) + `,"citations":[]}`
	}
	tests := []struct {
		name      string
		content   []string
		stop      string
		want      string
		wantStop  string
		unchanged bool
	}{
		{"no call", together(textBlock(0, "a < b", " and <i"), toolBlock(1, `{"a":2}`)), "tool_use", text("a < b and <i") + "," + own, "tool_use", true},
		{"a call behind text", together(textBlock(0, "Look.\n\n", call)), "end_turn", text("Look.") + "," + found, "tool_use", false},
		{"nothing but a call", together(textBlock(0, call[:9], call[9:])), "end_turn", found, "tool_use", false},
		{"a call of each kind", together(textBlock(0, call), toolBlock(1, `{"a":2}`)), "tool_use", found + "," + own, "tool_use", false},
		{"calls in two blocks", together(textBlock(0, call), textBlock(1, "And\n"+call)), "end_turn", found + "," + text("And") + "," + found, "tool_use", false},
		{"a call that was cut", together(textBlock(0, call[:40])), "max_tokens", `{"type":"tool_use","id":"ID","name":"f","input":{},"caller":{"type":"direct"}}`, "max_tokens", false},
		{"an empty block", together(textBlock(0), toolBlock(1, `{"a":2}`)), "tool_use", text("") + "," + own, "tool_use", true},
		{"text behind a call", together(textBlock(0, call, "\n\nThen more.")), "end_turn", found + "," + text("Then more."), "tool_use", false},
		{"text between calls", together(textBlock(0, call, "\n\nAnd one", " more:\n", call, "\n\nThat is all.")), "end_turn", found + "," + text("And one more:") + "," + found + "," + text("That is all."), "tool_use", false},
		{"text between a call and what is none", together(textBlock(0, call, "\n\nAnd one more: \n<invoke>\n<b>So")), "end_turn", found + "," + text("And one more: \n<invoke>\n<b>So"), "tool_use", false},
		{"a call behind results that are invented", together(textBlock(0, call, "\n<tool_response>\n2\n</tool_response>\n"+call)), "end_turn",
			found + "," + text("<tool_response>\n2\n</tool_response>\n"+call), "tool_use", false},
		{"what is no call behind a call", together(textBlock(0, call, "\n<invoke>\n<b>So", "</b>")), "end_turn", found + "," + text("<invoke>\n<b>So</b>"), "tool_use", false},
		{"a call, and one that was cut", together(textBlock(0, call, "\n<invoke name=\"")), "end_turn", found + "," + text("<invoke name=\""), "max_tokens", false},
		{"white space alone", together(textBlock(0, "\n \n")), "end_turn", text("\n \n"), "end_turn", true},
		{"white space at the end", together(textBlock(0, "a \n"), toolBlock(1, `{"a":2}`)), "tool_use", text("a \n") + "," + own, "tool_use", true},
		{"a cut call before a call", together(textBlock(0, call[:40]), toolBlock(1, `{"a":2}`)), "tool_use",
			`{"type":"tool_use","id":"ID","name":"f","input":{},"caller":{"type":"direct"}},` + own, "max_tokens", false},
		{"a call, and a stop sequence of the client's", together(textBlock(0, call)), "stop_sequence", found, "tool_use", false},
		{"a cut call, and a stop sequence of the client's", together(textBlock(0, call[:40])), "stop_sequence",
			`{"type":"tool_use","id":"ID","name":"f","input":{},"caller":{"type":"direct"}}`, "stop_sequence", false},
		{"a cut call before a call, and a stop sequence of the client's", together(textBlock(0, call[:40]), toolBlock(1, `{"a":2}`)), "stop_sequence",
			`{"type":"tool_use","id":"ID","name":"f","input":{},"caller":{"type":"direct"}},` + own, "stop_sequence", false},
		{"a call, and results that are invented", together(textBlock(0, call), textBlock(1, "So.\n<function_results>\n<result>")), "end_turn",
			found + "," + text("So.\n<function_results>\n<result>"), "tool_use", false},
		{"a citation before its text", together(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":null}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"n":1}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`, `{"type":"content_block_stop","index":0}`), "end_turn",
			`{"type":"text","text":"x","citations":[{"n":1}]}`, "end_turn", true},
		{"a call in a code span", together(textBlock(0, "Write `"+strings.ReplaceAll(call, "\n", "")+"`.")), "end_turn", text("Write `" + strings.ReplaceAll(call, "\n", "") + "`."), "end_turn", true},
	}
	req := &messages.Request{ID: "msg_2", Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{"type":"integer"}}}`)}}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			events := together(nativeStart, test.content, messageDelta(test.stop), nativeStop)
			m, err := messages.Collect(checkIndexes(t, Rescue(req, Target{}, native(t, events...))))
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Content    []jsontext.Value `json:"content"`
				StopReason string           `json:"stop_reason"`
			}
			if err := json.Unmarshal(m.AppendJSON(nil), &got); err != nil {
				t.Fatal(err)
			}
			content := ""
			for i, block := range got.Content {
				if i > 0 {
					content += ","
				}
				content += ourID.ReplaceAllString(string(block), "ID")
			}
			if content != test.want || got.StopReason != test.wantStop {
				t.Errorf("got  %s, %s\nwant %s, %s", content, got.StopReason, test.want, test.wantStop)
			}
			if calls := len(m.Outcomes) > 0; calls == test.unchanged {
				t.Errorf("outcomes %+v", m.Outcomes)
			}
		})
	}
}

// checkIndexes passes events on, and fails the test if the indexes of their blocks are not
// consecutive, in the fields of the events or in their JSON.
func checkIndexes(t *testing.T, events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		open, next := false, 0
		for e, err := range events {
			var seen struct {
				Index int `json:"index"`
			}
			if json.Unmarshal(e.AppendJSON(nil), &seen) != nil || seen.Index != e.Index {
				t.Errorf("%s has the index %d", e.AppendJSON(nil), e.Index)
			}
			switch e.Type {
			case messages.ContentBlockStart:
				if open || e.Index != next {
					t.Errorf("block %d begins, want %d (open: %t)", e.Index, next, open)
				}
				open = true
			case messages.ContentBlockDelta, messages.ContentBlockStop:
				if !open || e.Index != next {
					t.Errorf("%s of block %d in block %d (open: %t)", e.Type, e.Index, next, open)
				}
				if e.Type == messages.ContentBlockStop {
					open = false
					next++
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// TestRescueWithoutCalls checks that a text stays unchanged if tool_choice allows no call, because
// the model's own API got the same tool_choice.
func TestRescueWithoutCalls(t *testing.T) {
	req := &messages.Request{
		Tools:      []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object"}`)}},
		ToolChoice: messages.ToolChoice{Type: messages.ChoiceNone},
	}
	const text = `See <invoke name="f"></invoke>.`
	m, err := messages.Collect(Rescue(req, Target{}, native(t, together(nativeStart, textBlock(0, text), messageDelta("end_turn"), nativeStop)...)))
	if err != nil || !strings.Contains(string(m.Raw), string(rawjson.AppendString(nil, text))) || len(m.Outcomes) > 0 {
		t.Errorf("%s, %v, %v", m.Raw, m.Outcomes, err)
	}
}

// TestRescueError checks that held text comes before an error.
func TestRescueError(t *testing.T) {
	req := &messages.Request{Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object"}`)}}}
	failure := errors.New("the upstream broke off")
	for _, text := range []string{"See <function_calls", "<invoke name=", "a \n", "<", " \n"} {
		whole := textBlock(0, text)
		var got string
		var last error
		for e, err := range Rescue(req, Target{}, func(yield func(messages.Event, error) bool) {
			for e := range native(t, together(nativeStart, whole[:len(whole)-1])...) {
				if !yield(e, nil) {
					return
				}
			}
			yield(messages.Event{}, failure)
		}) {
			if last = err; err == nil && e.Delta == messages.TextDelta {
				got += string(e.Text)
			}
		}
		if got != text || last != failure {
			t.Errorf("of %q: %q, %v", text, got, last)
		}
	}
}

// TestRescueLeavesOpen checks that the JSON of an unfinished call stays open, because the upstream
// says only after the blocks whether the message was cut.
func TestRescueLeavesOpen(t *testing.T) {
	req := &messages.Request{Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"a":{"type":"integer"}}}`)}}}
	text := "<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<a>1</a>\n</parameters>\n"
	sent := ""
	for e, err := range Rescue(req, Target{}, native(t, together(nativeStart, textBlock(0, text), messageDelta("max_tokens"), nativeStop)...)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Delta == messages.InputJSONDelta {
			sent += string(e.Text)
		}
	}
	if sent != `{"a":1` {
		t.Errorf("sent %s", sent)
	}
}

// ourID matches the id of a call that the model wrote as text.
var ourID = regexp.MustCompile(`toolu_[0-9A-Za-z]{24}`)
