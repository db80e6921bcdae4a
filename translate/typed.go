package translate

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A value that the model writes is text. The schema of its parameter decides
// what JSON value it is; nothing is guessed and nothing is evaluated:
//
//	string     the text as it is: 007 stays "007"
//	integer    digits of any number, kept as they are; 3.0 too. "5" in quotes is 5
//	number     any JSON number, digits kept
//	boolean    true, false in any case
//	null       null
//	array      JSON, or elements of one name, each typed by items
//	object     JSON, or elements named like properties, each typed by its schema
//	enum       the member that the text spells, with or without quotes
//	anyOf      the first that fits, strings last
//	none       JSON if the text is JSON, else a string
//
// JSON may itself stand in a JSON string. What fits nothing is kept as a string,
// and is not clean (OutcomeTypeFallback).

// appendTyped appends the JSON value that text stands for under s, on one line.
// It reports whether the text fitted.
func appendTyped(dst []byte, s *schema, text string) ([]byte, bool) {
	t := typer{budget: 64 * (len(text) + 1024)}
	return t.append(dst, s, text, 0)
}

// typer types one value, whose schema may try many ways to read it.
type typer struct {
	budget int // of bytes still to be looked at: alternatives within alternatives multiply
}

func (t *typer) append(dst []byte, s *schema, text string, depth int) ([]byte, bool) {
	if text == "" && s.takesString(0) {
		return append(dst, `""`...), true
	}
	if len(s.enum) > 0 {
		if out, ok := appendEnum(dst, s.enum, text); ok {
			return out, true
		}
	}
	if out, ok := t.appendFitting(dst, s, text, depth); ok {
		return out, true
	}
	if s.takesString(0) {
		return appendJSONString(dst, text), true
	}
	return appendJSONString(dst, text), false
}

// appendFitting tries every type that s allows but string.
func (t *typer) appendFitting(dst []byte, s *schema, text string, depth int) ([]byte, bool) {
	if t.budget -= len(text) + 1; t.budget < 0 || depth > maxSchemaDepth {
		return dst, false
	}
	trimmed := strings.Trim(text, " \t\r\n")
	if s.kinds == 0 && len(s.alts) == 0 && len(s.enum) == 0 {
		return appendIfJSON(dst, trimmed)
	}
	bare := unquoted(trimmed)
	switch k := s.kinds; {
	case k&kindNull != 0 && trimmed == "null":
		return append(dst, "null"...), true
	case k&kindBoolean != 0 && strings.EqualFold(bare, "true"):
		return append(dst, "true"...), true
	case k&kindBoolean != 0 && strings.EqualFold(bare, "false"):
		return append(dst, "false"...), true
	case k&kindNumber != 0 && isNumber(bare), k&kindInteger != 0 && isInteger(bare):
		return append(dst, bare...), true
	}
	if s.kinds&kindObject != 0 {
		if out, ok := t.appendObject(dst, s, trimmed, depth); ok {
			return out, true
		}
	}
	if s.kinds&kindArray != 0 {
		if out, ok := t.appendArray(dst, s, trimmed, depth); ok {
			return out, true
		}
	}
	for _, alt := range s.alts {
		if len(alt.enum) > 0 {
			if out, ok := appendEnum(dst, alt.enum, text); ok {
				return out, true
			}
		}
		if alt.kinds == 0 && len(alt.alts) == 0 {
			continue // allows anything: no reason to prefer it to a string
		}
		if out, ok := t.appendFitting(dst, alt, text, depth+1); ok {
			return out, true
		}
	}
	return dst, false
}

// takesString tells whether a string fits s.
func (s *schema) takesString(depth int) bool {
	if s.kinds&kindString != 0 || s.kinds == 0 && len(s.alts) == 0 {
		return true
	}
	if depth < maxSchemaDepth {
		for _, alt := range s.alts {
			if alt.takesString(depth + 1) {
				return true
			}
		}
	}
	return false
}

// appendEnum appends the member of an enum that the text spells.
func appendEnum(dst []byte, enum []jsontext.Value, text string) ([]byte, bool) {
	trimmed := strings.Trim(text, " \t\r\n")
	for _, spelling := range []string{text, trimmed, unquoted(trimmed), unescape(trimmed, toolTags, "")} {
		for _, e := range enum {
			var str string
			if e.Kind() == '"' && json.Unmarshal(e, &str) == nil && str == spelling {
				return appendJSONString(dst, str), true
			}
			if e.Kind() != '"' && compact(e) == spelling {
				return append(dst, spelling...), true
			}
		}
	}
	return dst, false
}

func (t *typer) appendObject(dst []byte, s *schema, text string, depth int) ([]byte, bool) {
	if out, ok := appendJSONOf(dst, text, '{'); ok {
		return out, true
	}
	list, ok := readElements(text)
	if !ok {
		return dst, false
	}
	mark := len(dst)
	dst = append(dst, '{')
	seen := map[string]bool{}
	for i, e := range list {
		name, ps, _ := s.property(e.tag)
		if seen[name] {
			return dst[:mark], false
		}
		seen[name] = true
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, name), ':')
		if dst, ok = t.append(dst, ps, e.text, depth+1); !ok {
			return dst[:mark], false
		}
	}
	return append(dst, '}'), true
}

