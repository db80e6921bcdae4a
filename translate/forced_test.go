package translate

import (
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// forced returns the message for an answer to a prompt that ends with the start of a call to the
// named tool, or to any tool. If asked again, the model says nothing.
func forced(t *testing.T, f *format.Format, req *messages.Request, name, text string, n int) *messages.Message {
	t.Helper()
	opening := f.CallPrefill(name, 0)
	prompt := &Prompt{Turns: []Turn{{Role: messages.RoleUser}, {Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: opening}}}}, Asking: asking{Declared: f, Opening: opening}}
	m, err := messages.Collect(checked(t, Events(req, prompt, func(p *Prompt) iter.Seq2[Chunk, error] {
		c := completion{text, messages.StopSequence, f.StopSequence}
		text = ""
		return c.chunks(n)(p)
	})))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestForced checks that a call that a prefill has opened is read once, whether the model continues
// it or begins it again, with or without the text around calls. If the model makes no call, nothing
// of the prefill is shown.
func TestForced(t *testing.T) {
	input := jsontext.Value(`{"s":"a <b>\n","n":1}`)
	for _, f := range asked() {
		req := fuzzRequest()
		req.ToolChoice = messages.ToolChoice{Type: messages.ChoiceTool, Name: "t"}
		call := writtenCall(f, &markup.Escaper{}, "t", 0, input, schema.Compile(req.Tools[0].InputSchema))
		call = strings.TrimSuffix(call, f.BetweenCalls)
		if f.ImpliedEnd == "" {
			call += f.AfterCalls
		}
		whole := f.BeforeCalls + call
		for _, name := range []string{"t", ""} {
			opening := f.CallPrefill(name, 0)
			rest, ok := strings.CutPrefix(whole, opening)
			if !ok {
				t.Fatalf("%s: %q does not begin %q", f.Name, opening, whole)
			}
			texts := []string{rest, whole, "\n" + whole, strings.ReplaceAll(opening, "\n", "") + rest}
			if f.Name != format.Pythonic { // without their bracket, its calls look like text
				texts = append(texts, call)
			}
			if f.Shape.Call[0] == "" && strings.Contains(opening, "{") {
				texts = append(texts, call[strings.IndexByte(call, '{'):])
			}
			for n := range 6 {
				for _, text := range texts {
					if m := forced(t, f, req, name, text, n); len(m.Content) != 1 || !sameInput(m.Content[0].Input, input) || m.StopReason != messages.StopToolUse {
						t.Errorf("%s %s, pieces of %d, behind %q: %q\n%s", f.Name, f.Variant, n, opening, text, show(m))
					}
				}
				if name == "" || f.Name == format.GLM {
					for _, b := range forced(t, f, req, name, " I cannot. I <i>can</i>.", n).Content {
						if strings.Contains(string(b.Text), strings.TrimSpace(opening)) {
							t.Fatalf("%s, pieces of %d: shows %q", f.Name, n, b.Text)
						}
					}
				}
			}
		}
	}
}

// TestForcedGoesOn has arguments that look like the start of the call, and a second call after an
// unclosed call without parameters. In both, the model has not begun again.
func TestForcedGoesOn(t *testing.T) {
	req := fuzzRequest()
	req.ToolChoice = messages.ToolChoice{Type: messages.ChoiceAny}
	for _, tt := range []struct {
		Format       *format.Format
		schema, text string
		want         string
	}{
		{&format.JSONCalls, `{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}}}`, ` {"name": "t", "arguments": {}}}`, `t {"name": "t", "arguments": {}}`},
		{&format.JSONCalls, `{"type":"object"}`, ` {"name": "Bob"}}`, `t {"name": "Bob"}`},
		{format.Qwen3CoderCalls, `{"type":"object"}`, "\n<tool_call>\n<function=u>\n</function>\n</tool_call>", "t {}\nu {}"},
	} {
		req.Tools = []messages.Tool{{Name: "t", InputSchema: jsontext.Value(tt.schema)}, {Name: "u"}}
		for n := range 6 {
			got, _, _ := strings.Cut(show(forced(t, tt.Format, req, "t", tt.text, n)), "\ntool_use")
			if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(tt.want, " ", "") {
				t.Errorf("%s, pieces of %d: %s\n%s", tt.Format.Name, n, tt.text, got)
			}
		}
	}
}
