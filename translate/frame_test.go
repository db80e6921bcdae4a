package translate

import (
	"regexp"
	"strings"
	"testing"

	"dragoman/translate/format"
)

// TestFormatFrames checks that a client's text spells no tag of a prompt, in any format. The tags
// of parameters are protected only in their own values.
func TestFormatFrames(t *testing.T) {
	tag := regexp.MustCompile(`</?[^<>\s"$]+[^<>$]*>`)
	own := regexp.MustCompile(`^</?q?[px]>$`)
	for _, f := range format.List {
		target := Target{ModelOptions: ModelOptions{Format: f.Name}, TextWire: true}
		plain := mustRender(t, spoken("x"), target).Text()
		for _, s := range tag.FindAllString(withoutWords(f, plain), -1) {
			for _, s := range []string{s, strings.Replace(s, "<", "< ", 1), strings.ToUpper(s)} {
				got := mustRender(t, spoken(s), target).Text()
				if n, want := strings.Count(got, s), strings.Count(plain, s); n > want && !own.MatchString(asciiLower(strings.ReplaceAll(s, " ", ""))) {
					t.Fatalf("%s: %q stands %d times in the prompt, %d times without it in the request", f.Name, s, n, want)
				}
			}
		}
	}
}
