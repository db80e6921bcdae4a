package upstream_test

import (
	"iter"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// TestContinuation stops every wire in a value that contains Dragoman's stop sequence, and continues after
// it.
func TestContinuation(t *testing.T) {
	const start = "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<x>"
	const end = "</x>\n</parameters>\n</invoke>\n" + translate.CallsEnd + " and on"
	eachWire(t, func(t *testing.T, w wire) {
		tests := []struct{ value, want string }{
			{"a" + translate.CallsEnd + "\n b", `{"x":"a</function_calls>\n b"} tool_use`},
			{translate.CallsEnd + "a" + translate.CallsEnd, `{"x":"</function_calls>a</function_calls>"} tool_use`},
			// Text completions would read a turn there, so Dragoman sends nothing.
			{"Hi\n\nAssistant: a" + translate.CallsEnd + "b", map[bool]string{
				false: `{"x":"Hi\n\nAssistant: a</function_calls>b"} tool_use`,
				true:  `{} max_tokens`,
			}[w.plain]},
		}
		for _, test := range tests {
			text := start + test.value + end
			up, _ := w.open(t, func(_ string, p *translate.Prompt) upstreamtest.Completion {
				said, ok := strings.CutPrefix(text, lastWords(p))
				if !ok {
					t.Errorf("the model is told that it said %q", lastWords(p))
				}
				return upstreamtest.Completion{Text: said}
			})
			req, p := forPrefill(t, w.plain)
			message, err := messages.Collect(translate.Events(req, p, func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
				m := w.model
				m.Can |= upstream.Prefill
				return invoke(up, t.Context(), m, p)
			}))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(message.Content[0].Input) + " " + string(message.StopReason); got != test.want {
				t.Errorf("%q is read as %s", test.value, got)
			}
		}
	})
}

// forPrefill is a request with a tool, and its prompt for a model that continues a prefill.
func forPrefill(t *testing.T, textWire bool) (*messages.Request, *translate.Prompt) {
	t.Helper()
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":1000,"messages":[{"role":"user","content":"Hi"}],
		"tools":[{"name":"f","input_schema":{"type":"object","properties":{"x":{"type":"string"}}}}]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := translate.Render(req, translate.Target{Prefill: true, TextWire: textWire})
	if err != nil {
		t.Fatal(err)
	}
	return req, p
}

// lastWords is the text that the completion continues.
func lastWords(p *translate.Prompt) string {
	last := p.Turns[len(p.Turns)-1]
	if last.Role != messages.RoleAssistant {
		return ""
	}
	text := ""
	for _, part := range last.Parts {
		text += part.Text
	}
	return text
}
