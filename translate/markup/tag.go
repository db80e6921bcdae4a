package markup

import (
	"bytes"
	"strings"
)

// Tags as models write them: not XML. A name may have any namespace before it;
// attributes are read for `name` alone.

// tag is one tag. Its slices are parts of the text it was read from.
type Tag struct {
	Name       []byte // without namespace
	Full       []byte // with it
	Attributes []byte // what stands after the name
	Closing    bool   // </name>
	Empty      bool   // <name/>
	nameEnd    int    // where the name ends
	Len        int    // length
}

// maxTag bounds the length of a tag.
const MaxTagLen = 2*MaxParamTagLen + 64

// matchTag matches a tag at the start of s, which begins with `<`.
func MatchTag(s []byte, eof bool) (t Tag, v Verdict) {
	i := 1
	if i < len(s) && s[i] == '/' {
		t.Closing = true
		i++
	}
	start := i
	for i < len(s) && i < MaxTagLen && IsTagByte(s[i]) {
		i++
	}
	t.Full, t.nameEnd = s[start:i], i
	t.Name = t.Full
	if colon := bytes.IndexByte(t.Full, ':'); colon > 0 && colon <= maxNamespace &&
		bytes.LastIndexByte(t.Full, ':') == colon && allNameBytes(t.Full[:colon]) {
		t.Name = t.Full[colon+1:]
	}
	after := i
	var quoted byte
	for ; i < len(s) && i < MaxTagLen; i++ {
		switch c := s[i]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'':
			quoted = c
		case c == '<', i == after && c != '>' && c != '/' && !IsBlank(c):
			return t, NoMatch
		case c == '>':
			if len(t.Full) == 0 {
				return t, NoMatch
			}
			t.Attributes = bytes.TrimSpace(s[after:i])
			if rest, ok := bytes.CutSuffix(t.Attributes, []byte("/")); ok {
				t.Attributes, t.Empty = bytes.TrimSpace(rest), true
			}
			t.Len = i + 1
			return t, Match
		}
	}
	if i >= MaxTagLen || eof {
		return t, NoMatch
	}
	return t, NeedMore
}

func IsTagByte(c byte) bool { return tagBytes[c] }

var tagBytes = func() (ok [256]bool) {
	for c := range ok {
		ok[c] = c > ' ' && strings.IndexByte(`<>/"'=&`, byte(c)) < 0
	}
	return ok
}()

// is tells whether the tag has the name, in any case.
func (t *Tag) Is(name string) bool {
	return len(t.Name) == len(name) && equalFold(t.Name, name)
}

// nameAttr returns the value of the attribute name.
func (t *Tag) NameAttribute() (string, bool) {
	for rest := t.Attributes; len(rest) > 0; {
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return "", false
		}
		words := bytes.Fields(rest[:i])
		rest = bytes.TrimLeft(rest[i+1:], " \t\r\n")
		var value []byte
		if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
			end := bytes.IndexByte(rest[1:], rest[0])
			if end < 0 {
				return "", false
			}
			value, rest = rest[1:1+end], rest[end+2:]
		} else {
			end := bytes.IndexAny(rest, " \t\r\n")
			if end < 0 {
				end = len(rest)
			}
			value, rest = rest[:end], rest[end:]
		}
		if len(words) > 0 && string(words[len(words)-1]) == "name" {
			return string(value), len(value) > 0
		}
	}
	return "", false
}
