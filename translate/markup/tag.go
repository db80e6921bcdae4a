package markup

import (
	"bytes"
	"iter"
	"strings"

	"dragoman/translate/messages"
)

// This file reads tags as models write them, which is not XML. A tag may have any namespace, and
// only its attribute `name` is read.

// Tag is one tag as the matcher read it. Its slices point into the text.
type Tag struct {
	Name       []byte // without the namespace
	Full       []byte // with the namespace
	Attributes []byte // the text after the name, without white space around it
	Closing    bool   // it begins with </
	Empty      bool   // it ends with />
	Escaped    bool   // the slash of a closing tag is escaped: <\/x>
	Spelling   *Spelling
	Slip       messages.Reason // how the tag is misspelled; ReasonNone if it is spelled correctly
	label      []byte          // the name of the tool or parameter, if it is not an attribute
	nameEnd    int             // index in the text after the name
	Len        int             // length of the whole tag in bytes; 0 if there is no match
}

// MaxTagLen is the length in bytes of the longest tag that is read. It limits how much text is
// needed to know that a `<` is text.
const MaxTagLen = 2*MaxParamTagLen + 64

// MatchTag reads the tag at the start of s. The first byte of s is `<`. eof: no more text follows.
// If the `<` begins no tag, as in `a < b`, the verdict is NoMatch.
func MatchTag(s []byte, eof bool) (t Tag, v Verdict) {
	i := afterSlash(s)
	if i > len(s) && !eof {
		return t, NeedMore
	}
	if t.Closing, t.Escaped = i == 2 || i == 3, i == 3; t.Escaped {
		t.Slip = messages.ReasonTagSpelling
	}
	i = min(i, len(s))
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
	opened, ended := 0, 0 // the quotation mark before the name, and the last > behind it
	for ; i < len(s) && i < MaxTagLen; i++ {
		switch c := s[i]; {
		case quoted != 0:
			switch {
			case c == quoted:
				quoted = 0
			case c == '>':
				ended = i
			case (c == '<' || c == '\n') && ended > opened: // <invoke name="find> lacks its second quotation mark
				t.Attributes, t.Len, t.Slip = bytes.TrimSpace(s[after:ended]), ended+1, messages.ReasonTagSpelling
				return t, Match
			}
		case c == '<' && t.Closing && after > start && isBlankLine(s[after:i]): // </x> has lost its `>`
			t.Len, t.Slip = after, messages.ReasonTagBracket
			return t, Match
		case c == '<', i == after && c != '>' && c != '/' && !IsBlank(c):
			return t, NoMatch
		case c == '"' || c == '\'':
			quoted, opened = c, i
			if !bytes.HasSuffix(s[after:i], []byte("name=")) {
				opened = len(s)
			}
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

// isBlankLine reports whether s is white space with a newline.
func isBlankLine(s []byte) bool {
	return bytes.IndexByte(s, '\n') >= 0 && len(bytes.TrimSpace(s)) == 0
}

// afterSlash returns the index after the `<` of a tag, and after the slash of a closing tag. Models also escape that slash, as
// in JSON: <\/invoke>. If s ends inside the escape, the index is after the end of s.
func afterSlash(s []byte) int {
	switch {
	case len(s) > 1 && s[1] == '/':
		return 2
	case len(s) < 2 || s[1] != '\\':
		return 1
	case len(s) == 2:
		return 4
	case s[2] == '/':
		return 3
	}
	return 1
}

// IsTagByte reports whether the name of a tag may have c. It allows more than IsNameByte, because
// models write property names with all kinds of signs.
func IsTagByte(c byte) bool { return tagBytes[c] }

// tagBytes are the bytes that the name of a tag may have: all except white space, control
// characters and bytes that end the name.
var tagBytes = func() (ok [256]bool) {
	for c := range ok {
		ok[c] = c > ' ' && strings.IndexByte(`<>/"'=&`, byte(c)) < 0
	}
	return ok
}()

// Is reports whether the tag has this name, in any ASCII case and any namespace.
func (t *Tag) Is(name string) bool {
	return len(t.Name) == len(name) && equalFold(t.Name, name)
}

// Namespace returns the namespace with its colon; "" if there is none.
func (t *Tag) Namespace() string {
	if t.Spelling != nil {
		return ""
	}
	return string(t.Full[:len(t.Full)-len(t.Name)])
}

// NameAttribute returns the label of the tag, as its [Spelling] defines it: the value of the
// attribute `name`, quoted or not, or the text that replaces it. It returns false if the label is
// missing or empty.
func (t *Tag) NameAttribute() (string, bool) {
	if t.label != nil {
		return string(t.label), len(t.label) > 0
	}
	return t.Attribute("name")
}

// HasValues reports whether the tag has attributes that may be values of parameters: any except a
// name, an id, and the type of a value.
func (t *Tag) HasValues() bool {
	for range t.Values() {
		return true
	}
	return false
}

// Values returns these attributes and their values.
func (t *Tag) Values() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for name, value := range t.attributes() {
			switch {
			case name == "name", name == "id", len(value) > 0 && string(value) == string(t.label):
			case t.Spelling != nil && name == t.Spelling.Typed && isTypeName(string(value)):
			default:
				if !yield(name, string(value)) {
					return
				}
			}
		}
	}
}

// isTypeName reports whether value is a valid value of the attribute [Spelling.Typed].
func isTypeName(value string) bool {
	switch value {
	case "true", "false", "string", "number", "integer", "boolean", "null", "object", "array":
		return true
	}
	return false
}

// Attribute returns the value of an attribute, quoted or not. It returns false if the attribute is
// missing or empty.
func (t *Tag) Attribute(name string) (string, bool) {
	for other, value := range t.attributes() {
		if other == name {
			return string(value), len(value) > 0
		}
	}
	return "", false
}

// attributes returns the names and values of the attributes, up to the first text that is not an
// attribute.
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
				if value, rest = rest[1:], nil; end >= 0 {
					value, rest = value[:end], value[end+1:]
				}
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
