package rawjson

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads calls written as Python code.

// PythonCall is a call written as Python code.
type PythonCall struct {
	Name      string
	Arguments jsontext.Value // an object
	Spread    bool           // the arguments are in a dict: f(**{"a": 1})
	Object    bool           // the only argument is an object and has no name: f({"a": 1})
}

// ReadPythonCalls reads a Python call, or a list of calls. All arguments are literals with names.
// It returns the complete calls. It returns false if text has anything else.
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
	p.out, p.code = nil, true
	if call.Object = strings.HasPrefix(p.text[p.i:], "{"); call.Object {
		ok = p.object()
	} else {
		ok = p.arguments()
	}
	call.Arguments = p.out
	return call, ok && call.Name != "" && call.Arguments.IsValid()
}

// arguments reads the arguments of a call and the closing parenthesis.
func (p *python) arguments() bool {
	p.out = append(p.out, '{')
	return p.items('{', ')', 0, p.argument)
}

// object reads the only argument of a call, a JSON object or a dict, and the closing parenthesis.
func (p *python) object() bool {
	from := p.i
	ok := p.value(0)
	if v := jsontext.Value(p.text[from:p.i]); ok && v.IsValid() { // JSON, which has other escapes than Python
		p.out = []byte(v)
	}
	p.skipBlanks()
	return ok && p.take(")")
}

// argument reads one argument, or the members of a dict after two stars.
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
	return named && p.take("=") && p.value(depth) && p.adjacent()
}

// IsPythonCallByte reports whether the name of a called function may have c. Tool names allow more
// than Python does.
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
