package translate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// How the value of a parameter is written in formats whose parameters are elements: strings
// stand as they are, other values as JSON. The parser reads such text by the same rules
// (schema.AppendTyped).

// valueText returns the text of value. It reports false if there is none, because s reads
// every text as something else: the string "5" where a number is asked for, say. g is the spelling of
// the call, as for appendTyped.
func valueText(g *markup.Spelling, s *schema.Schema, value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		text := rawjson.CompactString(value)
		return text, readsAs(g, s, text, value)
	}
	str := rawjson.Unquote(value)
	if plain, nullable := s.IsString(); plain && !nullable {
		return str, true
	}
	if readsAs(g, s, str, value) {
		return str, true
	}
	return string(value), readsAs(g, s, string(value), value)
}

// readsAs reports whether s reads text as value.
func readsAs(g *markup.Spelling, s *schema.Schema, text string, value jsontext.Value) bool {
	got, _ := appendTyped(g, nil, s, text)
	return sameJSON(got, value)
}

// appendTyped is [schema.AppendTyped] for a value of a call in the spelling g. Models that have a format
// of their own write literals of Python for JSON at times; in legacy and attribute, such a text has
// always been a string.
func appendTyped(g *markup.Spelling, dst []byte, s *schema.Schema, text string) ([]byte, bool) {
	if g == nil {
		return schema.AppendTyped(dst, s, text)
	}
	return schema.AppendTypedLiteral(dst, s, text)
}

// sameJSON reports whether two values are the same JSON, with their members in the same order. Strings are
// compared without their escapes; other values by their text, so that 1.0 is not 1.
func sameJSON(a, b jsontext.Value) bool {
	if k := a.Kind(); k != b.Kind() {
		return false
	} else if k == '"' {
		return rawjson.Unquote(a) == rawjson.Unquote(b)
	}
	return bytes.Equal(a, b) || bytes.Equal(rawjson.AppendAsPython(nil, a), rawjson.AppendAsPython(nil, b))
}

// appendOnLines appends a value, escaped, of the parameter with this tag. The parser takes newlines
// around a value for layout (docs/reference/legacy-format.md §5), so a value that begins with a newline
// of its own is put on lines of its own.
func appendOnLines(e *markup.Escaper, dst []byte, text, tag string) []byte {
	if strings.TrimLeft(text, "\r\n") == text {
		return e.AppendValue(dst, text, tag)
	}
	return appendLines(e, dst, text, tag)
}

// appendLines appends a value, escaped, on lines of its own.
func appendLines(e *markup.Escaper, dst []byte, text, tag string) []byte {
	dst = append(dst, '\n')
	dst = e.AppendValue(dst, text, tag)
	if strings.HasSuffix(text, "\r") {
		dst = append(dst, '\r') // a lone \n would make one line ending of itself and the value's \r
	}
	return append(dst, '\n')
}
