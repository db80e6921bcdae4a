package schema

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file describes the input of a tool in words, as far as words go.

// Description is what can be said of the input of a tool in words, parameter by parameter, and
// the JSON Schema of what words do not say. JSON is written as in the schema; "" means that
// nothing is left to say.
type Description struct {
	Parameters  []Parameter
	Schema      string // of all parameters together, what they do not say one by one
	Definitions string // an object of the schemas that a $ref in the others names
}

// Parameter describes one property.
type Parameter struct {
	Name          string
	Type          string // in words, such as "string" or "integer | null"
	Description   string
	Described     bool // the schema has a description, if only an empty one
	Required      bool
	Enum, Default string // JSON
	Schema        string // what the words above do not say
}

// Describe describes a tool's input_schema. root is an object without white space between its
// tokens and without needless escapes: keywords are compared as they are written.
func Describe(root jsontext.Value) Description {
	defs := readDefinitions(root)
	top := readTop(defs.flatten(root))
	d := Description{Parameters: make([]Parameter, len(top.properties))}
	for i, p := range top.properties {
		d.Parameters[i] = defs.parameter(p.name, p.value)
		d.Parameters[i].Required = top.required[string(p.name)]
	}
	if len(top.rest) > 0 {
		d.Schema = string(defs.appendObject(nil, top.rest, 0))
	}
	d.Definitions = defs.listByName()
	return d
}

// parameter describes the property of that name; name is quoted.
func (d *definitions) parameter(name, schema jsontext.Value) Parameter {
	p := Parameter{Name: rawjson.Unquote(name), Type: d.typeText(schema)}
	if schema[0] != '{' {
		if string(schema) != "true" {
			p.Schema = string(schema)
		}
		return p
	}
	members := d.flatten(schema)
	rest, more := members[:0], false
	for _, m := range members {
		switch string(m.name) {
		case `"description"`:
			if m.value[0] == '"' && !p.Described {
				p.Description, p.Described = rawjson.Unquote(m.value), true
				continue
			}
			more = true
		case `"default"`:
			p.Default = string(m.value)
			continue
		case `"title"`:
			if restates(m.value, name) {
				continue
			}
			more = true
		case `"enum"`:
			if m.value[0] == '[' {
				p.Enum = string(m.value)
			} else {
				more = true
			}
		case `"type"`:
			more = more || typeNames(m.value) == ""
		default:
			more = true
		}
		rest = append(rest, m)
	}
	if more {
		p.Schema = string(d.appendObject(nil, rest, 0))
	}
	return p
}

// restates reports whether a title says no more than the name, as generated titles do: "User Id"
// of user_id.
func restates(title, name jsontext.Value) bool {
	return strings.EqualFold(strings.ReplaceAll(string(title), " ", "_"), strings.ReplaceAll(string(name), " ", "_"))
}

// top is a tool's input_schema, taken apart.
type top struct {
	properties []quotedMember
	required   map[string]bool // by name, quoted
	rest       []quotedMember  // what neither the parameters nor the definitions say
}

// readTop sorts the members of a tool's input_schema.
func readTop(members []quotedMember) top {
	var t top
	names := make(map[string]bool)
	for _, m := range members {
		if string(m.name) == `"properties"` {
			t.properties = appendMembers(t.properties, m.value)
		}
	}
	for _, p := range t.properties {
		names[string(p.name)] = true
	}
	for _, m := range members {
		object := m.value[0] == '{'
		switch string(m.name) {
		case `"properties"`, `"$defs"`, `"definitions"`:
			if object {
				continue
			}
		case `"$schema"`, `"title"`:
			continue
		case `"type"`:
			if string(m.value) == `"object"` {
				continue
			}
		case `"required"`:
			if m.value[0] == '[' && t.require(m.value, names) {
				continue
			}
		}
		t.rest = append(t.rest, m)
	}
	return t
}

// require notes the names in a "required", and reports whether all of them are properties.
func (t *top) require(list jsontext.Value, properties map[string]bool) bool {
	t.required = make(map[string]bool)
	all := true
	for name := range rawjson.Elements(list) {
		t.required[string(name)] = true
		all = all && properties[string(name)]
	}
	return all
}
