package markup

import (
	"bytes"
	"strings"
)

// This file reads text of a server that shows tokens as its vocabulary keeps them: Ġ for a space, and Ċ for
// a newline, as in <functionĠname="book">.

// HoldsBlankToken reports whether s, the name of a tag, holds such a token.
func HoldsBlankToken(s []byte) bool { return bytes.Contains(s, []byte("Ġ")) }

// SkipBlankTokens is [SkipBlanks] for such text.
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

// BlanksForTokens returns s with blanks in the place of such tokens. In a text that has blanks, they are none.
func BlanksForTokens(s string) string {
	if strings.ContainsAny(s, " \n") {
		return s
	}
	return strings.NewReplacer("Ġ", " ", "Ċ", "\n").Replace(s)
}
