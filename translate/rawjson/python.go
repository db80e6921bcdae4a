package rawjson

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads literals of Python, which models write where JSON is asked for, and writes JSON as
// such. Nothing is evaluated.

// AppendPython appends the JSON of a Python literal to dst, and reports whether text is one: a dict
// with names for keys, a list, a tuple, a string with any quotes, a number, True, False or None; true,
// false and null, too, which models mix in. A string may hold newlines whatever its quotes.
// Numbers keep their digits. What JSON has nothing for, such as nan, 0x1f and sets, is none.
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

	joins bool // strings that stand side by side are one
}

// maxPythonDepth bounds how deep brackets may lie in each other: it is as for JSON.
const maxPythonDepth = 10_000

// value reads one value, within depth brackets.
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

// begin reads a bracket, and writes that of JSON.
func (p *python) begin(bracket byte) {
	p.i++
	p.out = append(p.out, bracket)
}

// items reads what stands between brackets, of which the first has been read, and that between commas.
// One more comma may stand behind the last item.
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

// endItems writes the end of what begins with a bracket, in place of the comma behind the last item.
func (p *python) endItems(open byte) {
	if n := len(p.out) - 1; p.out[n] == ',' {
		p.out = p.out[:n]
	}
	p.out = append(p.out, open+2) // of brackets in ASCII
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

// tuple reads a tuple, as an array. A value in parentheses is none, and no literal here.
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

// isWordByte reports whether c may stand in an identifier.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func (p *python) skipBlanks() {
	for p.i < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.i]) >= 0 {
		p.i++
	}
}

// take reads s, if it is next.
func (p *python) take(s string) bool {
	if strings.HasPrefix(p.text[p.i:], s) {
		p.i += len(s)
		return true
	}
	return false
}

// AppendAsPython appends a JSON value, which is well-formed, as a literal of Python.
func AppendAsPython(dst []byte, value jsontext.Value) []byte {
	return appendAsPython(dst, value, AppendString)
}

// AppendRepr is AppendAsPython with strings as Python itself writes them: in single quotes, if it can.
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

// appendAsPython appends the value, or the name, that is next.
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
	return append(dst, byte(kind)+2) // the closing bracket is two behind, in ASCII
}
