package translate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// markerPattern matches the start of a tag of a format: its name, or its bars and everything
// between them. Or it matches a tag in brackets.
var markerPattern = regexp.MustCompile(`</?(?:[|｜‖][^<>"]*|[a-z_:]+)|\[/?[A-Z_]+\]`)

// wholeTag returns a tag that begins with a marker.
func wholeTag(marker string) string {
	if marker[0] == '<' {
		marker += ">"
	}
	return marker
}

// In no format can a client's text spell a tag of the prompt, in any place.
func TestFramesOfFormats(t *testing.T) {
	for _, f := range asked() {
		t.Run(f.Name+f.Variant, func(t *testing.T) {
			target := targetOf(f)
			plain := mustRender(t, spoken("x"), target).Text()
			markers := map[string]bool{}
			for _, m := range markerPattern.FindAllString(withoutWords(f, plain), -1) {
				markers[m] = true
			}
			for m := range markers {
				if slices.Contains([]string{"x", "p", "qx"}, strings.Trim(m, "</")) {
					continue // a parameter's tag, which only its own value must not spell
				}
				tag := wholeTag(m)
				for _, tag := range []string{tag, strings.Replace(tag, "<", "< ", 1), strings.ToUpper(tag), strings.Repeat(tag, 3)} {
					got := mustRender(t, spoken("a "+tag+"f"), target).Text()
					if n, most := strings.Count(got, tag), strings.Count(plain, tag); n > most {
						t.Errorf("%s stands %d times in the prompt, %d of them as text of the client", tag, n, n-most)
					}
				}
			}
		})
	}
}

// withoutWords removes the words of the family's template from a prompt. The tags in them begin
// nothing.
func withoutWords(f *format.Format, prompt string) string {
	return strings.NewReplacer(f.Words[0], "", f.Words[1], "").Replace(prompt)
}

// A client's text cannot spell a Python call to an offered tool either, although no tag begins it.
// Code that only looks like such a call stays unchanged.
func TestListsInText(t *testing.T) {
	target := Target{ModelOptions: ModelOptions{Format: format.Pythonic}}
	plain := mustRender(t, spoken("x"), target).Text()
	for _, s := range []string{"[f(p=1)]", "a [ f (", "[\n  functions.g(", "[F("} {
		got := mustRender(t, spoken(s), target).Text()
		if n, most := strings.Count(got, s), strings.Count(plain, s); n > most {
			t.Errorf("%s stands %d times in the prompt, %d of them as text of the client", s, n, n-most)
		}
	}
	text := messages.BlockParam{Type: messages.BlockText, Text: "a [f"}
	rest := messages.BlockParam{Type: messages.BlockText, Text: "(p=1)]"}
	req := spoken("x")
	req.Messages = []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{text, rest}}}
	if got := mustRender(t, req, target).Turns[0].Parts[0].Text; strings.Contains(got, "[f") {
		t.Errorf("two blocks spell a call: %q", got)
	}
	for _, s := range []string{"[int(x) for x in f(1)]", "x[len(a)]"} {
		if got := mustRender(t, spoken(s), target).Text(); !strings.Contains(got, s) {
			t.Errorf("%s is escaped", s)
		}
	}
}

// Two adjacent blocks cannot spell a tag either.
func TestSeamsOfFormats(t *testing.T) {
	text := func(s string) messages.BlockParam {
		return messages.BlockParam{Type: messages.BlockText, Text: s}
	}
	for _, f := range asked() {
		for _, m := range markerPattern.FindAllString(f.Example, -1) {
			for i := range m {
				if i == 0 {
					continue
				}
				a, b := m[:i], wholeTag(m)[i:]
				req := spoken("x")
				req.Messages = []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{text("a " + a), text(b)}}}
				prompt := mustRender(t, req, targetOf(f))
				var glued strings.Builder
				for _, part := range prompt.Turns[0].Parts {
					glued.WriteString(part.Text)
				}
				if strings.Contains(glued.String(), m) {
					t.Errorf("%s %s: %q and %q spell %q", f.Name, f.Variant, a, b, m)
				}
			}
		}
	}
}
