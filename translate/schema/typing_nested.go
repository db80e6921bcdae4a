package schema

import (
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file types values that are written as nested elements with a mark before each tag: an object as
// elements named like its properties, an array as elements named item.

// arrayItem is the name of such an element of an array.
const arrayItem = "item"

// AppendTypedMarked is [AppendTypedLiteral] for text that may be made of such elements. ok is false, and
// nothing is to be used, if it is made of others than the schema has, or of elements and text.
func AppendTypedMarked(dst []byte, s *Schema, text string) (out []byte, fits, ok bool) {
	if !strings.Contains(text, markup.Mark) {
		out, fits = AppendTypedLiteral(dst, s, text)
		return out, fits, true
	}
	list, ok := markup.ReadMarked(text)
	if !ok {
		return dst, false, false
	}
	items := !slices.ContainsFunc(list, func(e markup.Element) bool { return e.Tag != arrayItem })
	object, array := s.objectFor(list, true, 0), s.ArraySchema()
	if s.accepts()&acceptsAny != 0 {
		array = anySchema
	}
	switch {
	case object == nil && items && array != nil:
		return appendMarkedItems(dst, array, list)
	case object == nil:
		object = s.objectFor(list, false, 0)
	}
	if object == nil {
		return dst, false, false
	}
	return appendMarkedMembers(dst, object, list)
}

// maxAlternatives bounds how deep alternatives of alternatives are looked at.
const maxAlternatives = 8

// objectFor returns the schema of the objects that fit s: s itself or an alternative; nil if no object fits.
// With all, it is one that declares all members in the list.
func (s *Schema) objectFor(list []markup.Element, all bool, depth int) *Schema {
	declares := func(e markup.Element) bool { return s.Declares([]byte(e.Tag)) }
	takes := s.kinds&kindObject != 0 || s.acceptsItself()&acceptsAny != 0
	if takes && (!all || !slices.ContainsFunc(list, func(e markup.Element) bool { return !declares(e) })) {
		return s
	}
	for _, alt := range s.alts {
		if depth == maxAlternatives {
			break
		}
		if found := alt.objectFor(list, all, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// appendMarkedMembers appends elements as an object that s describes. A schema that declares no members says
// nothing of them. None may come twice.
func appendMarkedMembers(dst []byte, s *Schema, list []markup.Element) (_ []byte, fit, ok bool) {
	fit = true
	seen := map[string]bool{}
	for i, e := range list {
		name, ps, declared := s.PropertyByTag(e.Tag)
		if !declared && len(s.Properties)+len(s.patterns) == 0 && s.AdditionalProperties == nil {
			ps = anySchema
		}
		if seen[name] {
			return dst, false, false
		}
		seen[name] = true
		dst = append(rawjson.AppendString(append(dst, "{,"[min(i, 1)]), name), ':')
		var fits bool
		if dst, fits, ok = AppendTypedMarked(dst, ps, e.Text); !ok {
			return dst, false, false
		}
		fit = fit && fits
	}
	return append(dst, '}'), fit, true
}

// appendMarkedItems appends elements as an array that s describes.
func appendMarkedItems(dst []byte, s *Schema, list []markup.Element) (_ []byte, fit, ok bool) {
	items := s.items
	if items == nil {
		items = anySchema
	}
	fit = true
	for i, e := range list {
		var fits bool
		if dst, fits, ok = AppendTypedMarked(append(dst, "[,"[min(i, 1)]), items, e.Text); !ok {
			return dst, false, false
		}
		fit = fit && fits
	}
	return append(dst, ']'), fit, true
}
