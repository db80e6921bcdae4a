package constrain

import (
	"slices"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/prompt"
	"dragoman/translate/schema"
)

// This file writes rules for parameters that have an element each.

// elements makes the rules for the parameters of a tool.
type elements struct {
	*calls
	frame  *format.Frame
	params []string // in legacy, the tags of the tool's parameters, if values may hold elements with such tags
	*texts
}

// texts are the texts in elements, and the rules for values in them. Tools whose elements have the same tags share them.
type texts struct {
	plain  *text              // strings
	quoted *text              // strings in lists and objects
	inner  map[string]*values // for values other than strings, keyed by the tag of their element
}

// elementsOf returns the elements of a tool's parameters.
func (c *calls) elementsOf(fr *format.Frame, s *schema.Schema) *elements {
	e := &elements{calls: c, frame: fr}
	tags := markup.InCalls.Names()
	for _, text := range []string{fr.Before, fr.Head, fr.Param[0], fr.Param[1], fr.Other, fr.Param[2], fr.Tail, fr.After} {
		tags = append(tags, tagNames(text)...)
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	barred := c.begins
	if namesTags(c.format) && !c.narrow {
		e.params = c.paramTags(s)
		barred = e.params
	}
	key := strings.Join(slices.Concat(tags, barred), " ")
	if c.texts[key] == nil {
		c.texts[key] = &texts{c.plainText(tags, barred), c.jsonText(tags, barred, newStyle(fr.Spaced, fr.Python, false).escape), map[string]*values{}}
	}
	e.texts = c.texts[key]
	return e
}

// namesTags reports whether the tags of parameters have the names of the parameters.
func namesTags(f *format.Format) bool {
	fr, _ := f.FrameOf("")
	return strings.Contains(fr.Param[2], format.ParamName)
}

// others returns the tags of the other parameters of the tool. A value may have elements with these tags.
func (e *elements) others(tag string) []string {
	return slices.DeleteFunc(slices.Clone(e.params), func(other string) bool { return other == tag })
}

// inner returns the rules for values other than strings in the element with this tag.
func (e *elements) inner(tag string) *values {
	if e.texts.inner[tag] == nil {
		style := newStyle(e.frame.Spaced, e.frame.Python, false)
		style.inTag, style.pairs, style.shown = e.quoted, func() []string { return e.others(tag) }, e.written
		style.element = tag
		e.texts.inner[tag] = newValues(&e.grammar, style)
	}
	return e.texts.inner[tag]
}

// paramTags returns the tags of all parameters that a schema names.
func (c *calls) paramTags(s *schema.Schema) (list []string) {
	seen := map[string]bool{}
	add := func(name string) {
		c.spend(1)
		if tag, ok := c.format.ElementName(name); ok && !seen[tag] {
			list, seen[tag] = append(list, tag), true
		}
	}
	for one := range s.Possible() {
		for i := range one.Properties {
			add(one.Properties[i].Name)
		}
		for _, name := range one.Required {
			add(name)
		}
	}
	return list
}

// narrowLetters is how many letters of a parameter's name a narrow text bars. Four are few enough for the rules of
// hundreds of names, and leave most tags of other languages.
const narrowLetters = 4

// paramBegins returns what no narrow text has in a tag: the names of the parameters of all tools, and of longer ones the
// first letters with a [anyRest].
func (c *calls) paramBegins(schemas *prompt.ToolSchemas) (list []string) {
	for _, t := range c.tools {
		for _, tag := range c.paramTags(schemas.Of(t)) {
			if letters := []rune(tag); len(letters) > narrowLetters {
				tag = string(letters[:narrowLetters]) + anyRest
			}
			list = append(list, tag)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// element returns the expression of a parameter; "" if no tag can have its name. It returns false if some values cannot
// be written.
func (e *elements) element(name string, s *schema.Schema) (string, bool) {
	tag, ok := e.format.ElementName(name)
	if !ok {
		return "", false
	}
	shut := strings.ReplaceAll(e.frame.Param[2], format.ParamName, tag)
	if e.frame.Lines {
		shut = "\n" + shut
	}
	texts, others, all := e.values(name, tag, s, shut)
	open := func(behind string, values []string) string {
		if len(values) == 0 {
			return ""
		}
		text := e.frame.Param[0] + tag + behind
		if e.frame.Lines {
			text += "\n"
		}
		return sequence(literal(text), either(values...))
	}
	if e.frame.Other == "" || e.frame.Other == e.frame.Param[1] {
		return open(e.frame.Param[1], append(texts, others...)), all
	}
	var ways []string
	for _, w := range []string{open(e.frame.Param[1], texts), open(e.frame.Other, others)} {
		if w != "" {
			ways = append(ways, w)
		}
	}
	return either(ways...), all
}

// values returns the alternatives for a value, with the text after it: texts for strings, others for other values. If a
// string may be any text, there are no others, because nothing distinguishes them. It returns false if some values
// cannot be written.
func (e *elements) values(name, tag string, s *schema.Schema, shut string) (texts, others []string, all bool) {
	all = true
	for one := range s.Possible() {
		enum := one.Enum()
		for _, value := range enum {
			text, ok := e.format.ElementText(s, value)
			shown := e.written(text, tag)
			ok = ok && !strings.Contains(shown, strings.Trim(shut, "\n")) && e.format.ReadsElement(name, text)
			switch all = all && ok; {
			case !ok:
			case value.Kind() == '"' && strings.Trim(text, "\r\n") != text: // newlines around a value are layout
				texts = append(texts, literal("\n"+shown+"\n"+shut))
			case value.Kind() == '"':
				texts = append(texts, literal(shown+shut))
			default:
				others = append(others, literal(shown+shut))
			}
		}
		switch {
		case len(enum) > 0:
		case one.Allows("string"):
			return []string{e.anyText(name, tag, shut)}, nil, all
		case one.Allows("object") && !e.format.ReadsElement(name, "{"):
			all = false
		default:
			others = append(others, sequence(either(e.inner(tag).typed(one)...), literal(shut)))
		}
	}
	return texts, others, all
}

// anyText returns the expression of any text in an element, and of the text after it. It is one rule up to the closing
// tag, so that it is one token.
func (e *elements) anyText(name, tag, shut string) string {
	closer := strings.TrimRight(shut, "\n")
	body := e.plain.any(e.others(tag)) + " " + literal(closer)
	if !e.format.ReadsElement(name, "<") {
		apart := `< \x09\x0A\x0D`
		if !e.format.ReadsElement(name, "{") {
			apart += `{`
		}
		body = "[^" + apart + "] " + body
		if e.format.ReadsElement(name, "") {
			body = "(" + body + " | " + literal(closer) + ")"
		}
		body = `[ \x09\x0A\x0D]* ` + body
	}
	return sequence(e.rule(body), literal(shut[len(closer):]))
}
