package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"dragoman/translate"
)

// key is a key of the file: a field with the tag yaml, which is its name. Its other tags say:
//
//	default, usually   the value in effect if the file has none; in words, if that depends on other values
//	min, max, words    what may stand there; list names words that are known at run time alone
//	is, pattern        the check of a text (see checks), or secret or path; the pattern for the JSON Schema
//	required, kinds    that its mapping needs it; which kinds of mapping have it (the first key is the kind)
//	named              that it is a mapping whose names are the user's own, and not a list
//	alone, all         that a single value stands for the mapping with this key; the word for a whole list
//	example, see       for the page of keys; see counts for the keys below, too
//
// The zero value of a bool is its default.
type key struct {
	name string
	tag  reflect.StructTag
	v    reflect.Value
}

// keysOf returns the keys of the struct at p. The tags of an embedded struct are those of each of its fields.
func keysOf(p any) []key { return keysIn(reflect.ValueOf(p).Elem(), "") }

func keysIn(v reflect.Value, tags reflect.StructTag) (ks []key) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag := f.Tag + " " + tags
		if name, ok := tag.Lookup("yaml"); ok {
			ks = append(ks, key{name, tag, v.Field(i)})
		} else if f.Anonymous {
			ks = append(ks, keysIn(v.Field(i), tag)...)
		}
	}
	return ks
}

// keys returns the keys of a mapping, nil if k is none.
func (k key) keys() []key {
	if k.v.Kind() != reflect.Struct {
		return nil
	}
	return keysIn(k.v, "")
}

// isList reports whether k has elements: a list, or a mapping whose names are the user's own.
func (k key) isList() bool { return k.v.Kind() == reflect.Slice }

// at returns element i.
func (k key) at(i int) key { return key{"", k.tag, k.v.Index(i)} }

// grow appends an element, and returns it.
func (k key) grow() key {
	k.v.Set(reflect.Append(k.v, reflect.Zero(k.v.Type().Elem())))
	return k.at(k.v.Len() - 1)
}

// find returns the key with a name.
func find(ks []key, name string) (key, bool) {
	i := slices.IndexFunc(ks, func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, false
	}
	return ks[i], true
}

// names returns the names of keys, sorted.
func names(ks []key) (all []string) {
	for _, k := range ks {
		all = append(all, k.name)
	}
	slices.Sort(all)
	return all
}

// haveKinds reports whether the first key decides which of the others there are.
func haveKinds(ks []key) bool {
	return slices.ContainsFunc(ks, func(k key) bool { return k.tag.Get("kinds") != "" })
}

// ofKind returns the keys that a mapping of a kind has.
func ofKind(ks []key, kind string) []key {
	return slices.DeleteFunc(slices.Clone(ks), func(k key) bool {
		kinds, some := k.tag.Lookup("kinds")
		return some && !slices.Contains(strings.Fields(kinds), kind)
	})
}

// words returns those that may stand there, none for any text.
func (k key) words() []string {
	if list := lists[k.tag.Get("list")]; list != nil {
		return list()
	}
	return strings.Fields(k.tag.Get("words"))
}

// lists are the words that no tag can have, by the tag list.
var lists = map[string]func() []string{
	"formats":        func() []string { return append(translate.Formats(), translate.FormatAuto) },
	"accepted":       func() []string { return append(translate.AcceptedFormats(), translate.AcceptAll) },
	"languages":      translate.Languages,
	"chat templates": translate.ChatTemplates,
	"log formats":    LogFormats,
	"log levels":     LogLevels,
}

// below returns the path of a key in the mapping at path.
func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// element returns the path of an element of the list at path.
func element(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
