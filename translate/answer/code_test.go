package answer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCodeIsOpen(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"```\nx", true},
		{"```\nx\n```", true},
		{"```\nx\n```\n", false},
		{"````\n```\n", true},
		{"a ```", true},
		{"```x``` y", false},
		{"~~~\nx", true},
		{"~~~xml\nx\n~~~\n", false},
		{"~~~ a ~~~ b\nx", true},
		{"~~~~\n~~~\n", true},
		{"~~~\n```\n", true},
		{"```\n~~~\n", true},
		{"~~~\n~~~ x\n", true},
		{"~~~\n~~~`\n", true},
		{"~~\nx", false},
		{"~~struck~~ out", false},
		{"a ~~~\nx", false},
		{"~ `x", true},
		{"~~~`\nx", true},
		{"\n\n    indented", false},
		{"<pre>\nx", true},
		{"a\n<pre><code class=\"go\">\n```\nx", true},
		{"<pre>\nx\n</pre>\ny", false},
		{"see <pre>\nx", false},
		{"<pre>x</pre>\ny", false},
	} {
		for n := 1; n <= len(tt.text); n++ {
			var c code
			for rest := tt.text; rest != ""; rest = rest[min(n, len(rest)):] {
				c.advance([]byte(rest[:min(n, len(rest))]))
			}
			if c.isOpen() != tt.want {
				t.Errorf("%q in pieces of %d: %+v", tt.text, n, c)
			}
		}
	}
}

// TestCodeInPieces checks that text in pieces gives the same result as the whole text.
func TestCodeInPieces(t *testing.T) {
	words := []string{"`", "```", "~", "~~~", "~~~~", "\n", " ", "x", "xml", "\n\n", "<pre>", "</pre>"}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		var text strings.Builder
		for range r.IntN(12) {
			text.WriteString(words[r.IntN(len(words))])
		}
		var whole, pieces code
		whole.advance([]byte(text.String()))
		for _, b := range []byte(text.String()) {
			pieces.advance([]byte{b})
		}
		if whole.isOpen() != pieces.isOpen() || fmt.Sprint(whole) != fmt.Sprint(pieces) {
			t.Fatalf("%q: %+v, in pieces %+v", text.String(), whole, pieces)
		}
	}
}
