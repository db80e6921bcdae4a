package translate

import (
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// TestForcedWithoutArguments has models that make the forced call without its required arguments.
// In each format, Dragoman asks them again. If they do the same again, the answer says that the
// choice is not met.
func TestForcedWithoutArguments(t *testing.T) {
	tools := []messages.Tool{
		{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"integer"}},"required":["s"]}`)},
		{Name: "g", InputSchema: jsontext.Value(`{"type":"object","properties":{}}`)},
	}
	const good, optional = `{"s":"a","n":1}`, `{"n":1}`
	for _, f := range asked() {
		for _, choice := range []messages.ToolChoice{{Type: messages.ChoiceAny}, {Type: messages.ChoiceTool, Name: "f"}} {
			for _, tt := range []struct {
				tool           string
				answers        []string // inputs of calls; without a brace, prose in place of the call
				content, unmet string
				asked          int
			}{
				{"f", []string{good}, "f " + good, "", 1},
				{"f", []string{`{"n":1,"s":"a"}`}, `f {"n":1,"s":"a"}`, "", 1},
				{"f", []string{`{}`, good}, "f " + good, "", 2},
				{"f", []string{optional, good}, "f " + good, "", 2},
				{"f", []string{"Sorry.", good}, "f " + good, "", 2},
				{"f", []string{`{}`, `{}`}, "", "tool_choice", 2}, // the call itself, or text if no tag marks it as a call
				{"g", []string{`{}`}, "g {}", "", 1},
			} {
				if tt.tool == "g" && choice.Name != "" {
					continue
				}
				req := &messages.Request{ID: "msg_f", MaxTokens: 100, Tools: tools, ToolChoice: choice, Messages: []messages.MessageParam{user("Go.")}}
				asked, unmet := 0, ""
				ask := func(p *Prompt) iter.Seq2[Chunk, error] {
					text := tt.answers[asked]
					if strings.HasPrefix(text, "{") {
						text = p.WriteCalls([]ToolUse{{Name: tt.tool, Input: jsontext.Value(text)}})
					}
					asked++
					return completion{text, messages.StopEndTurn, ""}.chunks(asked)(p)
				}
				again := func(req *messages.Request, _ Reason) (*Prompt, error) { return Render(req, targetOf(f)) }
				m, err := messages.Collect(func(yield func(messages.Event, error) bool) {
					for e, err := range checked(t, Corrected(req, mustRender(t, req, targetOf(f)), ask, &Checks{Choice: true}, again)) {
						if e.Type == messages.MessageStart {
							unmet = strings.Join(e.Message.Unmet, ",")
						}
						if !yield(e, err) {
							return
						}
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				content, _, _ := strings.Cut(strings.ReplaceAll(show(m), " ", ""), "\n")
				if tt.content != "" && content != strings.ReplaceAll(tt.content, " ", "") || unmet != tt.unmet || asked != tt.asked {
					t.Errorf("%s %s, %v: %q, unmet %q, asked %d times, of %q", f.Name, f.Variant, choice, content, unmet, asked, tt.answers)
				}
			}
		}
	}
}
