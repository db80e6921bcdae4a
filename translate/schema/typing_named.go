package schema

import (
	"slices"

	"dragoman/translate/markup"
)

// This file types values in elements that are named after their types instead of their members:
//
//	<array><object><property name="city">Oslo</property></object></array>

// The names of such elements.
var (
	arrayNames  = []string{"array", "list"}
	objectNames = []string{"object", "dict"}
	itemNames   = []string{arrayItem, "string", "integer", "number", "boolean", "object", "dict"}
)

// within returns the text of the only element of r, if the element has one of the names.
func (r *typedText) within(names []string) (inner typedText, ok bool) {
	list, ok := r.readElements()
	if !ok || len(list) != 1 || !slices.Contains(names, list[0].Tag) {
		return inner, false
	}
	return newTypedText(list[0].Text, r.depth+1), true
}

// appendNamedObject appends the text as an object in an element that is named after its type. It returns false if the
// schema declares a member of that name.
func (t *conversion) appendNamedObject(dst []byte, s *Schema, r *typedText) ([]byte, bool) {
	inner, ok := r.within(objectNames)
	if !ok || s.Declares([]byte(r.elements[0].Tag)) || inner.depth > maxElementDepth {
		return dst, false
	}
	return t.appendObject(dst, s, &inner)
}

// appendNamedArray appends the text as an array in an element that is named after its type. The element may also be
// the only item of the array. So appendNamedArray returns false if the items may be arrays or strings that look like
// its text, or objects with its members.
func (t *conversion) appendNamedArray(dst []byte, s *Schema, r *typedText) ([]byte, bool) {
	inner, ok := r.within(arrayNames)
	if !ok || inner.depth > maxElementDepth {
		return dst, false
	}
	items := s.items
	if items == nil {
		items = anySchema
	}
	list, ok := inner.readElements()
	switch {
	case items.accepts()&kindArray != 0:
		return dst, false
	case ok && len(list) > 0 && items.objectFor(list, true, 0) != nil && !isItem(list[0]):
		return dst, false
	case ok && items.AcceptsString() && slices.ContainsFunc(list, func(e markup.Element) bool { return !isItem(e) }):
		return dst, false
	}
	return t.appendArray(dst, s, &inner)
}

// isItem reports whether the name of an element says that it is an item of an array.
func isItem(e markup.Element) bool { return slices.Contains(itemNames, e.Tag) }
