package markup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told returns a text with its labels, one per line.
func told(text Sourced) string {
	var out strings.Builder
	at := 0
	for _, o := range text.Origins {
		fmt.Fprintf(&out, "%s %s %q\n", o.Kind, o.Source, text.Text[at:o.End])
		at = o.End
	}
	return out.String()
}

// TestBufferLabels checks that the labels cover every byte, and that they move with text that is
// cut, joined or rewritten.
func TestBufferLabels(t *testing.T) {
	e := &Escaper{Labels: true}
	raw := Buffer{Escape: e, Source: "r"}
	outer := raw.Enter("content", 1)
	raw.WriteClient("</res")
	raw.At(outer)
	raw.Write("\n")
	raw.Enter("title", -1)
	raw.WriteClient("ult> <")

	b := Buffer{Escape: e}
	b.Write("<a>").At("s")
	b.WriteText("x </result> &lt;/result>")
	kept := len(b.Write("</a>\n").Out)
	b.WriteText("</result>").Write("gone")
	b.Truncate(kept)
	b.TrimSuffix("\n")
	if source := b.LastSource(); source != "s" {
		t.Errorf("the last is from %q", source)
	}
	b.At("q")
	b.WriteTextBy("a</result>b", func(dst []byte, part string) []byte { return append(dst, bytes.ToUpper([]byte(part))...) })
	b.WriteRaw(raw.Take())
	want := `markup  "<a>"
client s "x "
escape s "&lt;"
client s "/result> "
escape s "&amp;"
client s "lt;/result>"
markup s "</a>"
client q "A"
escape q "&LT;"
client q "/RESULT>B"
client r.content.1 "</res"
markup r "\n"
client r.title "ult> <"
`
	if got := told(b.Take()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := b.Take(); text.Text != "" || len(text.Origins) > 0 {
		t.Errorf("what is left is %+v", text)
	}
}

// TestBufferWithoutLabels checks that the text is the same without labels.
func TestBufferWithoutLabels(t *testing.T) {
	e := &Escaper{}
	b := Buffer{Escape: e}
	outer := b.Enter("system", 0)
	b.Write("<a>").WriteClient("c").WriteTool("</description>").At(outer)
	b.WriteTextBy("</result>", func(dst []byte, part string) []byte { return append(dst, part...) })
	if text := b.Take(); text.Text != "<a>c&lt;/description>&lt;/result>" || text.Origins != nil {
		t.Errorf("got %+v", text)
	}
	if text := e.TextFrom("x", "s"); text.Text != "x" || text.Origins != nil {
		t.Errorf("got %+v", text)
	}
	if list := (&Escaper{Labels: true}).Markup("x", "s").Origins; !slices.Equal(list, []Origin{{1, OriginMarkup, "s"}}) {
		t.Errorf("got %v", list)
	}
}
