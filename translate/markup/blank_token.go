package markup

import (
	"bytes"
	"strings"
)

// This file reads text from servers that show tokens as the vocabulary stores them: Ġ for a space,
// and Ċ for a newline, as in <functionĠname="book">.

// HoldsBlankToken reports whether s, the name of a tag, contains such a token.
func HoldsBlankToken(s []byte) bool { return bytes.Contains(s, []byte("Ġ")) }

// SkipBlankTokens does what [SkipBlanks] does, for such text.
func SkipBlankTokens(s []byte, i, limit int) int {
	for end := min(len(s), i+limit); i < end; {
		switch {
		case IsBlank(s[i]):
			i++
		case HasPrefix(s[i:], "Ġ"), HasPrefix(s[i:], "Ċ"):
			i += len("Ġ")
		default:
			return i
		}
	}
	return i
}

// BlanksForTokens returns s with blanks in place of such tokens. If s already has blanks, it
// returns s.
func BlanksForTokens(s string) string {
	if strings.ContainsAny(s, " \n") {
		return s
	}
	return strings.NewReplacer("Ġ", " ", "Ċ", "\n").Replace(s)
}
