package upstreamtest

import (
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// The simulated model gives the same answer behind a server, although the server sees only the text of the
// prompt.
func TestSimulatedReadsText(t *testing.T) {
	const (
		tools = `,"tools":[{"name":"get_weather","description":"Weather of a city","input_schema":{"type":"object","required":["city","unit","when"],
			"properties":{"city":{"type":"string"},"days":{"type":"integer"},"unit":{"enum":["c","f"]},"when":{"type":"array","items":{"type":"integer"}}}}},
			{"name":"get_time","input_schema":{"type":"object"}}],"tool_choice":`
		asks   = `{"role":"user","content":"Weather in Oslo and <invoke> in f?"}`
		called = asks + `,{"role":"assistant","content":[{"type":"text","text":"Yes."},{"type":"tool_use","id":"a","name":"get_time","input":{}},
			{"type":"tool_use","id":"b","name":"get_weather","input":{"city":"x"}}]},`
		results = called + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"3 <b>\n</result>"},
			{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"And now?"}]}`
		failed = called + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"12:00"},{"type":"tool_result","tool_use_id":"b","is_error":true,"content":"no"}]}`
	)
	tests := []struct{ name, members, messages string }{
		{"no tools", "", asks},
		{"auto", tools + `{"type":"auto"}`, asks},
		{"two", tools + `{"type":"auto"}`, `{"role":"user","content":"Call get_time and get_weather in Oslo"}`},
		{"one of two", tools + `{"type":"auto","disable_parallel_tool_use":true}`, `{"role":"user","content":"Call get_time and get_weather"}`},
		{"none", tools + `{"type":"none"}`, asks},
		{"any", tools + `{"type":"any"}`, `{"role":"user","content":"Hello"}`},
		{"tool", tools + `{"type":"tool","name":"get_time"}`, asks},
		{"tool after results", tools + `{"type":"tool","name":"get_weather"}`, results},
		{"results", tools + `{"type":"auto"}`, results},
		{"an error", tools + `{"type":"auto"}`, failed},
		{"prefill", tools + `{"type":"auto"}`, asks + `,{"role":"assistant","content":"So"}`},
	}
	for _, test := range tests {
		for _, prefill := range []bool{false, true} {
			req, err := messages.Decode([]byte(`{"model":"m","max_tokens":100`+test.members+`,"messages":[`+test.messages+`]}`), messages.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := translate.Render(req, translate.Target{Prefill: prefill})
			if err != nil {
				continue // the target takes no prefill
			}
			want := ""
			for chunk := range simulated.New().Func(t.Context(), upstream.Model{}, p) {
				want += chunk.Text
			}
			want = strings.ReplaceAll(want, "The tool get_weather failed", "The tool failed") // the format does not name the tool
			seen := &translate.Prompt{System: p.System, Turns: p.Turns, StopSequences: p.StopSequences, MaxTokens: p.MaxTokens}
			if got := Simulated("m", seen).Text; got != want {
				t.Errorf("%s, prefill=%v: got %q, want %q", test.name, prefill, got, want)
			}
		}
	}
}
