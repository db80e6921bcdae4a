package translate

import (
	"bytes"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// valueText returns the text that s reads as value.
func valueText(s *schema.Schema, value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		text := rawjson.CompactString(value)
		return text, readsAs(s, text, value)
	}
	var str string
	if json.Unmarshal(value, &str) != nil {
		return "", false
	}
	if plain, nullable := s.IsText(); plain && !nullable {
		return str, true
	}
	if readsAs(s, str, value) {
		return str, true
	}
	return string(value), readsAs(s, string(value), value)
}

func readsAs(s *schema.Schema, text string, value jsontext.Value) bool {
	got, _ := schema.AppendTyped(nil, s, text)
	return sameJSON(got, value)
}

// sameJSON compares values letter by letter, but for white space and the
// spelling of strings that are no part of a larger value.
func sameJSON(a, b jsontext.Value) bool {
	var x, y string
	if a.Kind() == '"' && b.Kind() == '"' {
		return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
	}
	return bytes.Equal(a, b) || a.Kind() == b.Kind() && rawjson.CompactString(a) == rawjson.CompactString(b)
}

// appendWrapped puts newlines around a value whose own first newline would be taken
// for layout.
func appendOnLines(dst []byte, text string) []byte {
	if strings.TrimLeft(text, "\r\n") == text {
		return append(dst, text...)
	}
	dst = append(dst, '\n')
	dst = append(dst, text...)
	if strings.HasSuffix(text, "\r") {
		dst = append(dst, '\r') // a lone \n here would take the value's own \r along
	}
	return append(dst, '\n')
}
