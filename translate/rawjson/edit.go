package rawjson

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadObject returns an object with all its members. Their values are parts of the text.
func ReadObject(object jsontext.Value) (o Object) {
	for name, value := range NamedMembers(object) {
		o.Members = append(o.Members, Member{name, value})
	}
	return o
}

// Set replaces the value of a member, or adds the member at the end.
func (o *Object) Set(name string, value jsontext.Value) {
	for i, m := range o.Members {
		if m.Name == name {
			o.Members[i].Value = value
			return
		}
	}
	o.Members = append(o.Members, Member{name, value})
}

// JSON returns the object as text, members in order, without blanks between them.
func (o *Object) JSON() jsontext.Value {
	dst := []byte{'{'}
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

// WithMembers returns a JSON object with members replaced, added at its end, or,
// where their value is nil, taken out. All other bytes are kept, but for blanks
// between members.
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
