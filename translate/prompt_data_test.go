package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// The result of WriteCalls is read as the same calls (G5), in each format, with and without a
// forced call, and after another call.
func TestWriteCalls(t *testing.T) {
	const (
		tools = `"tools":[{"name":"find","input_schema":{"type":"object","properties":{"what":{"type":"string"},"most":{"type":"integer"},"in":{"type":"array"},"case":{"type":"boolean"}}}},
			{"name":"now","input_schema":{"type":"object"}}],"tool_choice":`
		asks = `{"role":"user","content":"Find <invoke> and </tool_call>"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"now","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"12"}]}`
	)
	calls := []ToolUse{
		{Name: "find", Input: jsontext.Value(`{"what":"a \"b\" <c> & <invoke>\nd'","most":-3,"in":[1,{"x":null}],"case":true}`)},
		{Name: "now", Input: jsontext.Value(`{}`)},
		{Name: "find", Input: jsontext.Value(`{"what":"</tool_call>"}`)},
	}
	for _, f := range append(format.Variants(), format.List[:]...) {
		for _, choice := range []string{`{"type":"auto"}`, `{"type":"any"}`, `{"type":"tool","name":"find"}`} {
			target := Target{ModelOptions: ModelOptions{Format: f.Name}, Prefill: true}
			if len(f.Variant) > 0 {
				target.Family = f.Models[0]
			}
			req, err := messages.Decode([]byte(`{"model":"m","max_tokens":99,`+tools+choice+`,"messages":[`+asks+`]}`), messages.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := Render(req, target)
			if err != nil {
				t.Fatal(err)
			}
			if p.Request() != req {
				t.Fatal("the request is another one")
			}
			m := parseIn(t, p, req, completion{text: p.WriteCalls(calls), stop: messages.StopEndTurn}, 0)
			want, got := calls, []ToolUse(nil)
			if strings.Contains(choice, "find") {
				want = calls[:1] // the answer ends after one call of one tool
			}
			for _, b := range m.Content {
				got = append(got, ToolUse{Name: b.Name, Input: b.Input})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s %s: %s", f.Name, f.Variant, choice, diff)
			}
		}
	}
}

// writtenCall returns a call as a model writes it after n earlier calls, without the text around
// calls.
func writtenCall(f *format.Format, e *markup.Escaper, name string, n int, input jsontext.Value, s *schema.Schema) string {
	b := markup.Buffer{Escape: e}
	f.WriteCall(&b, name, n, input, s)
	return b.Take().Text
}
