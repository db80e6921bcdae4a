package answer

import (
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// jsonText follows the text of a value whose schema allows no strings. If it begins as an
// array or an object of JSON does, it is taken for JSON, or for a literal of Python, and jsonText knows
// where that ends. The zero value stands before the text.
type jsonText struct {
	begun  bool // a byte other than white space was read
	isJSON bool
	jsonDepth
}

// advance reads s.
func (j *jsonText) advance(s []byte) {
	if !j.begun {
		i := markup.SkipBlanks(s, 0, len(s))
		if i == len(s) {
			return
		}
		s = s[i:]
		j.begun, j.isJSON, j.single = true, s[0] == '{' || s[0] == '[', true
	}
	if j.isJSON {
		j.jsonDepth.advance(s)
	}
}

// hasEnded reports whether the text is JSON, and whole: nothing of it can follow.
func (j *jsonText) hasEnded() bool { return j.isJSON && j.isWhole() }

// isTyped reports whether s tells of a text whether it is whole: no strings fit, or only listed ones.
func isTyped(s *schema.Schema) bool { return !s.AcceptsString() || s.IsEnum() }
