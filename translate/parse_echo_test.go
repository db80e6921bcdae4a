package translate

import (
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// exampleToolList returns tools. The tool find requires a list, so it is the example.
func exampleToolList() []messages.Tool {
	return []messages.Tool{
		{Name: "ping", InputSchema: jsontext.Value(`{"type":"object","properties":{}}`)},
		{Name: "find", InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"days":{"type":"integer"}},"required":["city","tags"]}`)},
	}
}

// TestExampleCall checks the example of each format. With other values, it is one clean call. A
// copy of it is text. A call with one of its values is invalid, unless the client said the value.
func TestExampleCall(t *testing.T) {
	for _, f := range asked() {
		t.Run(f.Name+f.Variant, func(t *testing.T) {
			target := targetOf(f)
			target.ExampleCall = ExampleAuto
			req := &messages.Request{Tools: exampleToolList(), Messages: []messages.MessageParam{user("hi")}}
			prompt := mustRender(t, req, target)
			shown := strings.TrimRight(prompt.WriteCalls([]ToolUse{prompt.Example.ToolUse}), "\n")
			if !strings.Contains(prompt.Text(), shown) {
				t.Fatalf("the prompt does not show\n%s\nbut\n%s", shown, prompt.Text())
			}
			read := func(prompt *Prompt, text string, n int) string {
				return show(parseIn(t, prompt, req, completion{text: text, stop: messages.StopEndTurn}, n))
			}
			for n := range 8 {
				if got := read(prompt, shown, n); strings.Contains(got, "find {\"") || !strings.Contains(got, "leaked find echo") {
					t.Errorf("pieces of %d: a copy of the example is\n%s", n, got)
				}
				other := strings.ReplaceAll(strings.ReplaceAll(shown, "example city", "Oslo"), "example tags", "a")
				got := read(prompt, other, n)
				if !strings.Contains(got, `find {"city":"Oslo","tags":["a"]}`) || strings.Contains(got, "#") {
					t.Errorf("pieces of %d: other values are read as\n%s", n, got)
				}
				half := strings.ReplaceAll(shown, "example city", "Oslo")
				if got := read(prompt, half, n); !strings.Contains(got, `find {"city":"Oslo","tags":["example tags"]}`) || !strings.Contains(got, "# invalid find example_copied") {
					t.Errorf("pieces of %d: a value of the example is read as\n%s", n, got)
				}
			}
			req.Messages = []messages.MessageParam{user("in an \"example city\" or with example tags")}
			half := strings.ReplaceAll(shown, "example city", "Oslo")
			if got := read(mustRender(t, req, target), half, 0); strings.Contains(got, "invalid") {
				t.Errorf("a value that the client said is read as\n%s", got)
			}
		})
	}
}

// TestCopiedExampleAgain has a model that copies a value of the example, and is asked again.
func TestCopiedExampleAgain(t *testing.T) {
	req := &messages.Request{Tools: exampleToolList(), Messages: []messages.MessageParam{user("in Oslo, please")}}
	target := Target{ModelOptions: ModelOptions{ExampleCall: ExampleAuto}}
	prompt := mustRender(t, req, target)
	call := func(city string) string {
		return prompt.WriteCalls([]ToolUse{{Name: "find", Input: jsontext.Value(`{"city":"` + city + `","tags":["a"]}`)}})
	}
	var told string
	answers := []string{call("example city"), call("Oslo")}
	ask := func(p *Prompt) iter.Seq2[Chunk, error] {
		last := p.Turns[len(p.Turns)-1]
		told = last.Parts[len(last.Parts)-1].Text
		text := answers[0]
		answers = answers[1:]
		return completion{text: text, stop: messages.StopEndTurn}.chunks(0)(p)
	}
	again := func(r *messages.Request, _ Reason) (*Prompt, error) { return Render(r, target) }
	m, err := messages.Collect(checked(t, Corrected(req, prompt, ask, &Checks{Readable: true}, again)))
	if err != nil {
		t.Fatal(err)
	}
	if got := show(m); !strings.Contains(got, `find {"city":"Oslo","tags":["a"]}`) || !strings.Contains(told, `The value "example city" is the example's.`) {
		t.Errorf("the client gets\n%s\nand the model was told\n%s", got, told)
	}
}

// TestMeantExample has tools with an example that invents nothing. A call that equals it may be
// meant.
func TestMeantExample(t *testing.T) {
	for _, schema := range []string{`{"type":"object"}`, `{"type":"object","properties":{"unit":{"enum":["c","f"]},"n":{"type":"integer"}},"required":["unit","n"]}`} {
		req := &messages.Request{Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(schema)}}, Messages: []messages.MessageParam{user("hi")}}
		for _, f := range asked() {
			target := targetOf(f)
			target.ExampleCall = ExampleAuto
			prompt := mustRender(t, req, target)
			m := parseIn(t, prompt, req, completion{text: prompt.WriteCalls([]ToolUse{prompt.Example.ToolUse}), stop: messages.StopEndTurn}, 0)
			if got := show(m); !strings.HasPrefix(got, "f "+string(prompt.Example.Input)) {
				t.Errorf("%s: the call is read as\n%s", f.Name, got)
			}
		}
	}
}
