package schema

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// Bounds on what is done for one value: schemas tried and bytes looked at. A value whose
// alternatives take more fits none of the rest, and is a string.
const (
	minBudget     = 4 << 10 // of the smallest value
	budgetPerByte = 64      // and for every byte
	attemptCost   = 16      // of a schema, in bytes

	// maxTypedDepth bounds how deep elements may lie in each other.
	maxElementDepth = 64
)

// typer types one value, whose schema may try many ways to read it.
type conversion struct {
	budget int // of bytes still to be looked at
	// tried is what has failed, or is being tried: alternatives may lead to a schema on
	// many ways, or back to it.
	attempts map[attempt]struct{}
}

// attempt is to read a text as the elements of an object or an array that a schema
// describes, or as one of its alternatives (as is 0).
type attempt struct {
	schema *Schema
	text   string
	as     kindSet
}

// once reads, but not what has failed before.
func (t *conversion) tryOnce(a attempt, dst []byte, read func() ([]byte, bool)) ([]byte, bool) {
	if _, ok := t.attempts[a]; ok {
		return dst, false
	}
	if t.attempts == nil {
		t.attempts = map[attempt]struct{}{}
	}
	t.attempts[a] = struct{}{}
	out, ok := read()
	if ok {
		delete(t.attempts, a)
	}
	return out, ok
}

func (t *conversion) appendValue(dst []byte, s *Schema, text string, depth int) ([]byte, bool) {
	t.budget -= len(text)
	r := valueText{text: text, trimmed: strings.Trim(text, " \t\r\n"), depth: depth}
	takesString := s.acceptsString()
	if takesString && (text == "" || len(s.enum) == 0 && r.trimmed == "") {
		return rawjson.AppendString(dst, text), true
	}
	if len(s.enum) > 0 {
		if out, ok := appendEnum(dst, s, &r); ok {
			return out, true
		}
	}
	if out, ok := t.appendFitting(dst, s, &r, true); ok {
		return out, true
	}
	return rawjson.AppendString(dst, text), takesString
}

// appendFitting tries every type that s allows but string.
func (t *conversion) appendFitting(dst []byte, s *Schema, r *valueText, outermost bool) ([]byte, bool) {
	if t.budget -= attemptCost; t.budget < 0 || r.depth > maxElementDepth {
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
	return t.tryOnce(attempt{s, r.text, 0}, dst, func() ([]byte, bool) { return t.appendAlternative(dst, s, r) })
}

// appendAlternative tries the alternatives of s in turn.
func (t *conversion) appendAlternative(dst []byte, s *Schema, r *valueText) ([]byte, bool) {
	may := r.possibleKinds() | acceptsEnum | acceptsAny
	open := false
	for _, alt := range s.alts {
		if alt.accepts()&may == 0 {
			continue
		}
		if len(alt.enum) > 0 {
			if t.budget -= attemptCost; t.budget < 0 {
				return dst, false
			}
			if out, ok := appendEnum(dst, alt, r); ok {
				return out, true
			}
		}
		if alt.kinds == 0 && len(alt.alts) == 0 {
			open = true // to anything, after the others
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

func (t *conversion) appendObject(dst []byte, s *Schema, r *valueText) ([]byte, bool) {
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
	return t.tryOnce(attempt{s, r.text, kindObject}, dst, func() ([]byte, bool) { return t.appendMembers(dst, s, list, r.depth) })
}

// appendMembers appends elements as an object that s describes. It reports whether each
// fitted, and none stood twice.
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

func (t *conversion) appendArray(dst []byte, s *Schema, r *valueText) ([]byte, bool) {
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
	return t.tryOnce(attempt{s, r.text, kindArray}, dst, func() ([]byte, bool) { return t.appendItems(dst, s, list, r.depth) })
}

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
