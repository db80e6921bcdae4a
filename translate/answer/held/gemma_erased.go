package held

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Gemma calls without quotes around their strings, because a server erased the special tokens. A value ends before
// the name of another declared parameter, or at the end of the call.

// ReadErased returns the calls in text, which has nothing but such calls. Each call ends where the next call
// begins, and the last call ends with the text.
func (l *Literals) ReadErased(text string) (calls []Literal, ok bool) {
	text = withoutEndMarks(text)
	for begin, i := 0, 1; i <= len(text); i++ {
		if i < len(text) && (!strings.HasPrefix(text[i:], format.GemmaCall) || !endsInBracket(text[max(0, i-maxBlanks):i])) {
			continue
		}
		if i < len(text) {
			name, _, v := l.MatchGemma([]byte(text[i:min(len(text), i+2*format.MaxToolName)]), markup.NoMatch)
			if v != markup.Match || l.SchemaOf(name) == nil {
				continue
			}
		}
		call, ok := l.readErasedCall(strings.TrimSpace(text[begin:i]))
		if !ok || !l.mayBeBare(&call, l.SchemaOf(call.Name)) {
			return nil, false
		}
		calls, begin = append(calls, call), i
	}
	return calls, len(calls) > 0
}

// readErasedCall reads one such call. It returns false if a parameter is uncertain: it occurs twice, or its text
// does not fit its schema.
func (l *Literals) readErasedCall(text string) (call Literal, ok bool) {
	name, n, v := l.MatchGemma([]byte(text), markup.NoMatch)
	in := l.SchemaOf(name)
	if v != markup.Match || in == nil || text[len(text)-1] != closerOf(text[n]) || strings.Contains(text, format.GemmaQuote) || strings.Contains(text, format.GemmaEscape) {
		return call, false
	}
	inner := text[n+1 : len(text)-1]
	sep := byte(':')
	if i := strings.IndexAny(inner, ":="); i >= 0 {
		sep = inner[i]
	}
	out := []byte{'{'}
	for rest := inner; strings.TrimSpace(rest) != ""; {
		key, n := erasedKey(in, rest, sep)
		if n == 0 {
			return call, false
		}
		rest = rest[n:]
		end := erasedEnd(in, rest, sep)
		if l.Bare && endsWithin(rest[:end]) { // the text after the last bracket or quote is prose
			return call, false
		}
		if !l.Bare && strings.TrimSpace(rest[:end]) == "" { // an empty value is a string only if quotes are erased
			return call, false
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		_, s, _ := in.PropertyByTag(key)
		out = append(rawjson.AppendString(out, key), ':')
		if out, ok = appendErased(out, s, rest[:end], l.Escaped); !ok {
			return call, false
		}
		rest = strings.TrimPrefix(rest[end:], ",")
	}
	input := jsontext.Value(append(out, '}'))
	return Literal{Name: name, Input: input}, input.IsValid()
}

// endsInBracket reports whether text ends in what may be the last bracket of a call.
func endsInBracket(text string) bool {
	text = strings.TrimRight(text, " \t\r\n")
	return strings.HasSuffix(text, "}") || strings.HasSuffix(text, ")")
}

// closerOf returns the closing bracket for an opening bracket.
func closerOf(opener byte) byte {
	if opener == '(' {
		return ')'
	}
	return '}'
}

// erasedKey returns the parameter name at the start of text, and the index after its separator (: or =). n is 0 if
// text does not begin with a parameter.
func erasedKey(in *schema.Schema, text string, sep byte) (key string, n int) {
	i := strings.IndexAny(text[:min(len(text), 2*markup.MaxParamTagLen)], ":=,{}[]")
	if i < 0 || text[i] != sep {
		return "", 0
	}
	key = strings.TrimSpace(text[:i])
	if property, _, declared := in.PropertyByTag(key); !declared || property != key {
		return "", 0
	}
	return key, i + 1
}

// erasedEnd returns the index of the comma before the next parameter in text, or len(text).
func erasedEnd(in *schema.Schema, text string, sep byte) int {
	for i := range len(text) {
		if text[i] == ',' {
			if _, n := erasedKey(in, text[i+1:], sep); n > 0 {
				return i
			}
		}
	}
	return len(text)
}

// appendErased appends text as a value of the schema s, and reports whether the value is certain. A list of several
// strings is uncertain, because a comma may belong to a string.
func appendErased(dst []byte, s *schema.Schema, text string, escaped markup.Escapes) ([]byte, bool) {
	if plain, nullable := s.IsString(); plain && !nullable {
		return rawjson.AppendString(dst, markup.Unescape(text, escaped, "")), true
	}
	text = strings.TrimSpace(text)
	if array := s.ArraySchema(); array != nil && strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		var list []markup.Element
		for item := range strings.SplitSeq(text[1:len(text)-1], ",") {
			list = append(list, markup.Element{Tag: "item", Text: strings.TrimSpace(item)})
		}
		typed, fit := schema.AppendTypedItems(nil, array, list)
		if single := len(list) == 1 && list[0].Text != ""; fit && (single || len(list) > 1 && bytes.IndexByte(typed, '"') < 0) {
			return append(dst, typed...), true
		} else if fit && !single && list[0].Text != "" {
			return dst, false
		}
	}
	if literal, ok := readGemma(text, escaped); ok {
		text = string(literal)
	} else if strings.ContainsAny(text, ":,{}[]") { // broken, and not a string
		return dst, false
	}
	return schema.AppendTyped(dst, s, text)
}

// keepsQuotes reports whether the strings of a call still have their quotes, as far as the schema can tell.
func (l *Literals) keepsQuotes(name string, input jsontext.Value) bool {
	in := l.SchemaOf(name)
	if in == nil {
		return true
	}
	for name, value := range rawjson.NamedMembers(input) {
		_, s, _ := in.PropertyByTag(name)
		if plain, nullable := s.IsString(); plain && !nullable && value.Kind() != '"' {
			return false
		}
	}
	return true
}

// endsWithin reports whether a value without quotes may end before the end of the text: it begins with a quote, or
// has a closing bracket without an opening bracket.
func endsWithin(value string) bool {
	if v := strings.TrimLeft(value, " \t\r\n"); v != "" && (v[0] == '"' || v[0] == '\'') {
		return true
	}
	depth, quoted := 0, false
	for _, c := range value {
		if quoted = quoted != (c == '"'); quoted {
			continue
		}
		switch c {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}
