package held

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Depth follows JSON far enough to know where an object ends: it counts brackets, and knows what
// is in a string. The zero value stands before the object.
type Depth struct {
	Depth             int // how many brackets are open
	InString, escaped bool
	quote             byte // what began the string
	single            bool // strings of Python count, too: an apostrophe begins one where a value or a name may
	last              byte // the last byte but white space outside of strings
}

// Advance reads s.
func (j *Depth) Advance(s []byte) {
	for i := j.Skip(s, 0); i < len(s); i = j.Skip(s, i+1) {
		j.Step(s[i])
	}
}

// Skip returns the index, from i on, of the first byte of s that Step has to see: in a string, those
// are quotes and backslashes alone.
func (j *Depth) Skip(s []byte, i int) int {
	if !j.InString || j.escaped {
		return i
	}
	for i < len(s) && s[i] != j.quote && s[i] != '\\' {
		i++
	}
	return i
}

// Step reads one byte.
func (j *Depth) Step(c byte) {
	switch {
	case j.escaped:
		j.escaped = false
	case j.InString && c == '\\':
		j.escaped = true
	case j.InString:
		j.InString = c != j.quote
	case c == '"', c == '\'' && j.single && bytes.IndexByte([]byte("{[(,:"), j.last) >= 0:
		j.InString, j.quote = true, c
	case c == '{' || c == '[':
		j.Depth++
	case c == '}' || c == ']':
		j.Depth--
	}
	if !markup.IsBlank(c) {
		j.last = c
	}
}

// IsWhole reports whether no bracket and no string is open: the value may end here.
func (j *Depth) IsWhole() bool { return j.Depth == 0 && !j.InString }

// JSON follows the text of a value whose schema allows no strings. If it begins as an
// array or an object of JSON does, it is taken for JSON, or for a literal of Python, and JSON knows
// where that ends. The zero value stands before the text.
type JSON struct {
	Begun bool // a byte other than white space was read
	Is    bool // the text is JSON
	Depth
}

// Advance reads s.
func (j *JSON) Advance(s []byte) {
	if !j.Begun {
		i := markup.SkipBlanks(s, 0, len(s))
		if i == len(s) {
			return
		}
		s = s[i:]
		j.Begun, j.Is, j.single = true, s[0] == '{' || s[0] == '[', true
	}
	if j.Is {
		j.Depth.Advance(s)
	}
}

// HasEnded reports whether the text is JSON, and whole: nothing of it can follow, and nothing does.
func (j *JSON) HasEnded() bool { return j.Is && j.IsWhole() && (j.last == '}' || j.last == ']') }

// IsTyped reports whether s tells of a text whether it is whole: no strings fit, or only listed ones.
func IsTyped(s *schema.Schema) bool { return !s.AcceptsString() || s.IsEnum() }

// ReadObject reads s, which goes on with an object, and returns how many bytes of s belong to it. The
// verdict is Match at the end of the object, and NoMatch at a `<` outside a string, where a tag shows
// that this is no JSON or that its end is missing.
func (j *Depth) ReadObject(s []byte) (n int, end markup.Verdict) {
	for i := j.Skip(s, 0); i < len(s); i = j.Skip(s, i+1) {
		if s[i] == '<' && !j.InString {
			return i, markup.NoMatch
		}
		if j.Step(s[i]); j.IsWhole() {
			return i + 1, markup.Match
		}
	}
	return len(s), markup.NeedMore
}
