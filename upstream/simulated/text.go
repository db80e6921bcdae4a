package simulated

import (
	"iter"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// between returns the text between the first start and the first end after it, without
// the white space around it. It is false if one of the two is missing.
func between(s, start, end string) (string, bool) {
	_, s, ok := strings.Cut(s, start)
	if !ok {
		return "", false
	}
	s, _, ok = strings.Cut(s, end)
	return strings.TrimSpace(s), ok
}

// cutLast returns what stands before and after the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if at := strings.LastIndex(s, sep); at >= 0 {
		return s[:at], s[at+len(sep):], true
	}
	return s, "", false
}

// afterLast returns what follows the last sep, all of s if there is none.
func afterLast(s, sep string) string {
	if _, after, found := cutLast(s, sep); found {
		return after
	}
	return s
}

// blank reports whether c is white space of JSON and XML.
func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// eachElement ranges over the contents of the elements of this name. They cannot be
// nested.
func eachElement(s, name string) iter.Seq[string] {
	return eachBetween(s, "<"+name+">", "</"+name+">")
}

// eachBetween ranges over what stands between each start and the next end.
func eachBetween(s, start, end string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, found := strings.Cut(s, start)
			if !found {
				return
			}
			var text string
			if text, s, found = strings.Cut(rest, end); !yield(text) || !found {
				return
			}
		}
	}
}

// quoteJSON returns s as a JSON string. Bytes that are not UTF-8 are replaced.
func quoteJSON(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // what cannot be encoded is replaced
	return b
}

// keywords returns the words of a text that carry meaning, in lower case and without the
// s of a plural.
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

// idle are words that say nothing about what a tool is for.
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

// startsWithWord reports whether s begins with word and word ends there.
func startsWithWord(s, word string) bool {
	return word != "" && strings.HasPrefix(s, word) && (len(s) == len(word) || !wordByte(s[len(word)]))
}

// wordByte reports whether c can stand within a word or the name of a tool.
func wordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// words returns the text of a turn: its text parts, with a line break between them.
func words(t translate.Turn) string {
	var texts strings.Builder
	sep := ""
	for _, part := range t.Parts {
		if part.Type == translate.PartText {
			texts.WriteString(sep)
			texts.WriteString(part.Text.String())
			sep = "\n"
		}
	}
	return texts.String()
}
