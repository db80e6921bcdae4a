package simulated_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// The simulated model is asked in each format and language, with a prefill and without: it
// calls the same tools with the same input, and tells their results.
func TestSimulatedFormats(t *testing.T) {
	const tools = `"tools":[{"name":"get_weather","description":"Weather of a city","input_schema":{"type":"object","properties":{
		"city":{"type":"string"},"days":{"$ref":"#/$defs/n"},"units":{"enum":["c","f"]}},"required":["city","days"],"$defs":{"n":{"type":"integer"}}}},
		{"name":"get_time","description":"The time","input_schema":{"type":"object"}}],`
	const (
		weather = `get_weather {"city":"Oslo","days":3}`
		asks    = `{"role":"user","content":"Weather in Oslo for 3 days?"}`
		called  = asks + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_weather","input":{"city":"Oslo","days":3}}]},`
	)
	tests := []struct{ name, choice, messages, want string }{
		{"auto", `auto"`, asks, weather},
		{"any", `any"`, asks, weather},
		{"tool", `tool","name":"get_time"`, asks, "get_time {}"},
		{"none", `none"`, asks, "text You said: Weather in Oslo for 3 days?"},
		{"JSON", `none"},"output_config":{"format":{"type":"json_schema","schema":{"type":"integer"}}`, asks, "text 3"},
		{"one of two", `auto","disable_parallel_tool_use":true`, `{"role":"user","content":"Call get_time and get_weather in Oslo for 3 days"}`, "get_time {}"},
		{"two", `auto"`, `{"role":"user","content":"Call get_time and get_weather in Oslo for 3 days"}`, "get_time {}, " + weather},
		{"result", `auto"`, called + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"3 <b>"}]}`, "returned: 3 <b>"},
		{"error", `auto"`, called + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}`, "failed: no"},
	}
	targets := []translate.Target{}
	for _, f := range translate.AboutFormats() {
		targets = append(targets, translate.Target{Format: f.Name})
		for _, v := range f.Variants {
			targets = append(targets, translate.Target{Format: f.Name, Model: v.Models[0]})
		}
	}
	for _, target := range targets {
		for _, language := range translate.Languages() {
			for _, prefill := range []bool{false, true} {
				target.Prefill, target.Language = prefill, language
				for _, tt := range tests {
					t.Run(fmt.Sprintf("%s %s %s %s prefill=%v", target.Format, target.Model, language, tt.name, prefill), func(t *testing.T) {
						body := `{"model":"m","max_tokens":500,` + tools + `"tool_choice":{"type":"` + tt.choice + `},"messages":[` + tt.messages + `]}`
						if got := simulate(t, body, target); !strings.HasSuffix(got, tt.want) {
							t.Errorf("got %s, want %s", got, tt.want)
						}
					})
				}
			}
		}
	}
}

// TestSimulatedTemplates has calls shown in the words of an operator, with names of an example.
func TestSimulatedTemplates(t *testing.T) {
	const body = `{"model":"m","max_tokens":500,"messages":[{"role":"user","content":"Weather in Oslo?"}],"tools":[{"name":"get_weather","input_schema":` +
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}`
	for format, template := range map[string]string{
		"legacy":    "Call a tool so: <function_calls><invoke><tool_name>add</tool_name><parameters><a>1</a></parameters></invoke></function_calls>\n{{tools}}",
		"attribute": "Call a tool so: <function_calls><invoke name=\"add\">…</invoke></function_calls>\n{{tools}}",
		"json":      "Call a tool so: <tool_call>{\"name\": \"…\", \"arguments\": {…}}</tool_call>\n{{tools}}",
		"glm":       "{{tools}}\nCall a tool so: <tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
	} {
		if got := simulate(t, body, translate.Target{Format: format, Template: template}); got != `get_weather {"city":"Oslo"}` {
			t.Errorf("%s: got %s", format, got)
		}
	}
}

// simulate returns the calls of the simulated model's answer to a request, or else its text.
func simulate(t *testing.T, body string, target translate.Target) string {
	t.Helper()
	req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := translate.Render(req, target)
	if err != nil {
		t.Fatal(err)
	}
	m, err := messages.Collect(translate.Events(req, prompt, func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return simulated.New().Invoke(t.Context(), upstream.Model{}, p)
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range m.Outcomes {
		if o.Kind != messages.OutcomeClean {
			t.Errorf("outcome %+v", o)
		}
	}
	var calls []string
	text := ""
	for _, b := range m.Content {
		if text += b.Text; b.Type == messages.BlockToolUse {
			calls = append(calls, b.Name+" "+string(b.Input))
		}
	}
	if len(calls) == 0 {
		return "text " + strings.TrimPrefix(text, "[simulated] ")
	}
	return strings.Join(calls, ", ")
}
