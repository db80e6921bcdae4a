package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file describes the input of a tool in words, as far as words can.

// Description is the description of a tool's input in words, parameter by parameter. What words do
// not say is left as JSON Schema. The JSON is written as in the schema, and mostly points into the
// schema's text; nil means that nothing is left to say.
type Description struct {
	Parameters  []Parameter
	Schema      jsontext.Value // of all parameters together, beyond what each one says
	Definitions jsontext.Value // an object with the schemas that a $ref in the other fields names
}

// Parameter describes one property.
type Parameter struct {
	Name          string
	Type          string // in words, such as "string" or "integer | null"
	Description   []byte // nil if the schema has none
	Required      bool
	Enum, Default jsontext.Value
	Schema        jsontext.Value // what the fields above do not say
}

// Describe describes a tool's input_schema. root is an object without white space between tokens
// and without needless escapes, because keywords are compared byte by byte.
func Describe(root jsontext.Value) Description {
	defs := readDefinitions(root)
	top := readTop(defs.flatten(root))
	d := Description{Parameters: make([]Parameter, len(top.properties))}
	for i, p := range top.properties {
		d.Parameters[i] = defs.parameter(p.name, p.value)
		d.Parameters[i].Required = top.required != nil && top.required[i]
	}
	if len(top.rest) > 0 && !top.isClosed() {
		d.Schema = defs.appendObject(nil, top.rest, 0)
	}
	d.Definitions = defs.listByName()
	return d
}

// parameter describes the named property; name is quoted.
func (d *definitions) parameter(name, schema jsontext.Value) Parameter {
	p := Parameter{Name: rawjson.Unquote(name), Type: d.typeText(schema)}
	if schema[0] != '{' {
		if string(schema) != "true" {
			p.Schema = schema
		}
		return p
	}
	members := d.flatten(schema)
	rest, more := members[:0], false
	for _, m := range members {
		switch string(m.name) {
		case `"description"`:
			if m.value[0] == '"' && p.Description == nil {
				p.Description = rawjson.UnquoteBytes(m.value)
				continue
			}
			more = true
		case `"default"`:
			p.Default = m.value
			continue
		case `"title"`:
			if restates(m.value, name) {
				continue
			}
			more = true
		case `"enum"`:
			if m.value[0] == '[' {
				p.Enum = m.value
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
		p.Schema = d.appendObject(nil, rest, 0)
	}
	return p
}

// restates reports whether a title only repeats the name, as generated titles do: "User Id" for
// user_id.
func restates(title, name jsontext.Value) bool {
	return strings.EqualFold(strings.ReplaceAll(string(title), " ", "_"), strings.ReplaceAll(string(name), " ", "_"))
}

// top is a tool's input_schema, split into its parts.
type top struct {
	properties []quotedMember
	required   []bool         // of each property; nil if none is required
	rest       []quotedMember // members that are neither parameters nor definitions
}

// readTop sorts the members of a tool's input_schema.
func readTop(members []quotedMember) top {
	var t top
	for _, m := range members {
		if string(m.name) == `"properties"` {
			t.properties = appendMembers(t.properties, m.value)
		}
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
			if m.value[0] == '[' && t.require(m.value) {
				continue
			}
		}
		t.rest = append(t.rest, m)
	}
	return t
}

// isClosed reports whether all that is left is that no other properties are allowed. A list of
// parameters says that already.
func (t *top) isClosed() bool {
	return len(t.rest) == 1 && string(t.rest[0].name) == `"additionalProperties"` && string(t.rest[0].value) == "false"
}

// fewProperties is the most properties that are searched without a map.
const fewProperties = 16

// require notes the names in "required". It returns false if one of them is not a property.
func (t *top) require(list jsontext.Value) bool {
	var byName map[string]int // the last property with the name
	if len(t.properties) > fewProperties {
		byName = make(map[string]int, len(t.properties))
		for i, p := range t.properties {
			byName[string(p.name)] = i
		}
	}
	t.required = make([]bool, len(t.properties))
	all := true
	for name := range rawjson.Elements(list) {
		i, ok := byName[string(name)]
		if byName == nil {
			i = slices.IndexFunc(t.properties, func(p quotedMember) bool { return bytes.Equal(p.name, name) })
			ok = i >= 0
		}
		if ok {
			t.required[i] = true
		}
		all = all && ok
	}
	return all
}
