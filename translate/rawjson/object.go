package rawjson

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads objects with members that are looked up by name.

// Member is one member of an object.
type Member struct {
	Name  string         // decoded
	Value jsontext.Value // a part of the text; nil after Object.Take
}

// Object is an object with members that are still to be read. A reader takes the members that it
// knows. The members that are left do not belong in the object.
type Object struct {
	Members []Member
}

// Member returns the value of the named member, or nil.
func (o *Object) Member(name string) jsontext.Value {
	for _, m := range o.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Take returns the value of the named member, or nil, and sets it to nil in the object.
func (o *Object) Take(name string) (v jsontext.Value) {
	for i := range o.Members {
		if m := &o.Members[i]; m.Name == name {
			v, m.Value = m.Value, nil
			return v
		}
	}
	return nil
}

// AppendMembers appends the members of an object to dst; see [Reader.AppendMembers].
func AppendMembers(dst []Member, object jsontext.Value, known []string, most int) []Member {
	return Read(object).AppendMembers(dst, known, most)
}

// Misspelt returns the name in known that differs from name only in case. It returns "" if there is
// none, or if name itself is known.
func Misspelt(name string, known []string) (near string) {
	for _, k := range known {
		switch {
		case k == name:
			return ""
		case len(k) == len(name) && strings.EqualFold(k, name):
			near = k
		}
	}
	return near
}
