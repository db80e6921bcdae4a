package schema

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// description is what can be said of the input of a tool in words, parameter by parameter,
// and what is left to be said in JSON Schema. Texts in JSON are as the schema has them; ""
// is for what there is nothing to say of.
type Description struct {
	Parameters  []Parameter
	Schema      string // of all parameters together: what they do not say
	Definitions string // an object of the schemas that a $ref in the others names
}

// parameter describes one property.
type Parameter struct {
	Name          string
	Type          string // in words
	Description   string
	Described     bool // it has a description
	Required      bool
	Enum, Default string // JSON
	Schema        string // where the words above do not say everything
}

// describe describes a schema, which is an object in canonical form: without white space
// between its tokens.
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

// parameter finds what can be said of a property in words.
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

// restates reports whether a title says no more than the name, as generated
// titles do: "User Id" of user_id.
func restates(title, name jsontext.Value) bool {
	return strings.EqualFold(strings.ReplaceAll(string(title), " ", "_"), strings.ReplaceAll(string(name), " ", "_"))
}

// top is the input_schema of a tool, taken apart.
type top struct {
	properties []quotedMember
	required   map[string]bool // by name, quoted
	rest       []quotedMember  // what neither the parameters nor the definitions say
}

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

// require notes the names of a "required" and reports whether all are properties.
func (t *top) require(list jsontext.Value, properties map[string]bool) bool {
	t.required = make(map[string]bool)
	all := true
	for name := range rawjson.Elements(list) {
		t.required[string(name)] = true
		all = all && properties[string(name)]
	}
	return all
}
