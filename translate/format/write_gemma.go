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

// What is written in the literals of Gemma: past calls, and the tools. Names stand without quotes, if they can.

// gemmaMarks are the markers of a version of Gemma: before and behind the declaration of a tool, a call and
// a result, and around a string.
type gemmaMarks struct {
	declaration, Call, response [2]string
	quote                       string
}

// maxShown bounds how deep a value is that is shown in another form than compact JSON: each level costs
// more than the one around it.
const maxShown = 64

// isShallow reports whether a JSON value that lies within depth others is no deeper, and with bare whether the
// names of all members in it can stand without quotes.
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

// gemmaWriter writes JSON values as literals. text writes the text of a string, escaped.
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

// list writes an array, each item by a function.
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

// object writes an object, each value by a function. Members of these names stand in this order; others
// stand where it has "".
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

// asGiven is the order of members as they are.
var asGiven = []string{""}

// gemmaKeywords are those of a schema in the order in which a declaration has them; "" is all others.
var gemmaKeywords = []string{"description", "nullable", "enum", "items", "", "properties", "required", "type"}

// schema writes a schema, in which types are written in capitals.
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

// describe is [Format.describeTool]. Where a schema is too deep for a literal, it is JSON.
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

// writeCall is [Format.WriteCall]. Where a parameter cannot be written so that the parser reads it back,
// all stand as one JSON object.
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
