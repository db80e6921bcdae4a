package terminal

import "testing"

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":                       "",
		"Grüße, 東京 🙂":            "Grüße, 東京 🙂",
		"it's \"quoted\" \\n":    `it's "quoted" \n`,
		"a\x1b[31mb":             `a\x1b[31mb`,
		"a\xffb":                 `a\xffb`,
		"\ufffd":                 "\ufffd",
		"one\ntwo\tthree":        `one\ntwo\tthree`,
		"\u2066left\u2069":       `\u2066left\u2069`,
		"soft\u00adhyphen":       `soft\u00adhyphen`,
		"\U000e0041 tag":         `\U000e0041 tag`,
		"no-break\u00a0space":    `no-break\u00a0space`,
		"separator\u2028of line": `separator\u2028of line`,
	} {
		if got := Printable(s); got != want {
			t.Errorf("Printable(%q) = %q, want %q", s, got, want)
		}
	}
	if got, want := PrintableLines("a\tb\x1b\nc"), "a\tb\\x1b\nc"; got != want {
		t.Errorf("printableLines = %q, want %q", got, want)
	}
}
