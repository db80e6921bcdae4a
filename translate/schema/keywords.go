package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file knows which keywords of JSON Schema hold schemas, and which hold data that only looks
// like schemas. Describing a schema needs that.

// quotedMember is a member of a JSON object, its name quoted as in the text.
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

// keywordContent is what the value of a keyword of JSON Schema is made of.
type keywordContent uint8

const (
	holdsSchemas keywordContent = iota // a schema, a list of schemas, or something plain
	holdsNamed                         // schemas by name
	holdsData                          // values that only look like schemas
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

// closeJSON ends an array or object in which a comma follows each element.
func closeJSON(dst []byte, closer byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst[len(dst)-1] = closer
		return dst
	}
	return append(dst, closer)
}
