package upstream

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// question is what a human asked, and what of it can become a value.
type question struct {
	text    string
	phrases []string // in quotes, then capitalised, not used yet
	numbers []string // not used yet
}

// lastWords is how many words of a question make a value when nothing in it
// stands out.
const lastWords = 3

// attention is how much of a question is read, in bytes: the end of a longer one.
const attention = 16 << 10

func newQuestion(text string) question {
	if n := len(text) - attention; n > 0 {
		text = strings.ToValidUTF8(text[n:], "")
	}
	q := question{text: text}
	q.phrases = quoted(text)
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

// quoted returns the phrases in quotes or back-ticks.
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

// singleQuoted returns the phrases in single quotes. One that follows a word is
// an apostrophe, and so is one that a word follows, unless it opens a phrase.
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

// capitalised returns the runs of words with a capital letter that do not begin
// a sentence: "New York" of "Is it warm in New York?".
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

// phrase returns a string out of the question: one that stands out and is not
// used yet, else its last words.
func (q *question) phrase() string {
	if len(q.phrases) > 0 {
		p := q.phrases[0]
		q.phrases = slices.DeleteFunc(slices.Clone(q.phrases), func(s string) bool { return s == p })
		return p
	}
	fields := strings.Fields(strings.TrimFunc(q.text, unicode.IsPunct))
	return strings.Join(fields[max(0, len(fields)-lastWords):], " ")
}

// number returns a number out of the question, else the least one allowed, else 1.
func (q *question) number(s shownSchema) jsontext.Value {
	for i, n := range q.numbers {
		if _, err := strconv.Atoi(n); err == nil || !s.is("integer") {
			q.numbers = slices.Delete(slices.Clone(q.numbers), i, i+1)
			return jsontext.Value(n)
		}
	}
	if s.Minimum != nil {
		return s.Minimum
	}
	return jsontext.Value("1")
}

// shownSchema is what the simulated model understands of a JSON Schema.
type shownSchema struct {
	Type       jsontext.Value            `json:"type"` // a name or a list of names
	Enum       []jsontext.Value          `json:"enum"`
	Const      jsontext.Value            `json:"const"`
	Default    jsontext.Value            `json:"default"`
	Ref        string                    `json:"$ref"`
	AllOf      []jsontext.Value          `json:"allOf"`
	AnyOf      []jsontext.Value          `json:"anyOf"`
	OneOf      []jsontext.Value          `json:"oneOf"`
	Properties map[string]jsontext.Value `json:"properties"`
	Required   []string                  `json:"required"`
	Items      jsontext.Value            `json:"items"`
	MinItems   int                       `json:"minItems"`
	Minimum    jsontext.Value            `json:"minimum"`
}

// is tells whether the first type the schema names is this one.
func (s *shownSchema) is(name string) bool {
	first := strings.TrimLeft(string(s.Type), "[ ")
	return strings.HasPrefix(first, `"`+name+`"`)
}

// Bounds on a value, whatever its schema asks for.
const (
	maxValueDepth = 8
	maxValueItems = 16
)

// value returns a small value that fits the schema, with words and numbers of the
// question in it.
func (q *question) value(schema jsontext.Value, definitions string, depth int) jsontext.Value {
	var s shownSchema
	if json.Unmarshal(schema, &s, lenient) != nil || depth > maxValueDepth {
		return quote(q.phrase()) // true, or more than we understand
	}
	inner := func(schema jsontext.Value) jsontext.Value { return q.value(schema, definitions, depth+1) }
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return q.mentioned(s.Enum)
	case s.Default != nil:
		return s.Default
	case s.Ref != "":
		return inner(definition(definitions, s.Ref))
	case s.is("object") || s.Type == nil && s.Properties != nil:
		return s.object(inner)
	case s.is("array"):
		return s.array(inner)
	case s.is("integer") || s.is("number"):
		return q.number(s)
	case s.is("boolean"):
		return jsontext.Value("true")
	case s.is("null"):
		return jsontext.Value("null")
	case s.Type == nil:
		for _, among := range [][]jsontext.Value{s.AllOf, s.AnyOf, s.OneOf} {
			if len(among) > 0 {
				return inner(among[0])
			}
		}
	}
	return quote(q.phrase())
}

// object returns an object with the required properties.
func (s *shownSchema) object(value func(jsontext.Value) jsontext.Value) jsontext.Value {
	out := jsontext.Value("{")
	for i, name := range s.Required {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quote(name)...), ':')
		out = append(out, value(s.Properties[name])...)
	}
	return append(out, '}')
}

// array returns an array of as few items as are allowed, but one.
func (s *shownSchema) array(value func(jsontext.Value) jsontext.Value) jsontext.Value {
	out := jsontext.Value("[")
	for i := range min(max(1, s.MinItems), maxValueItems) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, value(s.Items)...)
	}
	return append(out, ']')
}

// definitions returns what a schema defines: schemas by what a $ref calls them.
func definitions(schema string) string {
	var s struct {
		Defs        map[string]jsontext.Value `json:"$defs"`
		Definitions map[string]jsontext.Value `json:"definitions"`
	}
	_ = json.Unmarshal([]byte(schema), &s, lenient) // one we do not understand defines nothing
	all := make(map[string]jsontext.Value)
	for name, definition := range s.Defs {
		all["#/$defs/"+name] = definition
	}
	for name, definition := range s.Definitions {
		all["#/definitions/"+name] = definition
	}
	out, _ := json.Marshal(all)
	return string(out)
}

// definition returns the schema that a $ref names, nil if the prompt does not
// show it.
func definition(definitions, ref string) jsontext.Value {
	var all map[string]jsontext.Value
	_ = json.Unmarshal([]byte(definitions), &all, lenient) // none is as good as unreadable
	return all[ref]
}

// mentioned returns the first of the values that stands in the question, else
// the first.
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

// keywords returns the words of a text that carry meaning, in small letters and
// without a plural s.
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

// startsWithWord tells whether s begins with word and word ends there.
func startsWithWord(s, word string) bool {
	return word != "" && strings.HasPrefix(s, word) && (len(s) == len(word) || !wordByte(s[len(word)]))
}

// wordByte tells whether c can be within a tool's name or a word.
func wordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
