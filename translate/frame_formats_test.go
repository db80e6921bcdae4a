package translate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// markerPattern matches what begins a tag of a format: its name, or its bars and all between them.
var markerPattern = regexp.MustCompile(`</?(?:[|｜‖][^<>"]*|[a-z_:]+)`)

// In no format can a client's text spell a tag of the prompt, wherever it stands.
func TestFramesOfFormats(t *testing.T) {
	for _, f := range append(formats[:], variants()...) {
		t.Run(f.name+f.variant, func(t *testing.T) {
			target := Target{Format: f.name}
			if f.variant != "" {
				target.Model = f.models[0]
			}
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

// Nor can two blocks that stand side by side.
func TestSeamsOfFormats(t *testing.T) {
	text := func(s string) messages.BlockParam {
		return messages.BlockParam{Type: messages.BlockText, Text: rawjson.Plain(s)}
	}
	for _, f := range formats {
		for _, m := range markerPattern.FindAllString(f.example, -1) {
			for i := range m {
				if i == 0 {
					continue
				}
				a, b := m[:i], m[i:]+">"
				req := spoken("x")
				req.Messages = []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{text("a " + a), text(b)}}}
				prompt := mustRender(t, req, Target{Format: f.name})
				var glued strings.Builder
				for _, part := range prompt.Turns[0].Parts {
					glued.WriteString(part.Text.String())
				}
				if strings.Contains(glued.String(), m) {
					t.Errorf("%s: %q and %q spell %q", f.name, a, b, m)
				}
			}
		}
	}
}
