package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"dragoman/translate"
)

// key is a key of the file: a field whose tag yaml has the name of the key. Its other tags are:
//
//	default, usually   the value if the file has none; usually: in words, if the default depends on other values
//	min, max, words    the allowed values; list: the name of a list of words that is known only at run time
//	is, pattern        the check of a text (see checks), or secret or path; pattern: for the JSON Schema
//	required, kinds    the mapping needs the key; kinds: only mappings of these kinds have it (the first key is the kind)
//	named              the value is a mapping with the user's own names, not a list
//	alone, all         a single value may stand for the whole mapping, with this key; all: the word for a whole list
//	example, see       for the page of keys; see also applies to the keys below
//
// The zero value of a bool is its default.
type key struct {
	name string
	tag  reflect.StructTag
	v    reflect.Value
}

// keysOf returns the keys of the struct at p. The tags of an embedded struct apply to each of its fields.
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

// keys returns the keys of a mapping; nil if k is not a mapping.
func (k key) keys() []key {
	if k.v.Kind() != reflect.Struct {
		return nil
	}
	return keysIn(k.v, "")
}

// isList reports whether k has elements: it is a list, or a mapping with the user's own names.
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

// haveKinds reports whether the first key is a kind, which decides which other keys exist.
func haveKinds(ks []key) bool {
	return slices.ContainsFunc(ks, func(k key) bool { return k.tag.Get("kinds") != "" })
}

// ofKind returns the keys of a mapping of this kind.
func ofKind(ks []key, kind string) []key {
	return slices.DeleteFunc(slices.Clone(ks), func(k key) bool {
		kinds, some := k.tag.Lookup("kinds")
		return some && !slices.Contains(strings.Fields(kinds), kind)
	})
}

// words returns the allowed values; none if any text is allowed.
func (k key) words() []string {
	if list := lists[k.tag.Get("list")]; list != nil {
		return list()
	}
	return strings.Fields(k.tag.Get("words"))
}

// lists are words that are known only at run time, by the tag list.
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
