package rawjson

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// appendJSONOf appends text if it is one JSON value of the given kind, or a JSON
// string that holds one.
func AppendLooseKind(dst []byte, text string, kind jsontext.Kind) ([]byte, bool) {
	if text == "" {
		return dst, false
	}
	if text[0] == '"' {
		text = strings.Trim(UnquoteLoose(text), " \t\r\n")
	}
	if jsontext.Value(text).Kind() != kind {
		return dst, false
	}
	return AppendLoose(dst, text)
}

// appendIfJSON appends text, on one line, if it is one JSON value, or would be
// but for slips whose meaning is certain.
func AppendLoose(dst []byte, text string) ([]byte, bool) {
	v := jsontext.Value(text)
	if !v.IsValid() {
		v = Mend(text)
	}
	if !v.IsValid() {
		return dst, false
	}
	return append(dst, Compact(v)...), true
}

// appendOpenObject appends the members that came whole of a JSON object whose text was
// cut, as an object without its closing brace; nothing if there are none.
func AppendCutObject(dst []byte, text string) []byte {
	mended := Mend(text)
	d := jsontext.NewDecoder(bytes.NewReader(mended))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return dst
	}
	opener := byte('{')
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil || value.Kind() == '0' && int(d.InputOffset()) == len(mended) { // more digits may have come
			break
		}
		dst = append(AppendString(append(dst, opener), key), ':')
		dst = append(dst, CompactString(value)...)
		opener = ','
	}
	return dst
}

// mendJSON escapes control characters in strings and leaves out the comma before
// a closing bracket.
func Mend(text string) jsontext.Value {
	out := make([]byte, 0, len(text)+8)
	inString := false
	comma := -1 // of a comma in out that nothing has followed yet
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
		case inString && c < ' ':
			out = appendControl(out, c)
			continue
		case inString:
		case comma >= 0 && (c == ']' || c == '}'):
			out = append(out[:comma], out[comma+1:]...)
		case c == ',':
			comma = len(out)
			out = append(out, c)
			continue
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			out = append(out, c)
			continue
		}
		comma = -1
		out = append(out, c)
	}
	return out
}

func CompactString(v jsontext.Value) string {
	if !v.IsValid() {
		return ""
	}
	return string(Compact(v))
}

// unquoted returns what a JSON string holds; other text as it is.
func UnquoteLoose(text string) string {
	var s string
	if len(text) > 1 && text[0] == '"' && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// JSONOf returns the JSON value that a text is, or that is all it has in a code
// fence or between some words.
func FindValue(text string) (jsontext.Value, bool) {
	data := bytes.TrimSpace([]byte(text))
	if v, ok := validJSON(data); ok {
		return v, true
	}
	begin := bytes.IndexAny(data, "{[")
	end := bytes.LastIndexAny(data, "}]")
	if begin < 0 || end < begin {
		return nil, false
	}
	return validJSON(data[begin : end+1])
}

// validJSON returns data if it is one JSON value.
func validJSON(data []byte) (jsontext.Value, bool) {
	v := jsontext.Value(data)
	return v, v.IsValid()
}
