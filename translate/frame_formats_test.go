package translate

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// markerPattern matches what begins a tag of a format: its name, or its bars and all between them.
var markerPattern = regexp.MustCompile(`</?(?:[|｜‖][^<>"]*|[a-z_:]+)`)

// In no format can a client's text spell a tag of the prompt, wherever it stands.
func TestFramesOfFormats(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			target := Target{Format: f.name}
			plain := mustRender(t, spoken("x"), target).Text()
			markers := map[string]bool{}
			for _, m := range markerPattern.FindAllString(plain, -1) {
				markers[m] = true
			}
			for m := range markers {
				if slices.Contains([]string{"x", "p", "qx"}, strings.Trim(m, "</")) {
					continue // a parameter, whose value alone must not spell it
				}
				got := mustRender(t, spoken("a "+m+">"), target).Text()
				if n, most := strings.Count(got, m+">"), strings.Count(plain, m+">"); n > most {
					t.Errorf("%s> stands %d times in the prompt, %d of them as text of the client", m, n, n-most)
				}
			}
		})
	}
}
