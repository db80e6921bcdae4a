package rawjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// This file decodes JSON strings.

// Unquote returns the text of a JSON string.
func Unquote(quoted jsontext.Value) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, _ := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted)
	return string(text)
}

// UnquoteBytes is [Unquote] for bytes: a part of quoted if it has no escapes.
func UnquoteBytes(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted)
	return text
}

// UnquoteKnown is [Unquote] that does not allocate if the text is one of known.
func UnquoteKnown(quoted jsontext.Value, known []string) string {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return Unquote(quoted)
	}
	bare := quoted[1 : len(quoted)-1]
	for _, name := range known {
		if string(bare) == name {
			return name
		}
	}
	return string(bare)
}

// unquotesTo reports whether text is what a JSON string holds. An escape is longer than what
// it stands for, so most strings are told apart by their length.
func unquotesTo(quoted jsontext.Value, text string) bool {
	switch n := len(quoted) - len(`""`); {
	case n < len(text):
		return false
	case bytes.IndexByte(quoted, '\\') >= 0:
		return Unquote(quoted) == text
	default:
		return string(quoted[1:1+n]) == text
	}
}

// StringOf returns the text of a JSON string, or "" if v is any other value or nil.
func StringOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}
