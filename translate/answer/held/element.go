package held

import "dragoman/translate/markup"

// SkipElement returns the length of a value at the start of s that is no call, such as 7, null, "a", [] or {}. Models
// write them beside calls in a list. It returns 0 if the value may go on, and -1 if s begins with something else: a
// value with an object in it may be a call.
func SkipElement(s []byte) int {
	switch c := s[0]; {
	case c == '{':
		switch n := markup.SkipBlanks(s, 1, len(s)); {
		case n == len(s):
			return 0
		case s[n] == '}':
			return n + 1
		}
		return -1
	case c == '"' || c == '[':
		var depth Depth
		for i, c := range s {
			if c == '{' && !depth.InString {
				return -1
			}
			if depth.Step(c); depth.IsWhole() {
				return i + 1
			}
		}
		return 0
	}
	n := 0
	for n < len(s) && markup.IsNameByte(s[n]) {
		n++
	}
	switch n {
	case 0:
		return -1
	case len(s):
		return 0
	}
	return n
}
