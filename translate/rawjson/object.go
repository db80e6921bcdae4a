package rawjson

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is a member of an object.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Object is an object with those of its members that are not yet read.
type Object struct {
	Members []Member
	Length  int // of its text
}

// Member returns a member, or nil.
func (o *Object) Member(name string) jsontext.Value {
	for _, m := range o.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Take returns a member, or nil, and makes its value nil: what is left of an object
// in the end has no place in it.
func (o *Object) Take(name string) (v jsontext.Value) {
	for i := range o.Members {
		if m := &o.Members[i]; m.Name == name {
			v, m.Value = m.Value, nil
			return v
		}
	}
	return nil
}

// AppendMembers appends the members of the object that a text begins with, and
// returns how long the object is. A name that is in known costs no memory. It stops
// behind most of them: then the length is 0.
func AppendMembers(dst []Member, text jsontext.Value, known []string, most int) ([]Member, int) {
	dst, n, _ := AppendMembersUntil("", dst, text, 1, known, most)
	return dst, n
}

// AppendMembersTo is AppendMembers from the nth byte of the text on. It stops at a
// member of the name list, unless that is empty, whose value is an array, and returns
// where that begins: the array is measured by who walks over it, and the value goes on
// to the end of text.
func AppendMembersUntil(list string, dst []Member, text jsontext.Value, n int, known []string, most int) (_ []Member, length int, stopped bool) {
	i := skipSeparators(text, n)
	for ; text[i] != '}'; most-- {
		if most == 0 {
			return dst, 0, false
		}
		end := stringEnd(text, i)
		name := UnquoteKnown(text[i:end], known)
		if i = skipSeparators(text, end); text[i] == '[' && list != "" && name == list {
			return append(dst, Member{name, text[i:]}), i, true
		}
		end = valueEnd(text, i)
		dst = append(dst, Member{name, text[i:end:end]})
		i = skipSeparators(text, end)
	}
	return dst, i + 1, false
}

// Misspelt returns the name in known that name differs from in the case of its
// letters alone; "" if there is none, or if name itself is known.
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
