package schema

import (
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file types values that are nested elements with a mark before each tag: objects as elements
// named like properties, arrays as elements named item.

// arrayItem is the name of an array element.
const arrayItem = "item"

// AppendTypedMarked does what [AppendTypedLiteral] does, and also reads such elements. If the
// elements do not match the schema, or are mixed with text, ok is false and the result is unusable.
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

// maxAlternatives limits how deep alternatives of alternatives are searched.
const maxAlternatives = 8

// objectFor returns the schema of the objects that fit: s itself or an alternative. It returns nil
// if no object fits. With all, the schema must declare all members in list.
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

// appendMarkedMembers appends elements as an object under s. If s declares no members, any are
// allowed. No member may come twice.
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

// appendMarkedItems appends elements as an array under s.
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
