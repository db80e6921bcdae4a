package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// typeWord returns the type of a property as its description says it: what the
// schema says, else what follows from the rest of it, else "any".
func (d *definitions) typeText(schema jsontext.Value) string {
	if words := typeNames(rawjson.Lookup(schema, "type")); words != "" {
		return words
	}
	return strings.Join(d.types(schema, 0), " | ")
}

// typeNames returns the value of a "type" in words, "" if it is not of the kind
// that JSON Schema knows.
func typeNames(value jsontext.Value) string {
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '"':
		return rawjson.Unquote(value)
	case value[0] != '[':
		return ""
	}
	var names []string
	for name := range rawjson.Elements(value) {
		if name[0] != '"' {
			return ""
		}
		names = append(names, rawjson.Unquote(name))
	}
	return strings.Join(names, " | ")
}

// maxTypeDepth bounds how far types looks for a type.
const maxTypeDepth = 8

var anyType = []string{"any"}

// types returns the types of the values that a schema allows, each once.
func (d *definitions) types(schema jsontext.Value, depth int) []string {
	if depth > maxTypeDepth || schema[0] != '{' {
		return anyType
	}
	var set typeSet
	switch {
	case set.names(rawjson.Lookup(schema, "type")):
	case set.values(rawjson.Lookup(schema, "enum")):
	case set.value(rawjson.Lookup(schema, "const")):
	case set.add(d.refTypes(rawjson.Lookup(schema, "$ref"), depth)...):
	case set.branches(d, rawjson.Lookup(schema, "anyOf"), depth):
	case set.branches(d, rawjson.Lookup(schema, "oneOf"), depth):
	case set.branches(d, rawjson.Lookup(schema, "allOf"), depth):
	case rawjson.Lookup(schema, "properties") != nil, rawjson.Lookup(schema, "additionalProperties") != nil:
		set.add("object")
	case rawjson.Lookup(schema, "items") != nil, rawjson.Lookup(schema, "prefixItems") != nil:
		set.add("array")
	default:
		return anyType
	}
	if slices.Contains(set.list, anyType[0]) {
		return anyType
	}
	return set.list
}

// refTypes is types of the definition that a $ref names. Each is looked into once.
func (d *definitions) refTypes(ref jsontext.Value, depth int) []string {
	if ref == nil || ref[0] != '"' {
		return nil
	}
	i, whole := d.find(ref)
	if !whole {
		return anyType
	}
	if d.list[i].types == nil {
		d.list[i].types = anyType // should it name itself
		d.list[i].types = d.types(d.list[i].schema, depth+1)
	}
	return d.list[i].types
}

// typeSet gathers types in the order in which they come. Its methods tell
// whether there was anything to gather.
type typeSet struct{ list []string }

func (t *typeSet) add(names ...string) bool {
	for _, name := range names {
		if _, known := kindNames[name]; !known {
			name = anyType[0]
		}
		if !slices.Contains(t.list, name) {
			t.list = append(t.list, name)
		}
	}
	return len(names) > 0
}

func (t *typeSet) names(value jsontext.Value) bool {
	return value != nil && typeNames(value) != "" && t.add(strings.Split(typeNames(value), " | ")...)
}

func (t *typeSet) values(list jsontext.Value) bool {
	if list == nil || list[0] != '[' {
		return false
	}
	for v := range rawjson.Elements(list) {
		t.value(v)
	}
	return len(t.list) > 0
}

func (t *typeSet) value(v jsontext.Value) bool {
	if v == nil {
		return false
	}
	switch v[0] {
	case '"':
		return t.add("string")
	case '{':
		return t.add("object")
	case '[':
		return t.add("array")
	case 't', 'f':
		return t.add("boolean")
	case 'n':
		return t.add("null")
	}
	if bytes.ContainsAny(v, ".eE") {
		return t.add("number")
	}
	return t.add("integer")
}

func (t *typeSet) branches(d *definitions, list jsontext.Value, depth int) bool {
	if list == nil || list[0] != '[' {
		return false
	}
	for branch := range rawjson.Elements(list) {
		t.add(d.types(branch, depth+1)...)
	}
	return len(t.list) > 0
}
