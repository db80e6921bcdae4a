package simulated

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// question is the user's question, with the parts that can become values. Each part is used once, so two
// parameters get two different parts.
type question struct {
	text    string
	phrases []string // not used yet; phrases in quotes first, then capitalised words
	numbers []string // not used yet
}

// lastWords is how many words at the end of a question become a value if it has no phrases.
const lastWords = 3

// attention limits how much of a question is read, in bytes. The end of a longer question is used. The limit
// matters because values can be several times as long as the question.
const attention = 16 << 10

// newQuestion returns the question in a text.
func newQuestion(text string) question {
	if n := len(text) - attention; n > 0 {
		text = strings.ToValidUTF8(text[n:], "")
	}
	q := question{text: text}
	q.phrases = quoted(text)
	// Remove the phrases in quotes, so that their capital letters do not count again.
	rest := text
	for _, phrase := range q.phrases {
		rest = strings.Replace(rest, phrase, "", 1)
	}
	q.phrases = append(q.phrases, capitalised(rest)...)
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[]{}=", r) }) {
		word = strings.Trim(word, ".,;:!?()\"'°%$€£")
		if number := jsontext.Value(word); number.Kind() == '0' && number.IsValid() {
			q.numbers = append(q.numbers, word)
		}
	}
	return q
}

// quoted returns the phrases in quotation marks or back-ticks.
func quoted(text string) []string {
	var phrases []string
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"`", "`"}} {
		for rest := text; ; {
			phrase, ok := between(rest, marks[0], marks[1])
			if !ok {
				break
			}
			if phrase != "" {
				phrases = append(phrases, phrase)
			}
			_, rest, _ = strings.Cut(rest, marks[0])
			_, rest, _ = strings.Cut(rest, marks[1])
		}
	}
	return append(phrases, singleQuoted(text)...)
}

// singleQuoted returns the phrases in single quotes. A quote after a word is an apostrophe, except if a
// phrase is open. A quote before a word is an apostrophe too, except if it can open a phrase.
func singleQuoted(text string) []string {
	var phrases []string
	start := -1 // of the open phrase
	for i := range text {
		if text[i] != '\'' {
			continue
		}
		opens := i == 0 || !wordByte(text[i-1])
		closes := i+1 == len(text) || !wordByte(text[i+1])
		switch {
		case start < 0 && opens && !closes:
			start = i + 1
		case start >= 0 && closes:
			phrases = append(phrases, text[start:i])
			start = -1
		}
	}
	return phrases
}

// capitalised returns the runs of capitalised words that do not begin a sentence: "New York" in "Is it warm
// in New York?". The word "I" does not count.
func capitalised(text string) []string {
	var phrases, run []string
	begins := true
	end := func() {
		if len(run) > 0 {
			phrases = append(phrases, strings.Join(run, " "))
			run = nil
		}
	}
	for _, field := range strings.Fields(text) {
		word := strings.TrimFunc(field, unicode.IsPunct)
		word, _ = strings.CutSuffix(word, "'s")
		if upper := strings.IndexFunc(word, unicode.IsUpper) == 0; upper && !begins && word != "I" {
			run = append(run, word)
		} else {
			end()
		}
		begins = strings.HasSuffix(field, ".") || strings.HasSuffix(field, "!") || strings.HasSuffix(field, "?")
		if strings.TrimRightFunc(field, unicode.IsPunct) != field {
			end()
		}
	}
	end()
	return phrases
}

// phrase returns a value from the question: the next unused phrase, otherwise the last words.
func (q *question) phrase() string {
	if len(q.phrases) > 0 {
		p := q.phrases[0]
		q.phrases = slices.DeleteFunc(slices.Clone(q.phrases), func(s string) bool { return s == p })
		return p
	}
	fields := strings.Fields(strings.TrimFunc(q.text, unicode.IsPunct))
	return strings.Join(fields[max(0, len(fields)-lastWords):], " ")
}

// mentioned returns the first of the values that is a word of the question. If none is, it returns the first
// value.
func (q *question) mentioned(values []jsontext.Value) jsontext.Value {
	asked := strings.ToLower(q.text)
	for _, v := range values {
		word := strings.ToLower(strings.Trim(string(v), `"`))
		for at := strings.Index(asked, word); at >= 0 && word != ""; {
			if (at == 0 || !wordByte(asked[at-1])) && startsWithWord(asked[at:], word) {
				return v
			}
			next := strings.Index(asked[at+1:], word)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return values[0]
}
