package simulated

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// number returns a number of the question that is not used yet. If there is none left,
// it returns the least that the schema allows, or 1.
func (q *question) number(s shownSchema) jsontext.Value {
	for i, n := range q.numbers {
		if _, err := strconv.Atoi(n); err == nil || !s.is("integer") {
			q.numbers = slices.Delete(slices.Clone(q.numbers), i, i+1)
			return jsontext.Value(n)
		}
	}
	if s.Minimum != nil {
		return s.Minimum
	}
	return jsontext.Value("1")
}

// lenient spares the JSON decoder the look-up of every name among its siblings: a
// duplicate in a schema harms nobody here.
var lenient = jsontext.AllowDuplicateNames(true)

// shownSchema is the part of JSON Schema that the simulated model understands. Other
// keywords are passed over: what it writes need not fit them.
type shownSchema struct {
	Type       jsontext.Value            `json:"type"` // a name or a list of names, in any case of the letters
	Enum       []jsontext.Value          `json:"enum"`
	Const      jsontext.Value            `json:"const"`
	Default    jsontext.Value            `json:"default"`
	Ref        string                    `json:"$ref"`
	AllOf      []jsontext.Value          `json:"allOf"`
	AnyOf      []jsontext.Value          `json:"anyOf"`
	OneOf      []jsontext.Value          `json:"oneOf"`
	Properties map[string]jsontext.Value `json:"properties"`
	Required   []string                  `json:"required"`
	Items      jsontext.Value            `json:"items"`
	MinItems   int                       `json:"minItems"`
	Minimum    jsontext.Value            `json:"minimum"`
}

// is reports whether name is the first type that the schema allows.
func (s *shownSchema) is(name string) bool {
	first := strings.ToLower(strings.TrimLeft(string(s.Type), "[ "))
	return strings.HasPrefix(first, `"`+name+`"`)
}

// Bounds on a value, whatever its schema asks for: a schema can refer to itself.
const (
	maxValueDepth = 8
	maxValueItems = 16
)

// value returns a small value that fits the schema, made of words and numbers of the
// question. definitions are the schemas that its $refs can name, depth is how deep the
// value stands in another.
func (q *question) value(schema jsontext.Value, definitions string, depth int) jsontext.Value {
	var s shownSchema
	if json.Unmarshal(schema, &s, lenient) != nil || depth > maxValueDepth {
		return quoteJSON(q.phrase()) // true, or more than we understand
	}
	inner := func(schema jsontext.Value) jsontext.Value { return q.value(schema, definitions, depth+1) }
	// What fixes the value comes before what describes it: const, enum and default leave
	// nothing to make up.
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return q.mentioned(s.Enum)
	case s.Default != nil:
		return s.Default
	case s.Ref != "":
		return inner(resolveRef(definitions, s.Ref))
	case s.is("object") || s.Type == nil && s.Properties != nil:
		return s.object(inner)
	case s.is("array"):
		return s.array(inner)
	case s.is("integer") || s.is("number"):
		return q.number(s)
	case s.is("boolean"):
		return jsontext.Value("true")
	case s.is("null"):
		return jsontext.Value("null")
	case s.Type == nil:
		// Any one of these may do. allOf is usually one $ref with a description beside it.
		for _, among := range [][]jsontext.Value{s.AllOf, s.AnyOf, s.OneOf} {
			if len(among) > 0 {
				return inner(among[0])
			}
		}
	}
	return quoteJSON(q.phrase())
}

// object returns an object with the required properties, whose values are made by value.
func (s *shownSchema) object(value func(jsontext.Value) jsontext.Value) jsontext.Value {
	out := jsontext.Value("{")
	for i, name := range s.Required {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quoteJSON(name)...), ':')
		out = append(out, value(s.Properties[name])...)
	}
	return append(out, '}')
}

// array returns an array of one item, or of the least number that is allowed, whose
// items are made by value.
func (s *shownSchema) array(value func(jsontext.Value) jsontext.Value) jsontext.Value {
	out := jsontext.Value("[")
	for i := range min(max(1, s.MinItems), maxValueItems) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, value(s.Items)...)
	}
	return append(out, ']')
}

// shownDefinitions are the schemas that a schema defines.
type shownDefinitions struct {
	Defs        map[string]jsontext.Value `json:"$defs"`
	Definitions map[string]jsontext.Value `json:"definitions"`
}

// readDefinitions returns what the text of a schema defines, as byRef does.
func readDefinitions(schema string) string {
	var d shownDefinitions
	_ = json.Unmarshal([]byte(schema), &d, lenient) // one we do not understand defines nothing
	return d.byRef()
}

// byRef returns the definitions as a JSON object whose names are the $refs to them.
func (d *shownDefinitions) byRef() string {
	all := make(map[string]jsontext.Value)
	for name, definition := range d.Defs {
		all["#/$defs/"+name] = definition
	}
	for name, definition := range d.Definitions {
		all["#/definitions/"+name] = definition
	}
	out, _ := json.Marshal(all)
	return string(out)
}

// resolveRef returns the schema that a $ref names, nil if definitions has none.
func resolveRef(definitions, ref string) jsontext.Value {
	var all map[string]jsontext.Value
	_ = json.Unmarshal([]byte(definitions), &all, lenient) // none is as good as unreadable
	return all[ref]
}
