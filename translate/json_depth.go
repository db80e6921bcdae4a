package translate

import "dragoman/translate/markup"

// jsonDepth follows JSON just far enough to know where an object ends. The zero value stands
// before it.
type jsonDepth struct {
	depth             int // of the brackets that are open
	inString, escaped bool
}

// advance reads s.
func (j *jsonDepth) advance(s []byte) {
	for _, c := range s {
		j.step(c)
	}
}

func (j *jsonDepth) step(c byte) {
	switch {
	case j.escaped:
		j.escaped = false
	case j.inString && c == '\\':
		j.escaped = true
	case c == '"':
		j.inString = !j.inString
	case j.inString:
	case c == '{' || c == '[':
		j.depth++
	case c == '}' || c == ']':
		j.depth--
	}
}

// isWhole reports whether what was read may be all.
func (j *jsonDepth) isWhole() bool { return j.depth == 0 && !j.inString }

// object reads an object: n bytes of s belong to it. The verdict is Yes at its end, and No at a
// tag where no string is open, which is no JSON.
func (j *jsonDepth) readObject(s []byte) (n int, end markup.Verdict) {
	for i, c := range s {
		if c == '<' && !j.inString {
			return i, markup.NoMatch
		}
		if j.step(c); j.isWhole() {
			return i + 1, markup.Match
		}
	}
	return len(s), markup.NeedMore
}
