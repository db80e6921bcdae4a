package rawjson

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// This file changes members of an object and keeps the rest of the text.

// ReadObject returns all members of an object in order. The values are parts of the text. If object
// is not an object, it has no members.
func ReadObject(object jsontext.Value) (o Object) {
	for name, value := range NamedMembers(object) {
		o.Members = append(o.Members, Member{name, value})
	}
	return o
}

// Set replaces the value of the named member, or adds the member at the end.
func (o *Object) Set(name string, value jsontext.Value) {
	for i, m := range o.Members {
		if m.Name == name {
			o.Members[i].Value = value
			return
		}
	}
	o.Members = append(o.Members, Member{name, value})
}

// JSON returns the object as text, with its members in order and no white space between them.
func (o *Object) JSON() jsontext.Value {
	size := len("{}")
	for _, m := range o.Members {
		size += len(m.Name) + len(m.Value) + len(`"":,`)
	}
	dst := append(make([]byte, 0, size), '{')
	for i, m := range o.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, m.Name)
		dst = append(dst, ':')
		dst = append(dst, m.Value...)
	}
	return append(dst, '}')
}

// WithMembers returns an object with changed members. A member in changes is replaced, or added at
// the end, in alphabetical order. If its value is nil, it is removed. Other members keep their
// bytes. White space between members is lost.
func WithMembers(object jsontext.Value, changes map[string]jsontext.Value) jsontext.Value {
	o := ReadObject(object)
	o.Members = slices.DeleteFunc(o.Members, func(m Member) bool {
		value, named := changes[m.Name]
		return named && value == nil
	})
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if changes[name] != nil {
			o.Set(name, changes[name])
		}
	}
	return o.JSON()
}
