// Package terminal is for output on a terminal: colours, and foreign texts without control characters.
package terminal

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
)

// Is reports whether w is a terminal, so that a person may be reading.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Painter colours texts for a terminal. Without colours it returns them unchanged.
type Painter bool

func (p Painter) with(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p Painter) Bold(s string) string   { return p.with("1", s) }
func (p Painter) Green(s string) string  { return p.with("32", s) }
func (p Painter) Yellow(s string) string { return p.with("33", s) }
func (p Painter) Cyan(s string) string   { return p.with("36", s) }

// Printable returns a text that is safe on a terminal. It writes as a Go escape every character that a terminal would
// act upon or not show, or that changes the direction of text. It also escapes invalid UTF-8 and ends of lines.
func Printable(s string) string {
	if !strings.ContainsFunc(s, isHidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i]), 16))
		case isHidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isHidden reports whether a character is invisible. A space does not count.
func isHidden(r rune) bool { return !strconv.IsPrint(r) }

// PrintableLines is Printable for a text of several lines, which may have tabs.
func PrintableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j, cell := range cells {
			cells[j] = Printable(cell)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}
