package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file names the type of a property in words.

// typeText returns the type of a property in words: the schema's type, or a type that follows from
// the rest of the schema, or "any".
func (d *definitions) typeText(schema jsontext.Value) string {
	if words := typeNames(rawjson.Lookup(schema, "type")); words != "" {
		return words
	}
	return strings.Join(d.types(schema, 0), " | ")
}

// typeNames returns the value of the keyword type in words, or "" if the value is invalid.
func typeNames(value jsontext.Value) string {
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '"':
		return rawjson.UnquoteKnown(value, typeWords)
	case value[0] != '[':
		return ""
	}
	var names []string
	for name := range rawjson.Elements(value) {
		if name[0] != '"' {
			return ""
		}
		names = append(names, rawjson.UnquoteKnown(name, typeWords))
	}
	return strings.Join(names, " | ")
}

// maxTypeDepth limits how deep types searches a schema.
const maxTypeDepth = 8

// anyType is the type of a schema that allows anything, or that is too deep to search.
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

// refTypes returns the types of the definition that a $ref leads to. It searches each definition
// once.
func (d *definitions) refTypes(ref jsontext.Value, depth int) []string {
	if ref == nil || ref[0] != '"' {
		return nil
	}
	i, whole := d.find(ref)
	if !whole {
		return anyType
	}
	if d.list[i].types == nil {
		d.list[i].types = anyType // if the definition refers to itself
		d.list[i].types = d.types(d.list[i].schema, depth+1)
	}
	return d.list[i].types
}

// typeSet collects types in order. Its methods return false if there is nothing to collect.
type typeSet struct{ list []string }

// add adds names of types, each once. A name that JSON Schema does not know counts as any.
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

// names adds the types that the keyword type names.
func (t *typeSet) names(value jsontext.Value) bool {
	return value != nil && typeNames(value) != "" && t.add(strings.Split(typeNames(value), " | ")...)
}

// values adds the types of the elements of list.
func (t *typeSet) values(list jsontext.Value) bool {
	if list == nil || list[0] != '[' {
		return false
	}
	for v := range rawjson.Elements(list) {
		t.value(v)
	}
	return len(t.list) > 0
}

// value adds the type of v.
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

// branches adds the types of the schemas in list.
func (t *typeSet) branches(d *definitions, list jsontext.Value, depth int) bool {
	if list == nil || list[0] != '[' {
		return false
	}
	for branch := range rawjson.Elements(list) {
		t.add(d.types(branch, depth+1)...)
	}
	return len(t.list) > 0
}
