package langid

import (
	"iter"
	"strings"
	"unicode"
)

// words returns the words of a text: what stands between blanks, without the punctuation
// around it, cut at apostrophes and hyphens. What is between back-ticks is no word, what has
// anything but letters in it is none, and neither is what looks like JSON or markup.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for prose := range outsideCode(text) {
			for token := range strings.FieldsSeq(prose) {
				word := strings.TrimFunc(token, isAround)
				if strings.ContainsFunc(word, isForeign) || strings.ContainsAny(token, `{}[]<>=\`) || strings.HasSuffix(token, `":`) {
					continue
				}
				for part := range strings.FieldsFuncSeq(word, isJoiner) {
					if !yield(part) {
						return
					}
				}
			}
		}
	}
}

// outsideCode returns the parts of a text that are not between back-ticks. A run of
// back-ticks that no other closes is text.
func outsideCode(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			prose, rest, found := strings.Cut(text, "`")
			if !found {
				yield(text)
				return
			}
			ticks := 1 + len(rest) - len(strings.TrimLeft(rest, "`"))
			_, after, closed := strings.Cut(rest[ticks-1:], strings.Repeat("`", ticks))
			if !closed {
				after = rest
			}
			if !yield(prose) {
				return
			}
			text = after
		}
	}
}

// isLetter reports whether r is part of a word. The marks that open a question in Spanish
// count, since no other language has them.
func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || r == '¿' || r == '¡'
}

// isAround reports whether r may stand around a word.
func isAround(r rune) bool { return !isLetter(r) && !unicode.IsNumber(r) }

// isJoiner reports whether r joins two words in one, as in "qu'est-ce".
func isJoiner(r rune) bool { return r == '\'' || r == '’' || r == '-' || r == '‑' }

// isForeign reports whether a word with r in it is none.
func isForeign(r rune) bool { return !isLetter(r) && !isJoiner(r) }
