package translate

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"dragoman/translate/messages"
)

// TestLongValueHoldsCalls holds that a value may hold calls of its own format, whole ones, however many:
// those behind the bound on what is held in doubt are paired, too.
func TestLongValueHoldsCalls(t *testing.T) {
	for _, f := range []*format{attributeCalls, qwenCalls, seedCalls, glmCalls, dsmlCalls, minimaxCalls, minicpmCalls} {
		call := func(name string, params ...[2]string) string {
			text := f.beforeCalls + f.shape.call[0] + name + f.shape.call[1]
			for _, p := range params {
				value := p[1]
				if f.shape.lines {
					value = "\n" + value + "\n"
				}
				text += f.shape.param[0] + p[0] + f.shape.param[1] + value + f.shape.param[2]
			}
			return text + f.shape.call[2] + f.afterCalls
		}
		inner := "Prose.\n" + call("write", [2]string{"path", "a"}) + "\n" + call("write", [2]string{"path", "b"}, [2]string{"content", "c"}) + "\n"
		for _, size := range []int{1, maxDoubt / 2, 2 * maxDoubt} {
			value := strings.TrimSpace(strings.Repeat(inner, size/len(inner)+1))
			text := call("write", [2]string{"content", value}, [2]string{"path", "p"})
			m := parseIn(t, &Prompt{asking: asking{format: f}}, benchRequest(), completion{text, messages.StopEndTurn, ""}, 0)
			if f == minimaxCalls && size > maxDoubt && m.StopReason == messages.StopMaxTokens {
				continue // refused: the wrappers in it are not paired
			}
			if len(m.Content) != 1 || !sameJSON(m.Content[0].Input, inputOf(t, value)) || m.StopReason != messages.StopToolUse {
				t.Errorf("%s: %d bytes are read as %d blocks, %s", f.name, len(value), len(m.Content), m.StopReason)
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
