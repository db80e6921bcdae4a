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

// In each format, with and without a prefill, the simulated model calls the same tools with the same input,
// and tells their results.
func TestSimulatedFormats(t *testing.T) {
	const tools = `,"tools":[{"name":"get_weather","description":"Weather of a city","input_schema":{"type":"object","properties":{
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
		targets = append(targets, translate.Target{ModelOptions: translate.ModelOptions{Format: f.Name}})
		for _, v := range f.Variants {
			targets = append(targets, translate.Target{ModelOptions: translate.ModelOptions{Format: f.Name, Family: v.Models[0]}})
		}
	}
	for _, target := range targets {
		for _, target.Prefill = range []bool{false, true} {
			for _, tt := range tests {
				t.Run(fmt.Sprintf("%s %s %s prefill=%v", target.Format, target.Family, tt.name, target.Prefill), func(t *testing.T) {
					if got := simulate(t, target, tools+`"tool_choice":{"type":"`+tt.choice+`}`, tt.messages); !strings.HasSuffix(got, tt.want) {
						t.Errorf("got %s, want %s", got, tt.want)
					}
				})
			}
		}
	}
}

// simulate returns the calls in the simulated model's answer to a request. If it has none, it returns the
// text.
func simulate(t *testing.T, target translate.Target, members, list string) string {
	t.Helper()
	req, p := prompt(t, target, members, list)
	m, err := messages.Collect(translate.Events(req, p, func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return simulated.New().Func(t.Context(), upstream.Model{}, p)
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
