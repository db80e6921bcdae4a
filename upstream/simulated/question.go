package simulated

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// question is what a human asked, and the parts of it that can become values. Each part
// is used once, so that two parameters get two of them.
type question struct {
	text    string
	phrases []string // not used yet: those in quotes first, then the capitalised
	numbers []string // not used yet
}

// lastWords is how many words of a question make a value when nothing in it stands out.
const lastWords = 3

// attention is how much of a question is read, in bytes: the end of a longer one. What
// is made of a question is a multiple of its length.
const attention = 16 << 10

// newQuestion returns the question that a text asks.
func newQuestion(text string) question {
	if n := len(text) - attention; n > 0 {
		text = strings.ToValidUTF8(text[n:], "")
	}
	q := question{text: text}
	q.phrases = quoted(text)
	// A phrase in quotes is not found a second time by its capital letters.
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

// singleQuoted returns the phrases in single quotes. A quote after a word is an
// apostrophe unless a phrase is open; so is one before a word, unless it can open a
// phrase.
func singleQuoted(text string) []string {
	var phrases []string
	start := -1 // of the phrase that is open
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

// capitalised returns the runs of words with a capital letter that do not begin a
// sentence: "New York" of "Is it warm in New York?". The word "I" is none.
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

// phrase returns words of the question for a value: a phrase that is not used yet, else
// its last words.
func (q *question) phrase() string {
	if len(q.phrases) > 0 {
		p := q.phrases[0]
		q.phrases = slices.DeleteFunc(slices.Clone(q.phrases), func(s string) bool { return s == p })
		return p
	}
	fields := strings.Fields(strings.TrimFunc(q.text, unicode.IsPunct))
	return strings.Join(fields[max(0, len(fields)-lastWords):], " ")
}

// mentioned returns the first of the values that stands in the question as a word, else
// the first value.
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
