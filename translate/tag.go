package translate

import (
	"bytes"
	"strings"
)

// Tags as models write them: not XML. A name may have any namespace before it;
// attributes are read for `name` alone.

// tag is one tag. Its slices are parts of the text it was read from.
type tag struct {
	name    []byte // without namespace
	full    []byte // with it
	attr    []byte // what stands after the name
	closing bool   // </name>
	empty   bool   // <name/>
	nameEnd int    // where the name ends
	n       int    // length
}

// maxTag bounds the length of a tag.
const maxTag = 2*maxParamTag + 64

// matchTag matches a tag at the start of s, which begins with `<`.
func matchTag(s []byte, eof bool) (t tag, v verdict) {
	i := 1
	if i < len(s) && s[i] == '/' {
		t.closing = true
		i++
	}
	start := i
	for i < len(s) && i < maxTag && isTagByte(s[i]) {
		i++
	}
	t.full, t.nameEnd = s[start:i], i
	t.name = t.full
	if colon := bytes.IndexByte(t.full, ':'); colon > 0 && colon <= maxNamespace &&
		bytes.LastIndexByte(t.full, ':') == colon && allNameBytes(t.full[:colon]) {
		t.name = t.full[colon+1:]
	}
	after := i
	var quoted byte
	for ; i < len(s) && i < maxTag; i++ {
		switch c := s[i]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'':
			quoted = c
		case c == '<', i == after && c != '>' && c != '/' && !isBlank(c):
			return t, matchNo
		case c == '>':
			if len(t.full) == 0 {
				return t, matchNo
			}
			t.attr = bytes.TrimSpace(s[after:i])
			if rest, ok := bytes.CutSuffix(t.attr, []byte("/")); ok {
				t.attr, t.empty = bytes.TrimSpace(rest), true
			}
			t.n = i + 1
			return t, matchYes
		}
	}
	if i >= maxTag || eof {
		return t, matchNo
	}
	return t, matchMore
}

func isTagByte(c byte) bool { return tagBytes[c] }

var tagBytes = func() (ok [256]bool) {
	for c := range ok {
		ok[c] = c > ' ' && strings.IndexByte(`<>/"'=&`, byte(c)) < 0
	}
	return ok
}()

// is tells whether the tag has the name, in any case.
func (t *tag) is(name string) bool {
	return len(t.name) == len(name) && equalFold(t.name, name)
}

// nameAttr returns the value of the attribute name.
func (t *tag) nameAttr() (string, bool) {
	for rest := t.attr; len(rest) > 0; {
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

// textTag is a tag that means something in text.
type textTag struct {
	tag
	kind textTagKind
	name string // as in textTags
}

type textTagKind uint8

const (
	tagIsWrapper  textTagKind = iota + 1 // of calls
	tagIsInvoke                          // of a call without wrapper
	tagIsResults                         // of results, which are not the model's to write
	tagIsThinking                        // of thinking aloud (reference/legacy-format.md §11)
)

var textTags = [...]struct {
	name string
	kind textTagKind
}{
	{"function_calls", tagIsWrapper},
	{"function_call", tagIsWrapper}, // other makers' (reference/legacy-format.md §12 row 1)
	{"tool_calls", tagIsWrapper},
	{"tool_call", tagIsWrapper},
	{"use_tool", tagIsWrapper},
	{"invoke", tagIsInvoke},
	{"function_results", tagIsResults},
	{"thinking", tagIsThinking},
	{"think", tagIsThinking},
	{"scratchpad", tagIsThinking},
	{"rationale", tagIsThinking},
	{"reasoning", tagIsThinking},
	{"reflection", tagIsThinking},
	{"search_quality_reflection", tagIsThinking},
}

// matchTextTag matches a tag that means something in text. Text that cannot
// become one is decided on at once.
func matchTextTag(s []byte, eof bool) (t textTag, v verdict) {
	if len(s) > 1 && s[1] != '/' && !isNameByte(s[1]) {
		return t, matchNo
	}
	t.tag, v = matchTag(s, eof)
	if v == matchNo {
		return t, v
	}
	ended := v == matchYes || t.nameEnd < len(s) // the name has
	for _, known := range textTags {
		if t.is(known.name) {
			t.kind, t.name = known.kind, known.name
			if t.closing && t.kind != tagIsThinking {
				return t, matchNo
			}
			if t.kind != tagIsInvoke && (len(t.attr) > 0 || t.empty) {
				return t, matchNo
			}
			return t, v
		}
		if !ended && isPrefixFoldOf(t.tag.name, known.name) {
			return t, matchMore
		}
	}
	if v == matchMore && !ended && len(t.full) <= maxNamespace && bytes.IndexByte(t.full, ':') < 0 && allNameBytes(t.full) {
		return t, matchMore // a namespace, it may be
	}
	return t, matchNo
}

func allNameBytes(s []byte) bool {
	for _, c := range s {
		if !isNameByte(c) {
			return false
		}
	}
	return true
}
