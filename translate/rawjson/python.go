package rawjson

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads Python literals, which models write where JSON is expected, and writes JSON as
// Python literals. It never evaluates anything.

// AppendPython appends the JSON of a Python literal to dst. It returns false if text is not one. It
// reads dicts with string keys, lists, tuples, strings with any quotes, numbers, True, False and
// None; also true, false and null, because models mix them. Any string may contain newlines.
// Numbers keep their digits. It rejects values that JSON cannot express, such as nan, 0x1f and
// sets.
func AppendPython(dst []byte, text string) ([]byte, bool) {
	p := python{out: dst, text: text}
	ok := p.value(0)
	if p.skipBlanks(); !ok || p.i < len(p.text) || !jsontext.Value(p.out[len(dst):]).IsValid() {
		return dst, false
	}
	return p.out, true
}

// python reads a literal, and appends its JSON to out.
type python struct {
	out  []byte
	text string
	i    int

	code bool // text is Python code: adjacent strings form one string, and numbers may have _ between digits
}

// maxPythonDepth is the most levels of brackets, as for JSON.
const maxPythonDepth = 10_000

// value reads one value inside depth brackets.
func (p *python) value(depth int) bool {
	p.skipBlanks()
	if p.i == len(p.text) || depth > maxPythonDepth {
		return false
	}
	switch c := p.text[p.i]; c {
	case '{':
		p.begin('{')
		return p.items('{', '}', depth, p.member)
	case '[':
		p.begin('[')
		return p.items('[', ']', depth, p.value)
	case '(':
		return p.tuple(depth)
	case '"', '\'', 'r', 'R':
		return p.string()
	case '+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	}
	for _, word := range [...][2]string{{"True", "true"}, {"False", "false"}, {"None", "null"}, {"true", "true"}, {"false", "false"}, {"null", "null"}} {
		if p.take(word[0]) {
			p.out = append(p.out, word[1]...)
			return p.i == len(p.text) || !isWordByte(p.text[p.i])
		}
	}
	return false
}

// begin reads a bracket and writes the JSON bracket.
func (p *python) begin(bracket byte) {
	p.i++
	p.out = append(p.out, bracket)
}

// items reads items, separated by commas, up to the closing bracket. The opening bracket is already
// read. A comma may follow the last item.
func (p *python) items(open, shut byte, depth int, item func(int) bool) bool {
	for {
		if p.skipBlanks(); p.i < len(p.text) && p.text[p.i] == shut {
			p.endItems(open)
			p.i++
			return true
		}
		if !item(depth + 1) {
			return false
		}
		p.skipBlanks()
		p.out = append(p.out, ',')
		if !p.take(",") && (p.i == len(p.text) || p.text[p.i] != shut) {
			return false
		}
	}
}

// endItems writes the closing bracket. It replaces the comma after the last item.
func (p *python) endItems(open byte) {
	if n := len(p.out) - 1; p.out[n] == ',' {
		p.out = p.out[:n]
	}
	p.out = append(p.out, open+2) // the closing bracket in ASCII
}

// member reads a member of a dict.
func (p *python) member(depth int) bool {
	if p.skipBlanks(); !p.string() {
		return false
	}
	p.skipBlanks()
	p.out = append(p.out, ':')
	return p.take(":") && p.value(depth) && p.adjacent()
}

// tuple reads a tuple as an array. A single value in parentheses is not a tuple, and is rejected.
func (p *python) tuple(depth int) bool {
	p.begin('[')
	items, commas := 0, 0
	return p.items('[', ')', depth, func(depth int) bool {
		items++
		if !p.value(depth) {
			return false
		}
		if p.skipBlanks(); p.i < len(p.text) && p.text[p.i] == ',' {
			commas++
		}
		return true
	}) && (items == 0 || commas > 0)
}

// isWordByte reports whether an identifier may have c.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func (p *python) skipBlanks() {
	for p.i < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.i]) >= 0 {
		p.i++
	}
}

// take reads s if it is next.
func (p *python) take(s string) bool {
	if strings.HasPrefix(p.text[p.i:], s) {
		p.i += len(s)
		return true
	}
	return false
}

// AppendAsPython appends a well-formed JSON value as a Python literal.
func AppendAsPython(dst []byte, value jsontext.Value) []byte {
	return appendAsPython(dst, value, AppendString)
}

// AppendRepr does what AppendAsPython does, with strings as Python's repr writes them: in single
// quotes if possible.
func AppendRepr(dst []byte, value jsontext.Value) []byte {
	return appendAsPython(dst, value, appendRepr)
}

func appendRepr(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for i := range len(s) {
		switch c := s[i]; {
		case c == quote, c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < ' ' || c == 0x7f:
			dst = fmt.Appendf(dst, `\x%02x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, quote)
}

func appendAsPython(dst []byte, value jsontext.Value, str func([]byte, string) []byte) []byte {
	return Read(value).appendAsPython(dst, str)
}

// appendAsPython appends the next value or name.
func (r *Reader) appendAsPython(dst []byte, str func([]byte, string) []byte) []byte {
	kind := r.Kind()
	if kind != '{' && kind != '[' {
		v, ok := r.Next()
		switch {
		case kind == '"' && ok:
			return str(dst, Unquote(v))
		case kind == 't':
			return append(dst, "True"...)
		case kind == 'f':
			return append(dst, "False"...)
		case kind == 'n':
			return append(dst, "None"...)
		}
		return append(dst, v...)
	}
	begin := r.Enter()
	dst = append(dst, byte(kind))
	for i := 0; r.Kind() != 0; i++ {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = r.appendAsPython(dst, str)
		if kind == '{' {
			dst = r.appendAsPython(append(dst, ": "...), str)
		}
	}
	r.Leave(begin)
	return append(dst, byte(kind)+2) // the closing bracket in ASCII
}
