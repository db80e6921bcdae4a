package rawjson

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads calls as they stand in a program in Python.

// PythonCall is a call as it stands in a program.
type PythonCall struct {
	Name      string
	Arguments jsontext.Value // an object
	Spread    bool           // they stand in a dict: f(**{"a": 1})
	Object    bool           // they are the one argument, and it has no name: f({"a": 1})
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
	p.out, p.joins = nil, true
	if call.Object = strings.HasPrefix(p.text[p.i:], "{"); call.Object {
		ok = p.object()
	} else {
		ok = p.arguments()
	}
	call.Arguments = p.out
	return call, ok && call.Name != "" && call.Arguments.IsValid()
}

// arguments reads the arguments of a call, and the parenthesis behind them.
func (p *python) arguments() bool {
	p.out = append(p.out, '{')
	return p.items('{', ')', 0, p.argument)
}

// object reads the one argument of a call, which is an object of JSON or a dict, and the parenthesis behind it.
func (p *python) object() bool {
	from := p.i
	ok := p.value(0)
	if v := jsontext.Value(p.text[from:p.i]); ok && v.IsValid() { // whose strings have other escapes than those of Python
		p.out = []byte(v)
	}
	p.skipBlanks()
	return ok && p.take(")")
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
	return named && p.take("=") && p.value(depth) && p.adjacent()
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
