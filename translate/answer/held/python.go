package held

import (
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// MatchPython matches the beginning of a Python call, maybe the first of a list, up to the parenthesis before its
// arguments. more is the verdict if the text may go on.
func MatchPython(head []byte, more markup.Verdict) (name string, v markup.Verdict) {
	from, to, v := pythonName(head, more)
	if v != markup.Match {
		return "", v
	}
	return string(head[from:to]), v
}

// MayBeginPython reports whether head may begin such a call.
func MayBeginPython(head []byte) bool {
	_, _, v := pythonName(head, markup.NeedMore)
	return v != markup.NoMatch
}

// pythonName is MatchPython, but returns where the name begins and ends.
func pythonName(head []byte, more markup.Verdict) (from, to int, v markup.Verdict) {
	if len(head) > 0 && head[0] == '[' {
		from = 1
	}
	from = markup.SkipBlanks(head, from, len(head))
	to = from
	for to < len(head) && rawjson.IsPythonCallByte(head[to]) {
		to++
	}
	n := markup.SkipBlanks(head, to, len(head))
	if n == len(head) {
		return from, to, more
	}
	return from, to, markup.VerdictOf(head[n] == '(' && to > from)
}
