package simulated

import (
	"strings"
	"unicode"
)

// between returns the text between the first start and the first end after it, without white space around it.
// It returns false if start or end is missing.
func between(s, start, end string) (string, bool) {
	_, s, ok := strings.Cut(s, start)
	if !ok {
		return "", false
	}
	s, _, ok = strings.Cut(s, end)
	return strings.TrimSpace(s), ok
}

// keywords returns the meaningful words of a text, in lower case and without a plural s.
func keywords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	kept := words[:0]
	for _, w := range words {
		if len(w) >= 3 && !idle[w] {
			kept = append(kept, strings.TrimSuffix(w, "s"))
		}
	}
	return kept
}

// idle are words that tell nothing about a tool.
var idle = func() map[string]bool {
	words := make(map[string]bool)
	for _, w := range strings.Fields(`
		about all also and any are ask but call can could current data does for from get give given has have her
		him his how into its just let list make may more need new not now one our out please provide provided return
		returns set show some string take tell text than that the their them then there these they this tool tools
		use used user uses using value want was were what when where which who will with would you your`) {
		words[w] = true
	}
	return words
}()

// startsWithWord reports whether s begins with the whole word.
func startsWithWord(s, word string) bool {
	return word != "" && strings.HasPrefix(s, word) && (len(s) == len(word) || !wordByte(s[len(word)]))
}

// wordByte reports whether c can be part of a word or of a tool's name.
func wordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
