package upstream

import (
	"fmt"
	"testing"

	"dragoman/translate"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// For a model without a system prompt, the text goes before the first turn. The two texts never form a tag
// together.
func TestFoldedSystemSpellsNoTag(t *testing.T) {
	for _, system := range []string{"Be brief.", "a <", "a </", "a <\n", "a < / "} {
		req, err := messages.Decode(fmt.Appendf(nil, `{"model":"m","max_tokens":9,"system":%q,"messages":[{"role":"user","content":"result>"}]}`, system), messages.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := translate.Render(req, translate.Target{})
		if err != nil {
			t.Fatal(err)
		}
		text := foldSystem(p)[0].Parts[0].Text
		var escape markup.Escaper
		if escaped := escape.Text(text); escaped != text {
			t.Errorf("%q: %q", system, text)
		}
	}
}
