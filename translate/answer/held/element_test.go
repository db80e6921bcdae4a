package held_test

import (
	"testing"

	"dragoman/translate/answer/held"
)

// TestSkipElement checks which elements of a list are no calls: the length of each, 0 if it may go on, -1 if it may be a
// call.
func TestSkipElement(t *testing.T) {
	for text, want := range map[string]int{
		`7, {`: 1, `-1.5e3]`: 6, `null,`: 4, `"a, ]", 1`: 6, `"a\"b" ,`: 6, `[],`: 2, `["a", [1]],`: 10, `{},`: 2, "{ \n} ,": 4,
		`nul`: 0, `"a`: 0, `[1`: 0, `{ `: 0,
		`{"name":"f"}`: -1, `[{"name":"f"}]`: -1, `<a>`: -1, `]`: -1,
	} {
		if got := held.SkipElement([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
