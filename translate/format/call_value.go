package format

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file writes values for formats whose parameters are elements: strings as plain text, other
// values as JSON. The parser reads them by the same rules (schema.AppendTyped).

// valueText returns the text of value. It returns false if the parser would read every text as
// another value. For example, under a schema that asks for a number, no text is read as the string
// "5". literals is as for AppendTyped.
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

// readsAs reports whether the parser reads text as value under the schema s.
func readsAs(s *schema.Schema, text string, value jsontext.Value, literals bool) bool {
	got, _ := AppendTyped(nil, s, text, literals)
	return SameJSON(got, value)
}

// AppendTyped is [schema.AppendTyped]. With literals, it also reads Python literals in place of
// JSON, because models trained on a format of their own sometimes write them. In legacy, such texts
// have always been strings.
func AppendTyped(dst []byte, s *schema.Schema, text string, literals bool) ([]byte, bool) {
	if literals {
		return schema.AppendTypedLiteral(dst, s, text)
	}
	return schema.AppendTyped(dst, s, text)
}

// SameJSON reports whether two values are the same JSON, with members in the same order. It
// compares strings without their escapes, and other values by their text, so 1.0 is not 1.
func SameJSON(a, b jsontext.Value) bool {
	if k := a.Kind(); k != b.Kind() {
		return false
	} else if k == '"' {
		return rawjson.Unquote(a) == rawjson.Unquote(b)
	}
	return bytes.Equal(a, b) || bytes.Equal(rawjson.AppendAsPython(nil, a), rawjson.AppendAsPython(nil, b))
}

// writeOnLines writes an escaped value of the parameter with this tag. The parser ignores newlines
// around a value (docs/reference/legacy-format.md §5), so a value that itself begins with a newline
// is written on lines of its own.
func writeOnLines(b *markup.Buffer, text, tag string) {
	if strings.TrimLeft(text, "\r\n") == text {
		b.WriteValue(text, tag)
		return
	}
	writeLines(b, text, tag)
}

// writeLines writes an escaped value on lines of its own.
func writeLines(b *markup.Buffer, text, tag string) {
	b.Write("\n").WriteValue(text, tag)
	if strings.HasSuffix(text, "\r") {
		b.Write("\r") // a lone \n would form one line ending with the value's \r
	}
	b.Write("\n")
}

// Retype returns a parameter's value that a model wrote as a literal. If the literal is a string
// but the schema does not allow strings, Retype reads the string as another type. Some models write
// all values in quotes.
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

// AnyValue is a schema that allows everything.
var AnyValue = new(schema.Schema)
