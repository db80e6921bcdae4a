package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// shownCalls are examples of calls with text on their lines, for every format. The text before the call is what the model
// says, and what follows the call tells whether the model makes it.
var shownCalls = []struct {
	before, behind string
	shown          bool
}{
	{"I look it up: ", "", false},
	{"I look it up: ", "\n", false},
	{"I look it up: ", "\nThen I wait.", false},
	{"I look it up: ", ".", false},
	{"I look it up: ", ".\n", false},
	{"I look it up: ", " </div>", false},
	{"I look it up: ", "</s>", false},
	{"I look it up: ", " <|im_end|>\n", false},
	{"- ", "\n", false},
	{"<tool_call>", "</tool_call>", false},

	{"I could write ", " here.", true},
	{"I could write ", ", but I do not.", true},
	{"The log has \"", "\".", true},
	{"The old log shows a call (", ").", true},
	{"The old log shows a call (", ")", true},
	{"Never write **", "**.", true},
	{"The call was ", "; it failed.", true},
	{"| xml | ", " |\n| none | - |", true},
	{"| xml | ", "\n", true},
	{"> ", "", true},
	{"# ", "\n", true},
	{"// ", "\n", true},
	{"a.md:14: ", "\na.md:15: end", true},
	{"<pre>", "</pre>\nis what the page holds.", true},
	{"The line is <code>", "</code>\nin the page.", true},
	{"<li>", "</li>", true},
	{"<pre>\n", "\n</pre>\nis what the page holds.", true},
	{"The page:\n<pre><code>\n", "\n</code></pre>\n", true},
}

// oneCall has a call of f with the string a in each format.
var oneCall = map[string]string{
	"legacy":      "<function_calls><invoke><tool_name>f</tool_name><parameters><a>1</a></parameters></invoke></function_calls>",
	"attribute":   `<function_calls><invoke name="f"><parameter name="a">1</parameter></invoke></function_calls>`,
	"json":        `<tool_call>{"name": "f", "arguments": {"a": "1"}}</tool_call>`,
	"qwen3-coder": "<tool_call><function=f><parameter=a>1</parameter></function></tool_call>",
	"seed-oss":    "<seed:tool_call><function=f><parameter=a>1</parameter></function></seed:tool_call>",
	"glm":         "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>",
	"dsml":        `<｜DSML｜tool_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>`,
	"minimax":     `<minimax:tool_call><invoke name="f"><parameter name="a">1</parameter></invoke></minimax:tool_call>`,
	"kimi":        `<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": "1"}<|tool_call_end|><|tool_calls_section_end|>`,
	"deepseek":    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": "1"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
	"mistral":     `[TOOL_CALLS]f[ARGS]{"a": "1"}`,
	"llama":       `<|python_tag|>{"name": "f", "parameters": {"a": "1"}}`,
	"pythonic":    `[f(a="1")]`,
	"gemma":       `<|tool_call>call:f{a:<|"|>1<|"|>}<tool_call|>`,
	"harmony":     `<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "1"}<|call|>`,
	"minicpm":     `<function name="f"><param name="a">1</param></function>`,
	"granite":     `<|tool_call|>[{"name": "f", "arguments": {"a": "1"}}]`,
	"cohere":      `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {"a": "1"}}]<|END_ACTION|>`,
	"nemotron":    `<TOOLCALL>[{"name": "f", "arguments": {"a": "1"}}]</TOOLCALL>`,
	"apriel":      `<tool_calls>[{"name": "f", "arguments": {"a": "1"}}]</tool_calls>`,
	"gigachat":    `<|function_call|>{"name": "f", "arguments": {"a": "1"}}`,
	"internlm":    `<|action_start|><|plugin|>{"name": "f", "parameters": {"a": "1"}}<|action_end|>`,
	"apertus":     `<|tools_prefix|>[{"f": {"a": "1"}}]<|tools_suffix|>`,
	"kimi-k3":     `<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
	"step3":       `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="f"><steptml:parameter name="a">1</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`,
	"minimax-m3":  `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">]<]minimax[>[<a>1]<]minimax[>[</a>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>`,
}

// TestShownCalls reads the examples in every format. A shown call is text, with an outcome that says so.
func TestShownCalls(t *testing.T) {
	req := &messages.Request{ID: "msg_shown", Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(
		`{"properties":{"a":{"type":"string"}},"required":["a"]}`)}}}
	for _, f := range format.All() {
		call := oneCall[f.Name]
		if call == "" {
			if f.Name != "phi" && f.Name != "xlam" { // their calls are the whole answer
				t.Errorf("%s has no call", f.Name)
			}
			continue
		}
		asked := &Prompt{Asking: asking{Declared: f, Reads: format.NewReads(f, nil, 0)}}
		for _, tt := range shownCalls {
			if f.Name == "pythonic" && !tt.shown && strings.TrimSpace(tt.behind) != "" && tt.behind[0] != '\n' {
				continue // bare calls end with their line
			}
			text := tt.before + call + tt.behind
			for n := range 12 {
				m := parseIn(t, asked, req, completion{text, messages.StopEndTurn, ""}, n)
				got := show(m)
				leaked := strings.Contains(got, "# leaked f ")
				if tt.shown && (calls(m) != 0 || spokenText(m) != text || !leaked) || !tt.shown && (calls(m) != 1 || leaked) {
					t.Errorf("%s: %q in pieces of %d is\n%s", f.Name, text, n, got)
					break
				}
			}
		}
	}
}
