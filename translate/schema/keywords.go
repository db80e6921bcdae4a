package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file knows which keywords of JSON Schema hold schemas, and which hold data that only looks
// like schemas.

// quotedMember is a member of a JSON object. Its name is quoted, as in the text.
type quotedMember struct{ name, value jsontext.Value }

// membersOf returns the members of an object, in order.
func membersOf(object jsontext.Value) (list []quotedMember) { return appendMembers(nil, object) }

// appendMembers appends the members of an object to list, in order.
func appendMembers(list []quotedMember, object jsontext.Value) []quotedMember {
	for name, value := range rawjson.Members(object) {
		list = append(list, quotedMember{name, value})
	}
	return list
}

// keywordContent is what a keyword's value consists of.
type keywordContent uint8

const (
	holdsSchemas keywordContent = iota // a schema, a list of schemas, or something plain
	holdsNamed                         // an object from names to schemas
	holdsData                          // data that only looks like schemas
)

// contentOf returns the content of a keyword, given its quoted name.
func contentOf(name jsontext.Value) keywordContent {
	switch string(name) {
	case `"properties"`, `"patternProperties"`, `"$defs"`, `"definitions"`, `"dependentSchemas"`, `"dependencies"`:
		return holdsNamed
	case `"enum"`, `"const"`, `"default"`, `"examples"`, `"example"`:
		return holdsData
	}
	return holdsSchemas
}

// isRef reports whether a member is a $ref.
func isRef(m quotedMember) bool { return string(m.name) == `"$ref"` && m.value[0] == '"' }

// closeJSON closes an array or object whose elements each have a comma after them.
func closeJSON(dst []byte, closer byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst[len(dst)-1] = closer
		return dst
	}
	return append(dst, closer)
}