func (t *typer) appendArray(dst []byte, s *schema, text string, depth int) ([]byte, bool) {
	if out, ok := appendJSONOf(dst, text, '['); ok {
		return out, true
	}
	list, ok := readElements(text)
	if !ok {
		return dst, false
	}
	items := s.items
	if items == nil {
		items = anySchema
	}
	mark := len(dst)
	dst = append(dst, '[')
	for i, e := range list {
		if e.tag != list[0].tag {
			return dst[:mark], false
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, ok = t.append(dst, items, e.text, depth+1); !ok {
			return dst[:mark], false
		}
	}
	return append(dst, ']'), true
}

// element is one child of a value that is written as elements.
type element struct{ tag, text string }

// readElements reads text that is nothing but elements and white space.
func readElements(text string) (list []element, ok bool) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return list, true
		}
		end := strings.IndexByte(text, '>')
		if text[0] != '<' || end < 2 || !isElementTag(strings.TrimSuffix(text[1:end], "/")) {
			return nil, false
		}
		tag := text[1:end]
		text = text[end+1:]
		if name, empty := strings.CutSuffix(tag, "/"); empty {
			list = append(list, element{tag: name})
			continue
		}
		n := closing(text, tag)
		if n < 0 {
			return nil, false
		}
		list = append(list, element{tag, trimNewlines(text[:n])})
		text = text[n+len("</>")+len(tag):]
	}
}

func isElementTag(tag string) bool {
	for i := range len(tag) {
		if !isNameByte(tag[i]) && tag[i] != '%' {
			return false
		}
	}
	return tag != ""
}

// closing returns where the closing tag of an element begins whose opening tag
// stands just before text, or -1. Elements of the same name may be nested in it.
func closing(text, tag string) int {
	open, shut := "<"+tag+">", "</"+tag+">"
	depth, at := 1, 0
	for {
		n := strings.Index(text[at:], shut)
		if n < 0 {
			return -1
		}
		depth += strings.Count(text[at:at+n], open) - 1
		if depth == 0 {
			return at + n
		}
		at += n + len(shut)
	}
}

// trimNewlines takes off the newline after an opening and before a closing tag.
func trimNewlines(text string) string {
	if rest, ok := strings.CutPrefix(text, "\r\n"); ok {
		text = rest
	} else {
		text = strings.TrimPrefix(text, "\n")
	}
	return trimLastNewline(text)
}

func trimLastNewline(text string) string {
	if rest, ok := strings.CutSuffix(text, "\r\n"); ok {
		return rest
	}
	return strings.TrimSuffix(text, "\n")
}

// appendJSONOf appends text if it is one JSON value of the given kind, or a JSON
// string that holds one.
func appendJSONOf(dst []byte, text string, kind jsontext.Kind) ([]byte, bool) {
	if text == "" {
		return dst, false
	}
	if text[0] == '"' {
		text = strings.Trim(unquoted(text), " \t\r\n")
	}
	if jsontext.Value(text).Kind() != kind {
		return dst, false
	}
	return appendIfJSON(dst, text)
}

// appendIfJSON appends text, on one line, if it is one JSON value, or would be
// but for slips whose meaning is certain.
func appendIfJSON(dst []byte, text string) ([]byte, bool) {
	v := jsontext.Value(text)
	if !v.IsValid() {
		v = mendJSON(text)
	}
	if !v.IsValid() || v.Compact() != nil {
		return dst, false
	}
	return append(dst, v...), true
}

// mendJSON escapes control characters in strings and leaves out the comma before
// a closing bracket.
func mendJSON(text string) jsontext.Value {
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
			out = appendJSONControl(out, c)
			continue
		case inString:
		case comma >= 0 && (c == ']' || c == '}'):
			out = append(out[:comma], out[comma+1:]...)
		case c == ',':
			comma = len(out)
			out = append(out, c)
			continue
		case isBlank(c):
			out = append(out, c)
			continue
		}
		comma = -1
		out = append(out, c)
	}
	return out
}

func compact(v jsontext.Value) string {
	v = v.Clone()
	if v.Compact() != nil {
		return ""
	}
	return string(v)
}

// unquoted returns what a JSON string holds; other text as it is.
func unquoted(text string) string {
	var s string
	if len(text) > 1 && text[0] == '"' && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// isNumber tells whether text is a JSON number (RFC 8259, section 6).
func isNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	whole := digits(text)
	if whole == 0 || whole > 1 && text[0] == '0' {
		return false
	}
	text = text[whole:]
	if fraction, ok := strings.CutPrefix(text, "."); ok {
		n := digits(fraction)
		if n == 0 {
			return false
		}
		text = fraction[n:]
	}
	if text != "" && text[0]|0x20 == 'e' {
		exponent := text[1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		n := digits(exponent)
		return n > 0 && n == len(exponent)
	}
	return text == ""
}

// digits counts the digits that text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// isInteger tells whether text is a JSON number without a fraction other than zeros.
func isInteger(text string) bool {
	if !isNumber(text) || strings.ContainsAny(text, "eE") {
		return false
	}
	_, fraction, _ := strings.Cut(text, ".")
	return strings.Trim(fraction, "0") == ""
}
