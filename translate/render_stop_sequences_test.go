package translate

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// TestRenderStopsAtCalls has schemas with the word of the stop sequence. The upstream would stop
// inside a call only if the word is the name of a parameter.
func TestRenderStopsAtCalls(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"function_calls":{"type":"integer"}}}`:                                                           false,
		`{"type":"object","allOf":[{"properties":{"function_calls":{"type":"integer"}}}]}`:                                               false,
		`{"type":"object","$ref":"#/$defs/A","$defs":{"A":{"properties":{"function_calls":{"type":"string"}}}}}`:                         false,
		`{"type":"object","description":"function_calls"}`:                                                                               true,
		`{"type":"object","properties":{"kind":{"enum":["text","function_calls"],"default":"function_calls"}}}`:                          true,
		`{"type":"object","properties":{"log":{"type":"object","properties":{"function_calls":{"type":"integer"}}}}}`:                    true,
		`{"type":"object","properties":{"log":{"type":"string"}},"$defs":{"function_calls":{"type":"string"}},"title":"function_calls"}`: true,
	} {
		for _, format := range Formats() {
			req := &messages.Request{
				Messages:      []messages.MessageParam{user("hi")},
				StopSequences: []string{"END"},
				Tools:         []messages.Tool{{Name: "f"}, {Name: "g", InputSchema: jsontext.Value(schema)}},
			}
			prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: format}})
			got := len(prompt.StopSequences) == 2
			if want := want || format != FormatLegacy; got != want || !slices.Equal(prompt.ClientStops(), req.StopSequences) {
				t.Errorf("%s, %s: %q, of the client %q", schema, format, prompt.StopSequences, prompt.ClientStops())
			}
		}
	}
}

// TestRenderStopsInThinking checks that a call in thinking does not end the answer, if the template
// may open thinking.
func TestRenderStopsInThinking(t *testing.T) {
	req := &messages.Request{Messages: []messages.MessageParam{user("hi")}, Tools: []messages.Tool{{Name: "f"}}}
	for _, f := range format.List {
		for thinking, may := range map[string]bool{"": true, ThinkingMarked: true, ThinkingMaybe: false, ThinkingOpen: false} {
			prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: f.Name, Thinking: thinking}})
			if got := len(prompt.StopSequences) > 0; got != (may || f.ImpliedEnd == "") {
				t.Errorf("%s, thinking %q: %q", f.Name, thinking, prompt.StopSequences)
			}
		}
	}
}

// TestEndOfCallsWithoutStop has a model that is not stopped after its calls, and continues with
// invented results. Dragoman disconnects where the calls end, and reads nothing after them.
func TestEndOfCallsWithoutStop(t *testing.T) {
	req := fuzzRequest()
	req.Messages = []messages.MessageParam{user("hi")}
	req.Tools = []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"function_calls":{"type":"string"},"s":{"type":"string"}}}`)}}
	prompt := mustRender(t, req, Target{})
	if slices.Contains(prompt.StopSequences, CallsEnd) {
		t.Fatalf("it is stopped at %q", prompt.StopSequences)
	}
	given := 0
	pieces := []any{
		CallsStart + "\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<function_calls>2", CallsEnd + "\n<s>a</s>\n</parameters>\n</invoke>\n" + CallsEnd,
		"\n<function_results>\n<result>", "made up</result>\n</function_results>\nSo it is.", Chunk{Stop: messages.StopEndTurn},
	}
	m, err := messages.Collect(checked(t, Events(req, prompt, whatever(func(yield func(Chunk, error) bool) {
		for _, piece := range pieces {
			chunk, ok := piece.(Chunk)
			if !ok {
				chunk = Chunk{Text: piece.(string)}
			}
			if given++; !yield(chunk, nil) {
				return
			}
		}
	}))))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`f {"function_calls":"2","s":"a"}`+"\ntool_use\n# repaired f ran_on", show(m)); diff != "" {
		t.Error(diff)
	}
	if given != 3 {
		t.Errorf("the model was left after %d pieces", given)
	}
}
