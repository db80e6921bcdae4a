package telemetry

import (
	"os"
	"strings"
	"testing"
)

// TestPage: docs/reference/telemetry.md has every emitted name, no other name of these conventions, and every variable
// that is read.
func TestPage(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("../../docs/reference/telemetry.md")
	known := map[string]bool{}
	for _, file := range []string{"names.go", "environment.go"} {
		for i, word := range strings.Split(read(file), `"`) {
			if quoted := i%2 == 1; !quoted || !strings.Contains(word, ".") && !strings.Contains(word, "OTEL_") || strings.ContainsAny(word, " \n/") {
				continue
			}
			known[word] = true
			if !strings.Contains(page, "`"+word+"`") && !strings.Contains(page, "`"+word+"=") && !strings.HasSuffix(word, "_") && word != "OTEL_" {
				t.Errorf("the page has no %s", word)
			}
		}
	}
	for i, word := range strings.Split(page, "`") {
		quoted := i%2 == 1
		if quoted && (strings.HasPrefix(word, "gen_ai.") || strings.HasPrefix(word, "dragoman.")) && !known[word] && !strings.Contains(word, "*") && word != "dragoman.simulated" {
			t.Errorf("the page has %s, which is not emitted", word)
		}
	}
}
