package held

import (
	"slices"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"

	"github.com/go-json-experiment/json/jsontext"
)

// Calls that are literals of a language: [book(note="a"), ping()], call:book{count:3}. They are read when their last
// bracket has come.

// Literals is what is known of such calls besides their text.
type Literals struct {
	Syntax   format.LiteralSyntax
	Tools    *format.ToolNames
	SchemaOf func(name string) *schema.Schema // that of the offered tool that a name stands for; nil if there is none
	Escaped  markup.Escapes                   // what the prompt has escaped
	Bare     bool                             // no wrapper is around them
	Marked   bool                             // the wrapper is that of a format of literals: a tool need not be offered
	Marks    bool                             // … that of Gemma
	Objects  bool                             // each has one object of JSON as its arguments: [book({"note": "a"})]
	MidLine  bool                             // text stands before them on their line
	Unclosed bool                             // a tag stands where the last bracket belongs
	Ended    bool                             // the end of their wrapper follows, or the next wrapper
}

// Literal is one of them.
type Literal struct {
	Name  string
	Input jsontext.Value
	Slips []string
}

// Read returns the calls in text that are whole, and reports whether text is nothing but calls and nothing speaks
// against them.
func (l *Literals) Read(text string) (calls []Literal, ok bool) {
	if l.Syntax == format.GemmaLiteral {
		calls, ok = l.readGemma(text)
	} else {
		calls, ok = l.readPython(text)
	}
	for i := range calls {
		c := &calls[i]
		s := l.SchemaOf(c.Name)
		switch {
		case l.Unclosed && s != nil && MayLackAnother(s, c.Input):
			return nil, false
		case !l.MayCall(c.Name):
			return calls[:i], false
		}
		ok = ok && (!l.Bare || l.mayBeBare(c, s))
	}
	if l.Unclosed && len(calls) > 0 {
		calls[0].Slips = append([]string{"missing_brace"}, calls[0].Slips...)
	}
	return calls, ok
}

// MayCall reports whether calls may name a tool: an offered one, or any between markers.
func (l *Literals) MayCall(name string) bool {
	tool, _ := l.Tools.Find(name)
	return tool != nil || l.Marked && format.IsToolName(name)
}

// readPython is Read for calls in Python.
func (l *Literals) readPython(text string) (calls []Literal, ok bool) {
	if l.Unclosed {
		text += "]"
	}
	read, ok := rawjson.ReadPythonCalls(text)
	for _, c := range read {
		call := Literal{Name: c.Name, Input: jsontext.Value(markup.Unescape(string(c.Arguments), l.Escaped, ""))}
		switch {
		case l.Objects && !c.Object:
			return calls, false
		case c.Object && !Takes(l.schemaOf(c.Name), call.Input): // it may be the value of a parameter
			return calls, false
		case c.Object:
			call.Slips = []string{"json_call"}
		case !c.Spread:
			call.Input = l.retyped(c.Name, call.Input)
		}
		calls = append(calls, call)
	}
	return calls, ok
}

// schemaOf returns the schema of the tool that a call names.
func (l *Literals) schemaOf(name string) *schema.Schema {
	if s := l.SchemaOf(name); s != nil {
		return s
	}
	return schema.ObjectOfStrings
}

// mayBeBare reports whether a call counts that stands without a wrapper. s is the schema of its tool.
func (l *Literals) mayBeBare(c *Literal, s *schema.Schema) bool {
	if s == nil || l.MidLine && len(c.Input) == len("{}") {
		return false
	}
	return !slices.ContainsFunc(s.Required, func(name string) bool { return rawjson.Lookup(c.Input, name) == nil })
}

// retyped returns the input of a call with the values that the schema of its tool has as something else than strings.
func (l *Literals) retyped(name string, input jsontext.Value) jsontext.Value {
	s := l.schemaOf(name)
	o := rawjson.ReadObject(input)
	for i := range o.Members {
		m := &o.Members[i]
		m.Value = format.Retype(s, m.Name, m.Value)
	}
	return o.JSON()
}
