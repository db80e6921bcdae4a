package langid

import (
	"iter"
	"strings"
	"unicode"
)

// words yields the words of a text: split at blanks, apostrophes and hyphens, without the
// punctuation around them. It skips text in back-ticks, words with characters other than letters,
// and text that looks like JSON or markup.
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

// outsideCode yields the parts of a text outside of back-ticks. Back-ticks without closing
// back-ticks are text.
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

// isLetter reports whether r is part of a word. The inverted marks of Spanish questions count,
// because no other language has them.
func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || r == '¿' || r == '¡'
}

// isAround reports whether r may come before or after a word.
func isAround(r rune) bool { return !isLetter(r) && !unicode.IsNumber(r) }

// isJoiner reports whether r joins two words, as in "qu'est-ce".
func isJoiner(r rune) bool { return r == '\'' || r == '’' || r == '-' || r == '‑' }

// isForeign reports whether a word cannot have r.
func isForeign(r rune) bool { return !isLetter(r) && !isJoiner(r) }
