package messages

import "testing"

// TestReasons checks that each reason has a name and a sentence of its own.
func TestReasons(t *testing.T) {
	seen := map[string]Reason{}
	for _, r := range Reasons() {
		for _, text := range []string{r.String(), r.About()} {
			if other, ok := seen[text]; ok || text == "" && r != ReasonNone {
				t.Errorf("reasons %d and %d are both %q", other, r, text)
			}
			seen[text] = r
		}
		var again Reason
		if err := again.UnmarshalText([]byte(r.String())); err != nil || again != r {
			t.Errorf("%s is read as %s: %v", r, again, err)
		}
	}
}
