package translate

import (
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// TestForced holds, for a call that a prefill has opened, that a model which begins it once more has
// called once, and that one which calls nothing shows nothing of the prefill.
func TestForced(t *testing.T) {
	input := jsontext.Value(`{"s":"a <b>\n","n":1}`)
	for _, f := range formats {
		req := fuzzRequest()
		req.ToolChoice = messages.ToolChoice{Type: messages.ChoiceTool, Name: "t"}
		whole := string(f.appendCall(&markup.Escaper{}, []byte(f.beforeCalls), "t", 0, input, schema.Compile(req.Tools[0].InputSchema)))
		for _, name := range []string{"t", ""} {
			opening := f.callPrefill(name, 0)
			prompt := &Prompt{format: f, opening: opening, Turns: []Turn{{Role: messages.RoleUser}, {Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: rawjson.Plain(opening)}}}}}
			answer := func(text string, n int) *messages.Message {
				asked := 0
				m, err := messages.Collect(checked(t, Events(req, prompt, func(p *Prompt) iter.Seq2[Chunk, error] {
					if asked++; asked > 1 {
						text = ""
					}
					return completion{text, messages.StopSequence, f.stopSequence}.chunks(n)(p)
				})))
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			for n := range 6 {
				if f.isData() && f != glmCalls && name != "" { // where the tag of a call holds only its name, that may go on
					if m := answer("\n"+whole, n); len(m.Content) != 1 || !sameInput(m.Content[0].Input, input) || m.StopReason != messages.StopToolUse {
						t.Fatalf("%s, pieces of %d: begun again:\n%s", f.name, n, show(m))
					}
				}
				if name == "" || f == glmCalls {
					for _, b := range answer(" I cannot. I <i>can</i>.", n).Content {
						if strings.Contains(string(b.Text), strings.TrimSpace(opening)) {
							t.Fatalf("%s, pieces of %d: shows %q", f.name, n, b.Text)
						}
					}
				}
			}
		}
	}
}
