package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// The ids of docs/reference/formats.md, as Bedrock, Vertex, OpenRouter and Ollama write them.
func TestChooseFormat(t *testing.T) {
	for model, want := range map[string]string{
		"anthropic.claude-v2:1":                  FormatLegacy,
		"claude-sonnet-4@20250514":               FormatLegacy,
		"qwen.qwen3-coder-480b-a35b-v1:0":        format.Qwen3Coder,
		"Qwen/Qwen3-Coder-30B-A3B-Instruct":      format.Qwen3Coder,
		"qwen/qwen3.5-397b":                      format.Qwen3Coder,
		"qwen.qwen3-235b-a22b-2507-v1:0":         FormatJSON,
		"qwen2.5:7b":                             FormatJSON,
		"bytedance/seed-oss-36b-instruct":        format.SeedOSS,
		"zai.glm-4.6":                            format.GLM,
		"z-ai/glm-5.1":                           format.GLM,
		"glm-5-maas":                             format.GLM,
		"glm4:9b":                                format.UnknownFormat.Name, // it has a format of its own
		"deepseek.v3-v1:0":                       format.DeepSeek,
		"deepseek/deepseek-v3.2-exp":             format.DeepSeek,
		"deepseek/deepseek-v3.2":                 format.DSML,
		"deepseek-v4-flash":                      format.DSML,
		"deepseek.r1-v1:0":                       format.DeepSeek,
		"moonshot.kimi-k2-thinking":              format.Kimi,
		"moonshotai.kimi-k2.5":                   format.Kimi,
		"minimax.minimax-m2":                     format.MiniMax,
		"moonshotai/kimi-k3":                     format.UnknownFormat.Name,
		"stepfun-ai/step3":                       format.UnknownFormat.Name,
		"minimax/minimax-m3":                     format.UnknownFormat.Name,
		"stepfun/step-3.5-flash":                 format.Qwen3Coder,
		"openbmb/MiniCPM5-8B":                    format.MiniCPM,
		"meta.llama4-maverick-17b-instruct-v1:0": format.Pythonic,
		"LiquidAI/LFM2-8B-A1B":                   format.Pythonic,
		"openai.gpt-oss-120b-1:0":                format.UnknownFormat.Name,
		"google/gemma-4-27b-it":                  format.UnknownFormat.Name,
		"mistral.devstral-2-123b":                format.UnknownFormat.Name,
		"meta.llama3-3-70b-instruct-v1:0":        format.UnknownFormat.Name,
		"ServiceNow-AI/Apriel-1.6-15b":           format.UnknownFormat.Name,
		"a-model-of-which-nobody-knows-anything": format.UnknownFormat.Name,
	} {
		if got := ChooseFormat(model).Format; got != want {
			t.Errorf("%s is asked in %s, want %s", model, got, want)
		}
	}
	for model, want := range map[string]string{
		"zai.glm-4.6": format.GLM, "openai.gpt-oss-120b-1:0": format.Harmony, "ibm/granite-3.3-8b": "granite", "claude-2.1": "",
		"moonshotai/kimi-k3": "kimi-k3", "stepfun-ai/step3": "step3", "MiniMaxAI/MiniMax-M3": "minimax-m3",
	} {
		if got := strings.Join(AcceptFor(model), " "); got != want {
			t.Errorf("of %s %q is read besides", model, got)
		}
	}
}

// Whatever the format of the prompt, calls are read in the accepted formats and in no others.
func TestAccept(t *testing.T) {
	req := spoken("Hi")
	req.Tools = []messages.Tool{{Name: "get_weather", InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}
	const glm = "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>"
	const kimi = `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>`
	for _, tt := range []struct {
		accept string
		text   string
		call   bool
	}{
		{"", glm, false}, {"glm", glm, true}, {"kimi glm", glm, true}, {AcceptAll, glm, true}, {"kimi", glm, false},
		{"", kimi, false}, {"kimi", kimi, true}, {AcceptAll, kimi, true},
	} {
		prompt, err := Render(req, Target{ModelOptions: ModelOptions{Accept: strings.Fields(tt.accept)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := show(parseIn(t, prompt, req, completion{tt.text, "end_turn", ""}, 3)); (got == "get_weather {\"city\":\"Oslo\"}\ntool_use") != tt.call {
			t.Errorf("with %q:\n%s", tt.accept, got)
		}
	}
	if _, err := Render(req, Target{ModelOptions: ModelOptions{Accept: []string{"glm", "nothing"}}}); err == nil {
		t.Error("an unknown format is accepted")
	}
}

// If several formats share a tag, the format of the call's start decides what the tag means.
func TestSharedTags(t *testing.T) {
	req := spoken("Hi")
	req.Tools = []messages.Tool{{Name: "ping", InputSchema: jsontext.Value(`{"type":"object"}`)}}
	prompt := mustRender(t, req, Target{ModelOptions: ModelOptions{Format: FormatJSON, Accept: []string{AcceptAll}}})
	for _, tt := range []struct{ text, want string }{
		{"<tool_call>\n{\"name\":\"ping\"}\n</tool_call>", "ping {}\ntool_use"},
		{"<tool_call>function=ping></tool_call>", "ping {}\ntool_use\n# repaired ping tag_bracket"},
		{`<function name="ping"><param name="p"><![CDATA[x]]></param></function>`, "ping {\"p\":\"x\"}\ntool_use"},
		{`<function name="ping"><parameter name="p">x</parameter></function>`, "ping {\"p\":\"x\"}\ntool_use\n# repaired ping bare_call"},
		{"<tool_call>Calling\n{\"name\":\"ping\"}\n</tool_call>", "text \"Calling\"\nping {}\ntool_use\n# repaired ping stray_text"},
	} {
		if got := show(parseIn(t, prompt, req, completion{tt.text, messages.StopEndTurn, ""}, 0)); got != tt.want {
			t.Errorf("%s is read as\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}
