package upstream

import (
	"errors"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// TestWithoutEcho repeats a prefill at the beginning of an answer. It is removed once, whatever the pieces
// are.
func TestWithoutEcho(t *testing.T) {
	part := func(s string) translate.Part {
		return translate.Part{Type: translate.PartText, Text: s}
	}
	// The server receives one text, with a newline between the parts.
	prompt := &translate.Prompt{Turns: []translate.Turn{{Role: messages.RoleUser}, {Role: messages.RoleAssistant, Parts: []translate.Part{part("So:"), part("<a>é ")}}}}
	const prefill = "So:\n<a>é "
	failed := errors.New("failed")
	for _, tt := range []struct {
		name, text, want string
		err              error
	}{
		{"goes on", "b</a>", "b</a>", nil},
		{"repeats", prefill + "b</a>", "b</a>", nil},
		{"repeats alone", prefill, "", nil},
		{"repeats twice", prefill + prefill, prefill, nil},
		{"begins alike", "So:\n<b>", "So:\n<b>", nil},
		{"ends within", "So:\n<a", "So:\n<a", nil},
		{"breaks off within", "So:\n<a", "So:\n<a", failed},
		{"breaks off behind", prefill + "b", "b", failed},
		{"nothing", "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for n := 1; n <= len(tt.text)+1; n++ {
				var got strings.Builder
				var last error
				repeats := false
				for c, err := range withoutEcho(prompt, inPieces(tt.text, n, translate.Chunk{Stop: messages.StopEndTurn}, tt.err)) {
					got.WriteString(c.Text)
					repeats, last = repeats || c.Repeats, err
				}
				if got.String() != tt.want || last != tt.err {
					t.Errorf("in pieces of %d: %q, %v", n, &got, last)
				}
				if want := strings.HasPrefix(tt.text, prefill) && n < len(prefill); repeats != want {
					t.Errorf("in pieces of %d: repeats %v", n, repeats)
				}
			}
		})
	}
}
