package markup

import (
	"bytes"
	"iter"
	"strings"
)

// This file reads tags as models write them: not XML. A tag may have any namespace before its
// name, and of its attributes only `name` is read.

// Tag is one tag as it was read. Its slices are parts of the text that it was read from.
type Tag struct {
	Name       []byte // without the namespace
	Full       []byte // with the namespace
	Attributes []byte // the text after the name, without white space around it
	Closing    bool   // it begins with </
	Empty      bool   // it ends with />
	Unopened   bool   // it is a label without the tag that should stand behind that
	Spelling   *Spelling
	label      []byte // the name of the tool or parameter, where that is no attribute
	nameEnd    int    // index after the name in the text
	Len        int    // length of the whole tag in bytes; 0 if it did not match
}

// MaxTagLen is the longest tag that is read, in bytes: it bounds how much text is looked at
// before a `<` is known to be text.
const MaxTagLen = 2*MaxParamTagLen + 64

// MatchTag reads the tag that s begins with. The first byte of s is `<`; eof says that no more
// text follows. The verdict is NoMatch for a `<` that begins no tag, as in `a < b`.
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
		case c == '<', i == after && c != '>' && c != '/' && !IsBlank(c):
			return t, NoMatch
		case c == '"' || c == '\'':
			quoted = c
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

// IsTagByte reports whether c may stand in the name of a tag. That is more than IsNameByte
// allows: models write names of properties with all kinds of signs.
func IsTagByte(c byte) bool { return tagBytes[c] }

// tagBytes are the bytes that may stand in the name of a tag: all but white space, control
// characters and those that end the name.
var tagBytes = func() (ok [256]bool) {
	for c := range ok {
		ok[c] = c > ' ' && strings.IndexByte(`<>/"'=&`, byte(c)) < 0
	}
	return ok
}()

// Is reports whether the tag has the name, in any case of ASCII letters and in any namespace.
func (t *Tag) Is(name string) bool {
	return len(t.Name) == len(name) && equalFold(t.Name, name)
}

// Namespace returns what stands before the name, with its colon; "" for none.
func (t *Tag) Namespace() string {
	if t.Spelling != nil {
		return ""
	}
	return string(t.Full[:len(t.Full)-len(t.Name)])
}

// NameAttribute returns the label of the tag, as its [Spelling] has it: the value of the attribute
// `name`, with or without quotes, or what stands in its place. It reports false if there is none or if
// it is empty.
func (t *Tag) NameAttribute() (string, bool) {
	if t.label != nil {
		return string(t.label), len(t.label) > 0
	}
	return t.Attribute("name")
}

// HasValues reports whether the tag has attributes that nobody reads, which may be values of parameters: others
// than a name, an id, and the type of a value.
func (t *Tag) HasValues() bool {
	for range t.Values() {
		return true
	}
	return false
}

// Values returns these attributes, and their values.
func (t *Tag) Values() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for name, value := range t.attributes() {
			switch {
			case name == "name", name == "id", len(value) == 0, string(value) == string(t.label):
			case t.Spelling != nil && name == t.Spelling.Typed && isTypeName(string(value)):
			default:
				if !yield(name, string(value)) {
					return
				}
			}
		}
	}
}

// isTypeName reports whether the value of the attribute [Spelling.Typed] is one that has a meaning.
func isTypeName(value string) bool {
	switch value {
	case "true", "false", "string", "number", "integer", "boolean", "null", "object", "array":
		return true
	}
	return false
}

// Attribute returns the value of an attribute, with or without quotes. It reports false if there is none
// or if it is empty.
func (t *Tag) Attribute(name string) (string, bool) {
	for other, value := range t.attributes() {
		if other == name {
			return string(value), len(value) > 0
		}
	}
	return "", false
}

// attributes returns the names and the values of the attributes, up to what cannot be read as one.
func (t *Tag) attributes() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for rest := t.Attributes; len(rest) > 0; {
			i := bytes.IndexByte(rest, '=')
			if i < 0 {
				return
			}
			words := bytes.Fields(rest[:i])
			rest = bytes.TrimLeft(rest[i+1:], " \t\r\n")
			var value []byte
			if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
				end := bytes.IndexByte(rest[1:], rest[0])
				if end < 0 {
					return
				}
				value, rest = rest[1:1+end], rest[end+2:]
			} else {
				end := bytes.IndexAny(rest, " \t\r\n")
				if end < 0 {
					end = len(rest)
				}
				value, rest = rest[:end], rest[end:]
			}
			if len(words) > 0 && !yield(string(words[len(words)-1]), value) {
				return
			}
		}
	}
}
