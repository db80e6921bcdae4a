package schema

import (
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file tries the ways to read a text as a value of a schema.

// Limits on the work for one value. If the budget is used up, no more alternatives are tried, and
// the value is a string.
const (
	minBudget     = 4 << 10 // bytes to look at, for the smallest value
	budgetPerByte = 64      // for each byte of the value
	readingCost   = 16      // the cost of trying a schema, in bytes

	// maxElementDepth is the most levels of nested elements.
	maxElementDepth = 64
)

// conversion is the typing of one value. A schema may allow many ways to read it.
type conversion struct {
	budget int // bytes that may still be looked at
	// tried are readings that failed or are in progress. Alternatives may lead to a schema in many
	// ways, and back to it.
	tried map[reading]struct{}
}

// reading is one way to read a text: as the elements of an object or array, or (as is 0) as an
// alternative of a schema.
type reading struct {
	schema *Schema
	text   string
	as     kindSet
}

// tryOnce calls read. It fails if the same reading failed before or is in progress.
func (t *conversion) tryOnce(a reading, dst []byte, read func() ([]byte, bool)) ([]byte, bool) {
	if _, ok := t.tried[a]; ok {
		return dst, false
	}
	if t.tried == nil {
		t.tried = map[reading]struct{}{}
	}
	t.tried[a] = struct{}{}
	out, ok := read()
	if ok {
		delete(t.tried, a)
	}
	return out, ok
}

// appendValue appends the value of text under s, and reports whether it fits. depth is the number
// of elements around it.
func (t *conversion) appendValue(dst []byte, s *Schema, text string, depth int) ([]byte, bool) {
	t.budget -= len(text)
	r := newTypedText(text, depth)
	takesString := s.AcceptsString()
	if takesString && (text == "" || len(s.enum) == 0 && r.trimmed == "") {
		return rawjson.AppendString(dst, text), true
	}
	if len(s.enum) > 0 {
		if out, ok := appendEnum(dst, s, &r, false); ok {
			return out, true
		}
	}
	if out, ok := t.appendFitting(dst, s, &r, true); ok {
		if s.contested && s.mentionsString() && out[len(dst)] != '"' {
			return rawjson.AppendString(dst, text), false
		}
		return out, true
	}
	return rawjson.AppendString(dst, text), takesString
}

// appendFitting tries the types that s allows, except string. outermost: s is the schema of the
// value itself, not an alternative.
func (t *conversion) appendFitting(dst []byte, s *Schema, r *typedText, outermost bool) ([]byte, bool) {
	if t.budget -= readingCost; t.budget < 0 || r.depth > maxElementDepth {
		return dst, false
	}
	if s.kinds == 0 && len(s.alts) == 0 && len(s.enum) == 0 {
		return r.appendJSON(dst, acceptsAny)
	}
	if r.unquoted == "" {
		r.unquoted = rawjson.UnquoteLoose(r.trimmed)
	}
	switch k := s.kinds; {
	case k&kindNull != 0 && r.trimmed == "null":
		return append(dst, "null"...), true
	case k&kindBoolean != 0 && strings.EqualFold(r.unquoted, "true"):
		return append(dst, "true"...), true
	case k&kindBoolean != 0 && strings.EqualFold(r.unquoted, "false"):
		return append(dst, "false"...), true
	case k&kindNumber != 0 && rawjson.IsNumber(r.unquoted), k&kindInteger != 0 && rawjson.IsInteger(r.unquoted):
		return append(dst, r.unquoted...), true
	}
	if s.kinds&kindObject != 0 {
		if out, ok := t.appendObject(dst, s, r); ok {
			return out, true
		}
	}
	if s.kinds&kindArray != 0 {
		if out, ok := t.appendArray(dst, s, r); ok {
			return out, true
		}
	}
	switch {
	case len(s.alts) == 0:
		return dst, false
	case outermost:
		return t.appendAlternative(dst, s, r)
	}
	return t.tryOnce(reading{s, r.text, 0}, dst, func() ([]byte, bool) { return t.appendAlternative(dst, s, r) })
}

// appendAlternative tries the alternatives of s in order. Alternatives that allow anything come
// last.
func (t *conversion) appendAlternative(dst []byte, s *Schema, r *typedText) ([]byte, bool) {
	possible := r.possibleKinds() | acceptsEnum | acceptsAny
	open, orString := false, s.takesAnyString()
	for _, alt := range s.alts {
		if alt.accepts()&possible == 0 {
			continue
		}
		if len(alt.enum) > 0 {
			if t.budget -= readingCost; t.budget < 0 {
				return dst, false
			}
			if out, ok := appendEnum(dst, alt, r, orString); ok {
				return out, true
			}
		}
		if alt.kinds == 0 && len(alt.alts) == 0 {
			open = true // it allows anything, so it is tried after the others
			continue
		}
		if out, ok := t.appendFitting(dst, alt, r, false); ok {
			return out, true
		}
	}
	if open && !s.mentionsString() {
		return r.appendJSON(dst, acceptsAny)
	}
	return dst, false
}

// takesAnyString reports whether an alternative of s may take a string that is not an enum member.
func (s *Schema) takesAnyString() bool {
	return slices.ContainsFunc(s.alts, func(alt *Schema) bool {
		return len(alt.enum) == 0 && (len(alt.alts) > 0 || alt.acceptsItself()&(kindString|acceptsAny) != 0)
	})
}

// appendObject appends the text as an object: JSON or elements.
func (t *conversion) appendObject(dst []byte, s *Schema, r *typedText) ([]byte, bool) {
	if out, ok := r.appendJSON(dst, kindObject); ok {
		return out, true
	}
	list, ok := r.readElements()
	switch {
	case !ok:
		return dst, false
	case len(list) == 0:
		return append(dst, "{}"...), true
	}
	if out, ok := t.appendNamedObject(dst, s, r); ok {
		return out, true
	}
	return t.tryOnce(reading{s, r.text, kindObject}, dst, func() ([]byte, bool) { return t.appendMembers(dst, s, list, r.depth) })
}

// appendMembers appends elements as an object under s. It returns false if one does not fit or if a
// member comes twice.
func (t *conversion) appendMembers(dst []byte, s *Schema, list []markup.Element, depth int) (_ []byte, ok bool) {
	mark := len(dst)
	dst = append(dst, '{')
	seen := map[string]bool{}
	for i, e := range list {
		name, ps, _ := s.PropertyByTag(e.Tag)
		if seen[name] {
			return dst[:mark], false
		}
		seen[name] = true
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, name), ':')
		if dst, ok = t.appendValue(dst, ps, e.Text, depth+1); !ok {
			return dst[:mark], false
		}
	}
	return append(dst, '}'), true
}

// appendArray appends the text as an array: JSON or elements.
func (t *conversion) appendArray(dst []byte, s *Schema, r *typedText) ([]byte, bool) {
	if out, ok := r.appendJSON(dst, kindArray); ok {
		return out, true
	}
	list, ok := r.readElements()
	switch {
	case !ok:
		return dst, false
	case len(list) == 0:
		return append(dst, "[]"...), true
	}
	if out, ok := t.appendNamedArray(dst, s, r); ok {
		return out, true
	}
	return t.tryOnce(reading{s, r.text, kindArray}, dst, func() ([]byte, bool) { return t.appendItems(dst, s, list, r.depth) })
}

// appendItems appends elements as an array under s. It returns false if one does not fit or if the
// tags differ.
func (t *conversion) appendItems(dst []byte, s *Schema, list []markup.Element, depth int) (_ []byte, ok bool) {
	items := s.items
	if items == nil {
		items = anySchema
	}
	mark := len(dst)
	dst = append(dst, '[')
	for i, e := range list {
		if e.Tag != list[0].Tag {
			return dst[:mark], false
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, ok = t.appendValue(dst, items, e.Text, depth+1); !ok {
			return dst[:mark], false
		}
	}
	return append(dst, ']'), true
}
