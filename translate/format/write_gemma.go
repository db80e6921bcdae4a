package format

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file writes Gemma's literals: past calls, and tools. Names have no quotes if possible.

// gemmaMarks are the markers of a version of Gemma: around the declaration of a tool, a call, a
// result, and a string.
type gemmaMarks struct {
	declaration, Call, response [2]string
	quote                       string
}

// maxShown limits the depth of values that are written in another form than compact JSON, because
// each level costs more than the level around it.
const maxShown = 64

// isShallow reports whether a JSON value at this depth stays within maxShown. If bare is true, it
// also requires that all names in the value can be written without quotes.
func isShallow(value jsontext.Value, depth int, bare bool) bool {
	if depth > maxShown {
		return false
	}
	for name, member := range rawjson.NamedMembers(value) {
		if bare && !rawjson.IsPythonName(name) || !isShallow(member, depth+1, bare) {
			return false
		}
	}
	for item := range rawjson.Elements(value) {
		if !isShallow(item, depth+1, bare) {
			return false
		}
	}
	return true
}

// gemmaWriter writes JSON values as literals. text writes the escaped text of a string.
type gemmaWriter struct {
	*markup.Buffer
	quote string
	text  func(string) *markup.Buffer
}

// value writes a value.
func (g *gemmaWriter) value(value jsontext.Value) {
	switch value.Kind() {
	case '"':
		g.string(rawjson.Unquote(value))
	case '{':
		g.object(value, asGiven, func(_ string, member jsontext.Value) { g.value(member) })
	case '[':
		g.list(value, g.value)
	default:
		g.Out = append(g.Out, value...)
	}
}

func (g *gemmaWriter) string(s string) {
	g.Write(g.quote)
	g.text(s).Write(g.quote)
}

// list writes an array, with item for each element.
func (g *gemmaWriter) list(array jsontext.Value, item func(jsontext.Value)) {
	before := byte('[')
	for v := range rawjson.Elements(array) {
		g.Out = append(g.Out, before)
		item(v)
		before = ','
	}
	if before == '[' {
		g.Out = append(g.Out, before)
	}
	g.Out = append(g.Out, ']')
}

// object writes an object, with value for each member. Members in order come in that order; all
// others come where order has "".
func (g *gemmaWriter) object(object jsontext.Value, order []string, value func(name string, member jsontext.Value)) {
	before := byte('{')
	for _, turn := range order {
		for name, member := range rawjson.NamedMembers(object) {
			if name != turn && (turn != "" || slices.Contains(order, name)) {
				continue
			}
			g.Out = append(g.Out, before)
			before = ','
			if rawjson.IsPythonName(name) {
				g.Out = append(g.Out, name...)
			} else {
				g.string(name)
			}
			g.Out = append(g.Out, ':')
			value(name, member)
		}
	}
	if before == '{' {
		g.Out = append(g.Out, before)
	}
	g.Out = append(g.Out, '}')
}

// asGiven keeps the order of members.
var asGiven = []string{""}

// gemmaKeywords are the keywords of a schema in the order of Gemma's declarations; "" means all
// others.
var gemmaKeywords = []string{"description", "nullable", "enum", "items", "", "properties", "required", "type"}

// schema writes a schema, with types in capitals.
func (g *gemmaWriter) schema(s jsontext.Value) {
	if s.Kind() != '{' {
		g.value(s)
		return
	}
	g.object(s, gemmaKeywords, func(keyword string, value jsontext.Value) {
		switch kind := value.Kind(); {
		case keyword == "type":
			g.types(value)
		case kind == '{' && (keyword == "properties" || keyword == "$defs" || keyword == "definitions"):
			g.object(value, asGiven, func(_ string, s jsontext.Value) { g.schema(s) })
		case kind == '{' && (keyword == "items" || keyword == "additionalProperties"):
			g.schema(value)
		case kind == '[' && (keyword == "anyOf" || keyword == "oneOf" || keyword == "allOf"):
			g.list(value, g.schema)
		default:
			g.value(value)
		}
	})
}

// types writes the value of the keyword type.
func (g *gemmaWriter) types(value jsontext.Value) {
	switch value.Kind() {
	case '"':
		g.string(strings.ToUpper(rawjson.Unquote(value)))
	case '[':
		g.list(value, g.types)
	default:
		g.value(value)
	}
}

// describe is [Format.describeTool]. A schema that is too deep for a literal is written as JSON.
func (m *gemmaMarks) describe(w *ToolWriter, t *messages.Tool) error {
	root, err := w.canonicalSchema(t.InputSchema)
	if err != nil {
		return err
	}
	w.Write(m.declaration[0]).WriteTool(t.Name).Write("{description:" + m.quote).WriteTool(t.Description).Write(m.quote + ",parameters:")
	if isShallow(root, 0, false) {
		g := gemmaWriter{&w.Buffer, m.quote, w.WriteTool}
		g.schema(root)
	} else {
		w.WriteTool(string(root))
	}
	w.Write("}" + m.declaration[1])
	return nil
}

// writeCall is [Format.WriteCall]. If the parser could not read a parameter back, all parameters
// are one JSON object.
func (m *gemmaMarks) writeCall(b *markup.Buffer, name string, _ int, input jsontext.Value, s *schema.Schema) {
	b.Write(m.Call[0]).WriteText(name)
	literal := isShallow(input, 0, true)
	for name, value := range rawjson.NamedMembers(input) {
		literal = literal && SameJSON(Retype(s, name, value), value)
	}
	if literal {
		g := gemmaWriter{b, m.quote, b.WriteText}
		g.value(input)
	} else {
		b.WriteText(rawjson.CompactString(input))
	}
	b.Write(m.Call[1])
}
