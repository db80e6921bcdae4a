package constrain

import (
	"cmp"
	"slices"
	"strings"

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
	frame   format.Frame       // the text around calls
	ways    []way              // the ways to write a call
	objects *values            // for arguments that are one object, or literals
	inner   map[string]*values // for values in elements, keyed by the closing tag
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
		c.inner = map[string]*values{}
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
	for one := range s.Possible() {
		parts, ok := c.parts(one, func(name string, ps *schema.Schema) (string, bool) { return c.element(fr, name, ps) })
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
	seen := map[string]bool{}
	add := func(name string, ps *schema.Schema) bool {
		required := slices.Contains(s.Required, name)
		seen[name] = true
		text, whole := write(name, ps)
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

// keyword returns the expression of an argument in Python.
func (c *calls) keyword(name string, s *schema.Schema) (string, bool) {
	if !rawjson.IsPythonName(name) {
		return "", false
	}
	return sequence(literal(name+"="), c.objects.value(s)), true
}

// element returns the expression of a parameter in an element; "" if no tag can have its name. It
// returns false if some values cannot be written.
func (c *calls) element(fr *format.Frame, name string, s *schema.Schema) (string, bool) {
	tag, ok := c.format.ElementName(name)
	if !ok {
		return "", false
	}
	shut := strings.ReplaceAll(fr.Param[2], format.ParamName, tag)
	if fr.Lines {
		shut = "\n" + shut
	}
	texts, others, all := c.elementValues(name, s, shut)
	open := func(behind string, values []string) string {
		if len(values) == 0 {
			return ""
		}
		text := fr.Param[0] + tag + behind
		if fr.Lines {
			text += "\n"
		}
		return sequence(literal(text), either(values...))
	}
	if fr.Other == "" || fr.Other == fr.Param[1] {
		return open(fr.Param[1], append(texts, others...)), all
	}
	var ways []string
	for _, w := range []string{open(fr.Param[1], texts), open(fr.Other, others)} {
		if w != "" {
			ways = append(ways, w)
		}
	}
	return either(ways...), all
}

// elementValues returns the alternatives for a value in an element, with the text after it: texts
// for strings, others for other values. If a string may be any text, there are no others, because
// nothing distinguishes them. It returns false if some values cannot be written.
func (c *calls) elementValues(name string, s *schema.Schema, shut string) (texts, others []string, all bool) {
	tag := strings.Trim(shut, "\n")
	all = true
	for one := range s.Possible() {
		enum := one.Enum()
		for _, e := range enum {
			text, ok := c.format.ElementText(s, e)
			ok = ok && !strings.Contains(text, tag) && c.format.ReadsElement(name, text)
			switch all = all && ok; {
			case !ok:
			case e.Kind() == '"' && strings.Trim(text, "\r\n") != text: // newlines around a value are layout
				texts = append(texts, literal("\n"+text+"\n"+shut))
			case e.Kind() == '"':
				texts = append(texts, literal(text+shut))
			default:
				others = append(others, literal(text+shut))
			}
		}
		switch {
		case len(enum) > 0:
		case one.Allows("string"):
			return []string{c.elementText(name, shut)}, nil, all
		case one.Allows("object") && !c.format.ReadsElement(name, "{"):
			all = false
		default:
			others = append(others, sequence(either(c.innerOf(tag).typed(one)...), literal(shut)))
		}
	}
	return texts, others, all
}

// elementText returns the expression of any text in an element, and of the text after it.
func (c *calls) elementText(name, shut string) string {
	closer := strings.TrimRight(shut, "\n")
	rest := c.textUpTo(closer, append(c.markup(), strings.TrimLeft(closer, "\n"))...)
	if !c.format.ReadsElement(name, "<") {
		first := "[^<{ \\x09\\x0A\\x0D] " + rest
		if c.format.ReadsElement(name, "") {
			first = "(" + first + " | " + literal(closer) + ")"
		}
		rest = c.rule("[ \\x09\\x0A\\x0D]* " + first)
	}
	return sequence(rest, literal(shut[len(closer):]))
}

// markup returns the tags of calls and parameters. No text may contain them: it would be unclear whether the tag before
// is closed.
func (c *calls) markup() (list []string) {
	open := func(tag string) {
		for _, behind := range []string{">", " ", "=", "\n", "\t"} {
			list = append(list, "<"+tag+behind)
		}
	}
	param := c.frame.Param[0][1:] // after the bracket
	if i := strings.IndexAny(param, " =>"); i >= 0 {
		param = param[:i]
	}
	open(cmp.Or(param, "parameter")) // the tags of attribute are read in any format
	for tail := range strings.SplitSeq(c.frame.Tail, "</") {
		if tag, _, ok := strings.Cut(tail, ">"); ok && tag != "parameters" {
			open(tag)
			list = append(list, "</"+tag+">")
		}
	}
	return list
}

// innerOf returns the rules for values in an element with this closing tag.
func (c *calls) innerOf(tag string) *values {
	if c.inner[tag] == nil {
		style := newStyle(c.frame.Spaced, c.frame.Python, false)
		style.closer = tag
		c.inner[tag] = newValues(&c.grammar, style)
	}
	return c.inner[tag]
}
