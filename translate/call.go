package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// appendCall renders one past call as the model would have written it; what the
// parser reads from it under the same schema is the same call (G5). The rules
// of a value are those of typed.go: strings stand as they are, other values as
// JSON. Where the schema would read a value as something else (a string "5"
// where a number is due, a number under an undeclared name), all parameters
// stand as one JSON object within <parameters>.
func appendCall(e *markup.Escaper, dst []byte, name string, input jsontext.Value, s *schema.Schema) []byte {
	dst = append(dst, "<invoke>\n<tool_name>"...)
	dst = append(dst, name...)
	dst = append(dst, "</tool_name>\n<parameters>\n"...)
	if params, ok := appendParams(e, dst, input, s); ok {
		dst = params
	} else {
		dst = append(dst, e.Value(rawjson.CompactString(input), "")...)
		dst = append(dst, '\n')
	}
	return append(dst, "</parameters>\n</invoke>\n"...)
}

func appendParams(e *markup.Escaper, dst []byte, input jsontext.Value, s *schema.Schema) ([]byte, bool) {
	for name, value := range rawjson.NamedMembers(input) {
		tag := markup.ParamTag(name)
		_, ps, _ := s.PropertyByTag(tag)
		text, ok := valueText(ps, value)
		if !ok || len(tag) > markup.MaxParamTagLen || isAmbiguous(s, text, name, ps) {
			return dst, false
		}
		dst = append(dst, '<')
		dst = append(dst, tag...)
		dst = append(dst, '>')
		dst = appendWrapped(dst, e.Value(text, tag))
		dst = append(dst, "</"...)
		dst = append(dst, tag...)
		dst = append(dst, ">\n"...)
	}
	return dst, true
}

// valueText returns the text that s reads as value.
func valueText(s *schema.Schema, value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		text := rawjson.CompactString(value)
		return text, reads(s, text, value)
	}
	var str string
	if json.Unmarshal(value, &str) != nil {
		return "", false
	}
	if plain, nullable := s.IsString(); plain && !nullable {
		return str, true
	}
	if reads(s, str, value) {
		return str, true
	}
	return string(value), reads(s, string(value), value)
}

func reads(s *schema.Schema, text string, value jsontext.Value) bool {
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
func appendWrapped(dst []byte, text string) []byte {
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
