package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// jsonMember is a member of a JSON object; its name is quoted.
type jsonMember struct{ name, value jsontext.Value }

// membersOf returns the members of an object, in order.
func membersOf(object jsontext.Value) (list []jsonMember) { return appendMembers(nil, object) }

func appendMembers(list []jsonMember, object jsontext.Value) []jsonMember {
	for name, value := range rawjson.Members(object) {
		list = append(list, jsonMember{name, value})
	}
	return list
}

// holds tells what the value of a keyword of JSON Schema is made of.
type holds uint8

const (
	holdsSchemas holds = iota // a schema, a list of schemas, or something plain
	holdsNamed                // schemas by name
	holdsData                 // values that only look like schemas
)

func keywordHolds(name jsontext.Value) holds {
	switch string(name) {
	case `"properties"`, `"patternProperties"`, `"$defs"`, `"definitions"`, `"dependentSchemas"`, `"dependencies"`:
		return holdsNamed
	case `"enum"`, `"const"`, `"default"`, `"examples"`, `"example"`:
		return holdsData
	}
	return holdsSchemas
}

func isRef(m jsonMember) bool { return string(m.name) == `"$ref"` && m.value[0] == '"' }

// closeJSON ends a list whose every element has a comma after it.
func closeJSON(dst []byte, closer byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst[len(dst)-1] = closer
		return dst
	}
	return append(dst, closer)
}
