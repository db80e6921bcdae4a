package rawjson

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file reads text from a model that should be JSON. It never relies on the text being
// well-formed.

// AppendLooseKind does what [AppendLoose] does, for a value of one kind. The value may also be
// inside a JSON string, as in "{\"a\":1}".
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

// AppendLoose appends the JSON value in text to dst, on one line. It returns false if text is not
// JSON. Unambiguous slips are fixed; see [Mend].
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

// AppendCutObject appends the complete members of a JSON object to dst, without the closing brace.
// text may end anywhere. If no member is complete, it appends nothing. A number at the end of text
// counts as incomplete, because more digits may follow. A string counts as incomplete if the text
// after its last quote cannot follow a value: the quote may belong to the string.
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
		rest := mended[d.InputOffset():]
		if err != nil || value.Kind() == '0' && len(rest) == 0 || !mayEndMember(rest) { // more digits may follow
			break
		}
		dst = append(AppendString(append(dst, opener), key), ':')
		dst = append(dst, CompactString(value)...)
		opener = ','
	}
	return dst
}

// mayEndMember reports whether text, which may be cut off, may come after the value of a member.
func mayEndMember(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) > 0 && text[0] == ',' {
		text = bytes.TrimLeft(text[1:], " \t\r\n")
		return len(text) == 0 || text[0] == '"'
	}
	return len(text) == 0 || text[0] == '}'
}

// Mend fixes two slips of models in text: it escapes control characters in strings, and removes a
// comma before a closing bracket. The result need not be JSON.
func Mend(text string) jsontext.Value {
	out := make([]byte, 0, len(text)+8)
	inString := false
	comma := -1 // index in out of a comma with only white space after it so far
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

// Undouble replaces doubled braces with single ones: {{"a":1}} becomes {"a":1}. In JSON, no opening
// brace follows another directly.
func Undouble(text string) string {
	var out []byte
	var doubled []bool // whether each open brace is doubled
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

// Once returns the repeated text if text is two or three copies of it, otherwise text.
func Once(text string) string {
	for n := 2; n <= 3; n++ {
		if once := text[:len(text)/n]; strings.Repeat(once, n) == text {
			return once
		}
	}
	return text
}

// CompactString returns [Compact] of v as a string; "" if v is not well-formed.
func CompactString(v jsontext.Value) string {
	if !v.IsValid() {
		return ""
	}
	return string(Compact(v))
}

// UnquoteLoose returns the content of text if it is one JSON string, otherwise text.
func UnquoteLoose(text string) string {
	var s string
	if len(text) > 1 && text[0] == '"' && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// FindValue returns text if it is a JSON value. Otherwise it returns the object or array inside
// text, between other words or in a code fence. It returns false if there is none.
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

// validJSON returns data, and false if it is not one JSON value.
func validJSON(data []byte) (jsontext.Value, bool) {
	v := jsontext.Value(data)
	return v, v.IsValid()
}
