package simulated

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// The tools of the format whose tools are types of TypeScript (docs/reference/formats.md §7).

// readTypes is readTools for tools that are types of a namespace.
func readTypes(system string) (tools []shownTool, rest string) {
	const end = "\n} // namespace"
	_, list, found := cutLast(system, "namespace functions {\n")
	list, rest, closed := strings.Cut(list, end)
	if !found || !closed {
		return nil, system
	}
	for text := range strings.SplitSeq(list, ") => any;") {
		head, parameters, found := strings.Cut(text, " = (")
		if !found {
			break
		}
		comments, name, _ := cutLast(head, "type ")
		t := shownTool{name: name}
		for line := range strings.Lines(strings.TrimSpace(comments)) {
			line = strings.TrimPrefix(line, "// ")
			if definitions, ok := strings.CutPrefix(line, "definitions: "); ok {
				t.definitions = definitions
			} else {
				t.description += line
			}
		}
		if _, object, found := strings.Cut(parameters, "_: {"); found {
			r := typeReader{text: object}
			t.parameters = r.members()
		}
		tools = append(tools, t)
	}
	return tools, rest
}

// typeReader reads types, from what is left of a text.
type typeReader struct{ text string }

// members reads the members of an object up to the bracket behind them. Comments say what types do not.
func (r *typeReader) members() (list []shownParameter) {
	for {
		schema := r.comments()
		if r.text == "" || r.take("}") {
			return list
		}
		var p shownParameter
		if n := stringLength(r.text); r.text[0] == '"' {
			_ = json.Unmarshal([]byte(r.text[:n]), &p.name) // what is no string has no name
			r.text = r.text[n:]
		} else if n = wordLength(r.text); n > 0 {
			p.name, r.text = r.text[:n], r.text[n:]
		} else {
			return list
		}
		p.required = !r.take("?")
		r.take(":")
		if p.schema = r.union(); schema != "" {
			p.schema = schema
		}
		r.take(",")
		if line, _, _ := strings.Cut(r.text, "\n"); strings.HasPrefix(line, " // integer") {
			p.schema = strings.Replace(p.schema, `"number"`, `"integer"`, 1)
		}
		list = append(list, p)
	}
}

// comments reads past comments, and returns the schema that one of them has.
func (r *typeReader) comments() (schema string) {
	for {
		r.text = strings.TrimLeft(r.text, " \n")
		if !strings.HasPrefix(r.text, "//") {
			return schema
		}
		line, rest, _ := strings.Cut(r.text, "\n")
		if found, ok := strings.CutPrefix(line, "// schema: "); ok {
			schema = found
		}
		r.text = rest
	}
}

// take reads a text that stands next, and reports whether it does.
func (r *typeReader) take(s string) (found bool) {
	r.text, found = strings.CutPrefix(strings.TrimLeft(r.text, " "), s)
	return found
}

// union reads a type, and returns the JSON Schema of it.
func (r *typeReader) union() string {
	var schemas, values []string
	for {
		schema, value := r.one()
		for r.take("[]") {
			schema, value = `{"type":"array","items":`+schema+`}`, ""
		}
		schemas = append(schemas, schema)
		if value != "" {
			values = append(values, value)
		}
		if !r.take("|") {
			break
		}
	}
	switch {
	case len(values) == len(schemas):
		return `{"enum":[` + strings.Join(values, ",") + `]}`
	case len(schemas) == 1:
		return schemas[0]
	}
	return `{"anyOf":[` + strings.Join(schemas, ",") + `]}`
}

// one reads one alternative of a type: a schema and, of a literal, its value.
func (r *typeReader) one() (schema, value string) {
	r.text = strings.TrimLeft(r.text, " ")
	switch {
	case r.take("("):
		schema = r.union()
		r.take(")")
		return schema, ""
	case r.take("{"):
		return objectOf(r.members()), ""
	case strings.HasPrefix(r.text, `"`):
		n := stringLength(r.text)
		value, r.text = r.text[:n], r.text[n:]
		return `{"enum":[` + value + `]}`, value
	}
	n := strings.IndexAny(r.text+",", " ,|[])")
	word := r.text[:n]
	r.text = r.text[n:]
	switch {
	case word == "any":
		return "{}", ""
	case slices.Contains([]string{"string", "number", "boolean", "object", "null"}, word):
		return `{"type":"` + word + `"}`, ""
	}
	return `{"enum":[` + word + `]}`, word
}

// objectOf returns the JSON Schema of an object with these members.
func objectOf(members []shownParameter) string {
	var properties, required []string
	for _, p := range members {
		name := string(quoteJSON(p.name))
		properties = append(properties, name+":"+p.schema)
		if p.required {
			required = append(required, name)
		}
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`
}
