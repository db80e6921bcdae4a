package held

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Calls in literal syntax: [book(note="a"), ping()], call:book{count:3}. They are read as a whole, when their last
// bracket has come.

// Literals describes the place and the syntax of such calls.
type Literals struct {
	Syntax   format.LiteralSyntax
	Tools    *format.ToolNames
	SchemaOf func(name string) *schema.Schema // returns the schema of the offered tool with a name, or nil
	Escaped  markup.Escapes                   // what the prompt has escaped
	Bare     bool                             // the calls have no wrapper
	Marked   bool                             // the wrapper belongs to a format with literals: the tool need not be offered
	Marks    bool                             // the wrapper belongs to Gemma
	Objects  bool                             // the arguments of each call are one JSON object: [book({"note": "a"})]
	MidLine  bool                             // text precedes the calls on their line
	Unclosed bool                             // a tag replaces the last bracket
	Ended    bool                             // the end of the wrapper follows, or the next wrapper
}

// Literal is one call in literal syntax.
type Literal struct {
	Name  string
	Input jsontext.Value
	Slips []messages.Reason
}

// Read returns the whole calls in text. ok reports whether text contains only calls, and nothing shows that they
// are not meant.
func (l *Literals) Read(text string) (calls []Literal, ok bool) {
	if l.Syntax == format.GemmaLiteral {
		calls, ok = l.readGemma(text)
	} else {
		calls, ok = l.readPython(text)
	}
	batch := slices.ContainsFunc(calls, func(c Literal) bool { return l.SchemaOf(c.Name) != nil })
	for i := range calls {
		c := &calls[i]
		s := l.SchemaOf(c.Name)
		switch {
		case l.Unclosed && s != nil && MayLackAnother(s, c.Input):
			return nil, false
		case s == nil && batch && !l.Objects && format.IsToolName(c.Name): // beside calls of offered tools
			continue
		case !l.MayCall(c.Name):
			return calls[:i], false
		}
		ok = ok && (!l.Bare || l.mayBeBare(c, s))
	}
	if l.Unclosed && len(calls) > 0 {
		calls[0].Slips = append([]messages.Reason{messages.ReasonMissingBrace}, calls[0].Slips...)
	}
	return calls, ok
}

// MayCall reports whether calls may name a tool: an offered tool or, between markers, any tool.
func (l *Literals) MayCall(name string) bool {
	tool, _ := l.Tools.Find(name)
	return tool != nil || l.Marked && format.IsToolName(name)
}

// readPython is Read for Python calls.
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
		case c.Object && !Takes(l.schemaOf(c.Name), call.Input): // the object may be the value of a parameter
			return calls, false
		case c.Object:
			call.Slips = []messages.Reason{messages.ReasonJSONCall}
		case !c.Spread:
			call.Input = l.retyped(c.Name, call.Input)
		}
		calls = append(calls, call)
	}
	return calls, ok
}

// schemaOf returns the schema of the tool that a call names. For an unknown tool, it is an object of strings.
func (l *Literals) schemaOf(name string) *schema.Schema {
	if s := l.SchemaOf(name); s != nil {
		return s
	}
	return schema.ObjectOfStrings
}

// mayBeBare reports whether a call without a wrapper counts. s is the schema of its tool.
func (l *Literals) mayBeBare(c *Literal, s *schema.Schema) bool {
	if s == nil || l.MidLine && len(c.Input) == len("{}") {
		return false
	}
	return !slices.ContainsFunc(s.Required, func(name string) bool { return rawjson.Lookup(c.Input, name) == nil })
}

// retyped converts strings in the input of a call to the types of the tool's schema.
func (l *Literals) retyped(name string, input jsontext.Value) jsontext.Value {
	s := l.schemaOf(name)
	o := rawjson.ReadObject(input)
	for i := range o.Members {
		m := &o.Members[i]
		m.Value = format.Retype(s, m.Name, m.Value)
	}
	return o.JSON()
}
