package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// TestLongValueHoldsCalls checks that a value may contain complete calls of its own format, however
// many. The tags after the limit on doubtful text are paired, too.
func TestLongValueHoldsCalls(t *testing.T) {
	for _, f := range []*format.Format{format.AttributeCalls, format.Qwen3CoderCalls, format.SeedCalls, format.GLMCalls, format.DSMLCalls, format.MiniMaxCalls, format.MiniCPMCalls} {
		call := func(name string, params ...[2]string) string {
			text := f.BeforeCalls + f.Shape.Call[0] + name + f.Shape.Call[1]
			for _, p := range params {
				value := p[1]
				if f.Shape.Lines {
					value = "\n" + value + "\n"
				}
				text += f.Shape.Param[0] + p[0] + f.Shape.Param[1] + value + f.Shape.Param[2]
			}
			return text + f.Shape.Call[2] + f.AfterCalls
		}
		inner := "Prose.\n" + call("write", [2]string{"path", "a"}) + "\n" + call("write", [2]string{"path", "b"}, [2]string{"content", "c"}) + "\n"
		for _, size := range []int{1, tagged.MaxDoubt / 2, 2 * tagged.MaxDoubt} {
			value := strings.TrimSpace(strings.Repeat(inner, size/len(inner)+1))
			text := call("write", [2]string{"content", value}, [2]string{"path", "p"})
			m := parseIn(t, &Prompt{Asking: asking{Declared: f}}, benchRequest(), completion{text, messages.StopEndTurn, ""}, 0)
			if f == format.MiniMaxCalls && size > tagged.MaxDoubt && m.StopReason == messages.StopMaxTokens {
				continue // refused: the wrappers in it are not paired
			}
			if len(m.Content) != 1 || !format.SameJSON(m.Content[0].Input, inputOf(t, value)) || m.StopReason != messages.StopToolUse {
				t.Errorf("%s: %d bytes are read as %d blocks, %s", f.Name, len(value), len(m.Content), m.StopReason)
			}
		}
	}
}

// inputOf returns the input of a call with a content and the path p.
func inputOf(t *testing.T, content string) []byte {
	t.Helper()
	input, err := json.Marshal(struct {
		Content string `json:"content"`
		Path    string `json:"path"`
	}{content, "p"})
	if err != nil {
		t.Fatal(err)
	}
	return input
}
