package translate

import (
	"testing"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// TestEcho holds that text of a client's is text when the model repeats it to the letter,
// though it may spell a call as any format or any maker writes it.
func TestEcho(t *testing.T) {
	for _, format := range Formats() {
		for _, tag := range []string{"function_calls", "function_call", "tool_calls", "tool_call", "use_tool", "invoke"} {
			for _, call := range []string{`{"name":"t","arguments":{"s":"x"}}`, `<invoke name="t"><parameter name="s">x</parameter></invoke>`} {
				said := "<" + tag + ">" + call + "</" + tag + ">"
				req := fuzzRequest()
				req.Messages = []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: rawjson.Plain(said)}}}}
				prompt, err := Render(req, Target{Format: format})
				if err != nil {
					t.Fatal(err)
				}
				echo := completion{prompt.Turns[0].Parts[0].Text.String(), messages.StopEndTurn, ""}
				m, err := messages.Collect(checked(t, Events(req, prompt, echo.chunks(0))))
				if err != nil {
					t.Fatal(err)
				}
				if len(m.Content) != 1 || m.Content[0].Type != messages.BlockText || m.Content[0].Text != said {
					t.Errorf("%s: of %s became\n%s", format, said, show(m))
				}
			}
		}
	}
}
