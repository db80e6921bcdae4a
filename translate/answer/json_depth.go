package answer

import (
	"bytes"

	"dragoman/translate/markup"
)

// jsonDepth follows JSON far enough to know where an object ends: it counts brackets, and knows what
// is in a string. The zero value stands before the object.
type jsonDepth struct {
	depth             int // how many brackets are open
	inString, escaped bool
	quote             byte // what began the string
	single            bool // strings of Python count, too: an apostrophe begins one where a value or a name may
	last              byte // the last byte but white space outside of strings
}

// advance reads s.
func (j *jsonDepth) advance(s []byte) {
	for i := j.skip(s, 0); i < len(s); i = j.skip(s, i+1) {
		j.step(s[i])
	}
}

// skip returns the index, from i on, of the first byte of s that step has to see: in a string, those
// are quotes and backslashes alone.
func (j *jsonDepth) skip(s []byte, i int) int {
	if !j.inString || j.escaped {
		return i
	}
	return indexEither(s, i, j.quote, '\\')
}

// indexEither returns the index, from i on, of the first byte of s that is a or b, or len(s).
func indexEither(s []byte, i int, a, b byte) int {
	for i < len(s) && s[i] != a && s[i] != b {
		i++
	}
	return i
}

// step reads one byte.
func (j *jsonDepth) step(c byte) {
	switch {
	case j.escaped:
		j.escaped = false
	case j.inString && c == '\\':
		j.escaped = true
	case j.inString:
		j.inString = c != j.quote
	case c == '"', c == '\'' && j.single && bytes.IndexByte([]byte("{[(,:"), j.last) >= 0:
		j.inString, j.quote = true, c
	case c == '{' || c == '[':
		j.depth++
	case c == '}' || c == ']':
		j.depth--
	}
	if !markup.IsBlank(c) {
		j.last = c
	}
}

// isWhole reports whether no bracket and no string is open: the value may end here.
func (j *jsonDepth) isWhole() bool { return j.depth == 0 && !j.inString }

// readObject reads s, which goes on with an object, and returns how many bytes of s belong to it. The
// verdict is Match at the end of the object, and NoMatch at a `<` outside a string, where a tag shows
// that this is no JSON or that its end is missing.
func (j *jsonDepth) readObject(s []byte) (n int, end markup.Verdict) {
	for i := j.skip(s, 0); i < len(s); i = j.skip(s, i+1) {
		if s[i] == '<' && !j.inString {
			return i, markup.NoMatch
		}
		if j.step(s[i]); j.isWhole() {
			return i + 1, markup.Match
		}
	}
	return len(s), markup.NeedMore
}
