package rawjson

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file reads text that a model wrote and that should be JSON. Nothing here expects the
// text to be well-formed.

// AppendLooseKind is [AppendLoose] for a value of one kind. The value may also stand in a
// JSON string, as in "{\"a\":1}".
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

// AppendLoose appends the JSON value that text is to dst, on one line, and reports whether
// it is one. Slips that have one meaning are mended; see [Mend].
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

// AppendCutObject appends to dst those members of a JSON object that stand whole in text,
// which may end anywhere, and leaves the closing brace out. It appends nothing if no member
// is whole. A number at the end of text is not whole: more digits may have followed.
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

// Mend returns text with two slips of models put right: control characters in strings are
// escaped, and a comma before a closing bracket is left out. The result need not be JSON.
func Mend(text string) jsontext.Value {
	out := make([]byte, 0, len(text)+8)
	inString := false
	comma := -1 // index in out of a comma that only white space has followed yet
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
			out = AppendEscaped(out, text[i:i+1])
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

// Undouble returns text with each pair of braces that stand together and closes as such as one: {{"a":1}}
// is {"a":1}. No JSON has a brace right behind another that opens.
func Undouble(text string) string {
	var out []byte
	var doubled []bool // of the braces that are open
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		next := i+1 < len(text) && text[i+1] == c
		switch {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			doubled = append(doubled, next)
			if next {
				i++
			}
		case c == '}' && len(doubled) > 0:
			if doubled[len(doubled)-1] && next {
				i++
			}
			doubled = doubled[:len(doubled)-1]
		}
		out = append(out, c)
	}
	return string(out)
}

// Once returns the text that another is if it is the same two or three times over, else the other.
func Once(text string) string {
	for n := 2; n <= 3; n++ {
		if once := text[:len(text)/n]; strings.Repeat(once, n) == text {
			return once
		}
	}
	return text
}

// CompactString returns [Compact] of v as a string, or "" if v is not well-formed.
func CompactString(v jsontext.Value) string {
	if !v.IsValid() {
		return ""
	}
	return string(Compact(v))
}

// UnquoteLoose returns what text holds if it is one JSON string, else text itself.
func UnquoteLoose(text string) string {
	var s string
	if len(text) > 1 && text[0] == '"' && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// FindValue returns the JSON value that text is, or the object or array that stands in it
// between other words or in a code fence. It reports false if there is none.
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

// validJSON returns data, and reports whether it is one JSON value.
func validJSON(data []byte) (jsontext.Value, bool) {
	v := jsontext.Value(data)
	return v, v.IsValid()
}
