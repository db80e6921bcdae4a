package rawjson

import (
	"strings"
	"unicode/utf16"
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

// PythonCall is a call as it stands in a program.
type PythonCall struct {
	Name      string
	Arguments jsontext.Value // an object
	Spread    bool           // they stand in a dict: f(**{"a": 1})
}

// ReadPythonCalls reads a call in Python, or a list of calls. The arguments are literals, and all have
// names. It returns the calls that are whole, and reports whether the text is nothing but those.
func ReadPythonCalls(text string) (calls []PythonCall, ok bool) {
	p := python{text: text}
	p.skipBlanks()
	list := p.take("[")
	for {
		p.skipBlanks()
		if list && p.take("]") {
			break
		}
		call, ok := p.call()
		if !ok {
			return calls, false
		}
		calls = append(calls, call)
		if !list {
			break
		}
		if p.skipBlanks(); !p.take(",") && !strings.HasPrefix(p.text[p.i:], "]") {
			return calls, false
		}
	}
	p.skipBlanks()
	return calls, p.i == len(p.text)
}

// call reads a call.
func (p *python) call() (call PythonCall, ok bool) {
	from := p.i
	for p.i < len(p.text) && IsPythonCallByte(p.text[p.i]) {
		p.i++
	}
	call.Name = p.text[from:p.i]
	p.skipBlanks()
	if !p.take("(") {
		return call, false
	}
	p.skipBlanks()
	call.Spread = strings.HasPrefix(p.text[p.i:], "**")
	p.out = nil
	ok = p.arguments()
	call.Arguments = p.out
	return call, ok && call.Name != "" && call.Arguments.IsValid()
}

// python reads a literal, and appends its JSON to out.
type python struct {
	out  []byte
	text string
	i    int
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
	return p.take(":") && p.value(depth)
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

// arguments reads the arguments of a call, and the parenthesis behind them.
func (p *python) arguments() bool {
	p.out = append(p.out, '{')
	return p.items('{', ')', 0, p.argument)
}

// argument reads one argument, or the members of a dict behind two stars.
func (p *python) argument(depth int) bool {
	if p.take("**") {
		p.skipBlanks()
		from := len(p.out)
		if p.i == len(p.text) || p.text[p.i] != '{' || !p.value(depth) {
			return false
		}
		n := copy(p.out[from:], p.out[from+1:len(p.out)-1])
		p.out = p.out[:from+n]
		return true
	}
	from := p.i
	for p.i < len(p.text) && isWordByte(p.text[p.i]) {
		p.i++
	}
	p.out = append(AppendString(p.out, p.text[from:p.i]), ':')
	named := p.i > from
	p.skipBlanks()
	return named && p.take("=") && p.value(depth)
}

// isWordByte reports whether c may stand in an identifier.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// IsPythonCallByte reports whether c may stand in the name of what is called: names of tools have more
// than those of Python.
func IsPythonCallByte(c byte) bool { return isWordByte(c) || c == '.' || c == '-' }

// IsPythonName reports whether s can be the name of an argument.
func IsPythonName(s string) bool {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// number reads a number. It may have a sign, no digits before or behind its point, and _ between
// digits.
func (p *python) number() bool {
	if !p.take("+") && p.take("-") {
		p.out = append(p.out, '-')
	}
	from := p.i
	for p.i < len(p.text) && (isWordByte(p.text[p.i]) || p.text[p.i] == '.' || (p.text[p.i] == '-' || p.text[p.i] == '+') && p.i > from && p.text[p.i-1]|0x20 == 'e') {
		p.i++
	}
	text := p.text[from:p.i]
	if strings.Contains(text, "_") {
		if strings.Contains(text, "__") || strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") {
			return false
		}
		text = strings.ReplaceAll(text, "_", "")
	}
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	if whole, rest, ok := strings.Cut(text, "."); ok && (rest == "" || rest[0]|0x20 == 'e') {
		text = whole + ".0" + rest
	}
	p.out = append(p.out, text...)
	return IsNumber(text) && text[0] != '-'
}

// string reads a string, whose escapes count unless an r stands before it.
func (p *python) string() bool {
	raw := p.take("r") || p.take("R")
	quote := ""
	for _, q := range [...]string{`"""`, "'''", `"`, "'"} {
		if p.take(q) {
			quote = q
			break
		}
	}
	if quote == "" {
		return false
	}
	p.out = append(p.out, '"')
	for p.i < len(p.text) {
		n := strings.IndexAny(p.text[p.i:], quote[:1]+`\`)
		if n < 0 {
			return false
		}
		p.out = AppendEscaped(p.out, p.text[p.i:p.i+n])
		p.i += n
		switch {
		case p.take(quote):
			p.out = append(p.out, '"')
			return true
		case p.text[p.i] != '\\':
			p.out = AppendEscaped(p.out, quote[:1])
			p.i++
		case raw && p.i+1 < len(p.text):
			p.out = append(p.out, `\\`...)
			p.i++
			if c := p.text[p.i]; c == quote[0] || c == '\\' { // it ends nothing, and begins no escape
				p.out = AppendEscaped(p.out, p.text[p.i:p.i+1])
				p.i++
			}
		case raw || !p.escape():
			return false
		}
	}
	return false
}

// escape reads an escape in a string. One that Python does not know stands for itself.
func (p *python) escape() bool {
	rest := p.text[p.i+1:]
	if rest == "" {
		return false
	}
	digits, base := 0, rune(16)
	switch c := rest[0]; c {
	case '\n':
		p.i += 2
		return true
	case 'x':
		digits = 2
	case 'U':
		digits = 8
	case 'u':
		r, n := escapedRune([]byte(p.text[p.i:min(len(p.text), p.i+2*unitLen)]))
		if n > 0 && !utf16.IsSurrogate(r) {
			p.i += n
			p.out = AppendEscaped(p.out, string(r))
			return true
		}
		return false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		digits, base, rest = 1, 8, "x"+rest
		for digits < 3 && digits+1 < len(rest) && rest[digits+1] >= '0' && rest[digits+1] <= '7' {
			digits++
		}
		p.i--
	case 'N':
		return false
	default:
		p.i += 2
		if plain := pythonEscapes[c]; plain != 0 {
			p.out = AppendEscaped(p.out, string(rune(plain)))
			return true
		}
		p.i-- // the character, which may be of several bytes, is read as it stands
		p.out = append(p.out, `\\`...)
		return true
	}
	if len(rest) <= digits {
		return false
	}
	r, ok := digitsOf(rest[1:1+digits], base)
	p.i += 2 + digits
	p.out = AppendEscaped(p.out, string(r))
	return ok && utf8.ValidRune(r)
}

// digitsOf returns the number that digits of a base are, and reports whether all are.
func digitsOf(digits string, base rune) (n rune, ok bool) {
	for _, c := range []byte(digits) {
		d := base
		switch letter := c | 0x20; {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case letter >= 'a' && letter <= 'f':
			d = rune(letter-'a') + 10
		}
		if d >= base || n > utf8.MaxRune {
			return 0, false
		}
		n = n*base + d
	}
	return n, true
}

// pythonEscapes are the characters that escapes of two bytes stand for, by the second byte.
var pythonEscapes = [256]byte{'"': '"', '\'': '\'', '\\': '\\', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

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
	for i := 0; i < len(value); {
		switch c := value[i]; c {
		case '"':
			n := i + 1
			for value[n] != '"' {
				if value[n] == '\\' {
					n++
				}
				n++
			}
			dst = AppendString(dst, Unquote(value[i:n+1]))
			i = n + 1
		case 't':
			dst, i = append(dst, "True"...), i+len("true")
		case 'f':
			dst, i = append(dst, "False"...), i+len("false")
		case 'n':
			dst, i = append(dst, "None"...), i+len("null")
		case ',', ':':
			dst, i = append(dst, c, ' '), i+1
		case ' ', '\t', '\r', '\n':
			i++
		default:
			dst, i = append(dst, c), i+1
		}
	}
	return dst
}
