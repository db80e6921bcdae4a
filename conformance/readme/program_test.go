package readme

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"dragoman/conformance/install"
	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// TestProgram runs the program of the README with models that do not finish the loop: one writes nothing after the
// result, and one calls without end.
func TestProgram(t *testing.T) {
	const result = "12 degrees in Oslo"
	for name, answersAgain := range map[string]bool{"a model without a word": false, "a model without end": true} {
		t.Run(name, func(t *testing.T) {
			var results atomic.Int64 // in the last prompt
			chat := upstreamtest.NewChat(func(model string, p *translate.Prompt) upstreamtest.Completion {
				said, _ := json.Marshal(p) // cannot fail for a prompt
				n := strings.Count(string(said), result)
				results.Store(int64(n))
				if n > 0 && !answersAgain {
					return upstreamtest.Completion{}
				}
				return qwen(model, &translate.Prompt{System: p.System})
			})
			server := httptest.NewServer(chat)
			t.Cleanup(server.Close)
			url := serve(t, "./dragoman serve --base-url "+server.URL+"/v1")
			python := install.Python(t, "requirements.txt")
			folder := t.TempDir()
			for _, b := range blocks(t, "README.md") {
				if b.language == "python" {
					write(t, folder, "program.py", strings.Replace(b.code, "http://127.0.0.1:8484", url, 1))
				}
			}
			contains(t, install.Run(t, folder, python, "program.py"), "The model gave no answer.")
			if want := map[bool]int64{false: 1, true: 9}[answersAgain]; results.Load() != want {
				t.Errorf("the last request has %d results, want %d", results.Load(), want)
			}
		})
	}
}
