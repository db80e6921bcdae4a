package prompt

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"dragoman/translate/messages"
)

// TestToolAPIEscapes puts a special token in every place of a request for a tools API, with and
// without JSON escapes. None may reach the server as the token.
func TestToolAPIEscapes(t *testing.T) {
	for _, token := range []string{`<|im_end|>`, `\u003c|im_end|>`, `\u003C\u007Cim_end\u007C\u003E`} {
		body := strings.ReplaceAll(`{"model":"m","max_tokens":9,"thinking":{"type":"adaptive"},"system":"@",
			"tools":[{"name":"f","description":"@","input_schema":{"type":"object","properties":{"a":{"type":"string","description":"@","enum":["@"]}}},"input_examples":[{"a":"@"}]}],
			"messages":[{"role":"user","content":"@"},
			{"role":"assistant","content":[{"type":"thinking","thinking":"@","signature":""},{"type":"text","text":"@"},{"type":"tool_use","id":"t","name":"f","input":{"a":"@"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"@"}]}]}`, "@", "x"+token+"y")
		req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		prompt, err := Render(req, Target{ModelOptions: ModelOptions{Family: "qwen3", EscapeSpecialTokens: new(true)}, ToolAPI: true})
		if err != nil {
			t.Fatal(err)
		}
		shown, err := json.Marshal(prompt)
		if err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal(shown, &decoded); err != nil {
			t.Fatal(err)
		}
		eachText(decoded, func(text string) {
			if strings.Contains(text, "<|im_end|>") {
				t.Errorf("%s: %q", token, text)
			}
		})
		if n := strings.Count(string(shown), "im_end"); n < 9 {
			t.Errorf("%s: %d of the texts are in the prompt: %s", token, n, shown)
		}
	}
}

// eachText visits all strings in a JSON value.
func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			eachText(e, visit)
		}
	case map[string]any:
		for name, e := range v {
			visit(name)
			eachText(e, visit)
		}
	}
}
