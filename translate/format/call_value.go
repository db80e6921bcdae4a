package format

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
// every text as something else: the string "5" where a number is asked for, say. literals is as for
// AppendTyped.
func valueText(s *schema.Schema, value jsontext.Value, literals bool) (string, bool) {
	if value.Kind() != '"' {
		text := rawjson.CompactString(value)
		return text, readsAs(s, text, value, literals)
	}
	str := rawjson.Unquote(value)
	if plain, nullable := s.IsString(); plain && !nullable {
		return str, true
	}
	if readsAs(s, str, value, literals) {
		return str, true
	}
	return string(value), readsAs(s, string(value), value, literals)
}

// readsAs reports whether s reads text as value.
func readsAs(s *schema.Schema, text string, value jsontext.Value, literals bool) bool {
	got, _ := AppendTyped(nil, s, text, literals)
	return SameJSON(got, value)
}

// AppendTyped is [schema.AppendTyped]. With literals, a literal of Python may stand for JSON, which models
// that have learned a format of their own write at times. In legacy, such a text has always been a string.
func AppendTyped(dst []byte, s *schema.Schema, text string, literals bool) ([]byte, bool) {
	if literals {
		return schema.AppendTypedLiteral(dst, s, text)
	}
	return schema.AppendTyped(dst, s, text)
}

// SameJSON reports whether two values are the same JSON, with their members in the same order. Strings are
// compared without their escapes; other values by their text, so that 1.0 is not 1.
func SameJSON(a, b jsontext.Value) bool {
	if k := a.Kind(); k != b.Kind() {
		return false
	} else if k == '"' {
		return rawjson.Unquote(a) == rawjson.Unquote(b)
	}
	return bytes.Equal(a, b) || bytes.Equal(rawjson.AppendAsPython(nil, a), rawjson.AppendAsPython(nil, b))
}

// writeOnLines writes a value, escaped, of the parameter with this tag. The parser takes newlines
// around a value for layout (docs/reference/legacy-format.md §5), so a value that begins with a newline
// of its own is put on lines of its own.
func writeOnLines(b *markup.Buffer, text, tag string) {
	if strings.TrimLeft(text, "\r\n") == text {
		b.WriteValue(text, tag)
		return
	}
	writeLines(b, text, tag)
}

// writeLines writes a value, escaped, on lines of its own.
func writeLines(b *markup.Buffer, text, tag string) {
	b.Write("\n").WriteValue(text, tag)
	if strings.HasSuffix(text, "\r") {
		b.Write("\r") // a lone \n would make one line ending of itself and the value's \r
	}
	b.Write("\n")
}

// Retype returns the value of a parameter, which a model has written as a literal: a string that the
// schema takes for something else, since it takes no strings, is that. Some models write all values in
// quotes.
func Retype(in *schema.Schema, name string, value jsontext.Value) jsontext.Value {
	property, s, declared := in.PropertyByTag(name)
	if value.Kind() != '"' || !declared || property != name || s.AcceptsString() {
		return value
	}
	if typed, fits := schema.AppendTypedLiteral(nil, s, rawjson.Unquote(value)); fits {
		return typed
	}
	return value
}

// AnyValue allows everything.
var AnyValue = new(schema.Schema)
