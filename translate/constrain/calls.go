package constrain

import (
	"slices"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file writes rules for calls: the format's frame around the arguments of each tool.

// calls are the allowed calls of an answer, and the rules for their contents.
type calls struct {
	grammar
	format  *format.Format
	opening string // the prefill, which begins the first call
	past    int    // number of earlier calls in the conversation
	one     bool   // at most one call
	tools   []*messages.Tool
	frame   format.Frame                  // the text around calls
	ways    []way                         // the ways to write a call
	objects *values                       // for arguments that are one object, or literals
	texts   map[string]*texts             // for values in elements, keyed by the tags that they must not have
	narrow  bool                          // values hold no tag that begins with one of begins; for lists of many parameters
	begins  []string                      // see paramBegins
	written func(text, tag string) string // a value's text as the prompt shows it in the element tag
}

// way is one way to write a call.
type way struct {
	head string // may contain [format.CallNumber]
	rest string // expression of the text after head, up to tail
	tail string // the end of the call, after rest
	both string // expression of rest and tail together; "" if they are just one after the other
}

// end returns the expression of everything after the head.
func (w *way) end() string {
	if w.both != "" {
		return w.both
	}
	return sequence(w.rest, literal(w.tail))
}

// waysOf returns the ways to call a tool. It returns false if the format has no frame.
func (c *calls) waysOf(tool string, s *schema.Schema) (list []way, ok bool) {
	fr, ok := c.format.FrameOf(tool)
	if !ok {
		return nil, false
	}
	c.frame = fr
	if c.objects == nil {
		literals := fr.Arguments == format.PythonArguments
		c.objects = newValues(&c.grammar, newStyle(fr.Spaced, false, literals))
		c.objects.shown = c.written
		c.texts = map[string]*texts{}
	}
	switch fr.Arguments {
	case format.ElementArguments:
		list, ok = c.elementWays(&fr, s)
	case format.PythonArguments:
		list, ok = c.pythonWays(&fr, s)
	default:
		ok = false
	}
	if !ok {
		list = append(list, way{head: fr.Head + fr.InObject[0], rest: c.named(c.objects.argumentsOf(s)), tail: "}" + fr.InObject[1] + fr.Tail})
	}
	return list, true
}

// argumentsOf returns the expression of a tool's arguments as an object, without the closing brace.
func (v *values) argumentsOf(s *schema.Schema) string {
	var list []string
	for one := range s.Possible() {
		list = append(list, sequence(literal("{"), v.members(one, !one.IsBare())))
	}
	return either(list...)
}

// elementWays returns the ways to write arguments as elements. It returns false if some arguments
// cannot be written in this way.
func (c *calls) elementWays(fr *format.Frame, s *schema.Schema) (list []way, all bool) {
	all = true
	e := c.elementsOf(fr, s)
	for one := range s.Possible() {
		parts, ok := c.parts(one, e.element)
		all = all && ok
		switch {
		case parts == nil && !ok:
		case fr.Empty != "" && len(parts) == 0:
			list = append(list, way{head: fr.Empty})
		default:
			list = append(list, way{fr.Head, c.named(c.listed(parts, "", "", "")), fr.Tail, c.named(c.listed(parts, "", "", literal(fr.Tail)))})
			if fr.Empty != "" && !slices.ContainsFunc(parts, func(p part) bool { return p.required }) {
				list = append(list, way{head: fr.Empty})
			}
		}
	}
	return list, all
}

// pythonWays does what elementWays does, for arguments in Python.
func (c *calls) pythonWays(fr *format.Frame, s *schema.Schema) (list []way, all bool) {
	all = true
	for one := range s.Possible() {
		parts, ok := c.parts(one, c.keyword)
		all = all && ok
		if parts != nil || ok {
			list = append(list, way{head: fr.Head, rest: c.named(c.listed(parts, literal(c.objects.comma), "", "")), tail: fr.Tail})
		}
	}
	return list, all
}

// parts returns the expressions of a tool's arguments, as write makes them. If write cannot write
// an argument, it returns "". If it cannot write some values of it, it returns false. parts returns
// false if some arguments cannot be written, and no parts if no call can.
func (c *calls) parts(s *schema.Schema, write func(string, *schema.Schema) (string, bool)) (list []part, all bool) {
	list, all = []part{}, true
	seen, isRequired := map[string]bool{}, setOf(s.Required)
	add := func(name string, ps *schema.Schema) bool {
		required := isRequired[name]
		seen[name] = true
		text, whole := write(name, ps)
		c.spend(len(text))
		if text != "" {
			list = append(list, part{text, required})
		}
		all = all && whole
		return text != "" || !required
	}
	for i := range s.Properties {
		if !add(s.Properties[i].Name, s.Properties[i].Schema()) {
			return nil, false
		}
	}
	unlisted, more := s.Unlisted()
	for _, name := range s.Required {
		if unlisted == nil {
			unlisted = &schema.Schema{}
		}
		if !seen[name] && !add(name, unlisted) {
			return nil, false
		}
	}
	return list, all && (!more || s.IsBare())
}

// setOf returns the set of the names.
func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// keyword returns the expression of an argument in Python.
func (c *calls) keyword(name string, s *schema.Schema) (string, bool) {
	if !rawjson.IsPythonName(name) {
		return "", false
	}
	return sequence(literal(name+"="), c.objects.value(s)), true
}
