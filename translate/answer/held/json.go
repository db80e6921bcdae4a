package held

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Depth follows JSON far enough to find the end of an object: it counts brackets and skips strings. The zero value
// is before the object.
type Depth struct {
	Depth             int // number of open brackets
	InString, escaped bool
	quote             byte // the quote that opened the string
	Single            bool // Python strings count, too: an apostrophe opens a string where a value or a name may begin
	last              byte // the last byte outside strings that is not white space
}

// DepthOf returns the Depth before an object at the start of s. A name in single quotes shows that it is a dict of Python.
func DepthOf(s []byte) Depth {
	i := markup.SkipBlanks(s, 1, len(s))
	return Depth{Single: i < len(s) && s[i] == '\''}
}

// Advance reads s.
func (j *Depth) Advance(s []byte) {
	for i := j.Skip(s, 0); i < len(s); i = j.Skip(s, i+1) {
		j.Step(s[i])
	}
}

// Skip returns the index of the first byte of s, from i on, that Step has to see. In a string, Step has to see only
// quotes and backslashes.
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
	case c == '"', c == '\'' && j.Single && bytes.IndexByte([]byte("{[(,:"), j.last) >= 0:
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

// IsWhole reports whether no bracket and no string is open, so that the value may end here.
func (j *Depth) IsWhole() bool { return j.Depth == 0 && !j.InString }

// JSON follows the text of a value if its schema allows no strings. If the text begins like a JSON array or object,
// JSON reads it as JSON or as a Python literal, and finds its end. The zero value is before the text.
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
		j.Begun, j.Is, j.Single = true, s[0] == '{' || s[0] == '[', true
	}
	if j.Is {
		j.Depth.Advance(s)
	}
}

// HasEnded reports whether the text is JSON, is whole, and has nothing after it.
func (j *JSON) HasEnded() bool { return j.Is && j.IsWhole() && (j.last == '}' || j.last == ']') }

// IsTyped reports whether the schema tells when a text is whole: it accepts no strings, or only listed strings.
func IsTyped(s *schema.Schema) bool { return !s.AcceptsString() || s.IsEnum() }

// ReadObject reads s, the next part of an object, and returns how many bytes of s belong to the object. The verdict
// is Match at the end of the object. It is NoMatch at a `<` outside a string: a tag there shows that the text is
// not JSON, or that its end is missing.
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
