package rawjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Text returns what a JSON string says.
func Unquote(quoted jsontext.Value) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, _ := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted)
	return string(text)
}

// Name returns the name that is quoted. One that is in known costs no memory.
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

// says reports whether text is what a JSON string says. Escapes only make a string
// longer: most are told apart by their length.
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

// StringOf returns the text of a JSON string, "" for any other value.
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
