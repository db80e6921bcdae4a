package schema

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// A value that the model writes is text. The schema of its parameter decides
// what JSON value it is; nothing is guessed and nothing is evaluated:
//
//	string     the text as it is: 007 stays "007"
//	integer    digits of any number, kept as they are; 3.0 too. "5" in quotes is 5
//	number     any JSON number, digits kept
//	boolean    true, false in any case
//	null       null
//	array      JSON, or elements of one name, each typed by items
//	object     JSON, or elements named like properties, each typed by its schema
//	enum       the member that the text spells, with or without quotes
//	anyOf      the first that fits; JSON where one allows anything and none speaks of strings; strings last
//	none       JSON if the text is JSON, else a string
//
// JSON may itself stand in a JSON string. What fits nothing is kept as a string,
// and is not clean (OutcomeTypeFallback).

// appendTyped appends the JSON value that text stands for under s, on one line.
// It reports whether the text fitted.
func AppendTyped(dst []byte, s *Schema, text string) ([]byte, bool) {
	t := typer{budget: typedBudget + typedFactor*len(text)}
	return t.append(dst, s, text, 0)
}

// appendItems appends elements of one name as an array that s describes. It
// reports whether each fitted.
func AppendItems(dst []byte, s *Schema, list []markup.Element) ([]byte, bool) {
	t := typer{budget: typedBudget}
	for _, e := range list {
		t.budget += typedFactor * len(e.Text)
	}
	return t.appendItems(dst, s, list, 0)
}

// Bounds on what is done for one value: schemas tried and bytes looked at. A value whose
// alternatives take more fits none of the rest, and is a string.
const (
	typedBudget = 4 << 10 // of the smallest value
	typedFactor = 64      // and for every byte
	triedCost   = 16      // of a schema, in bytes

	// maxTypedDepth bounds how deep elements may lie in each other.
	maxTypedDepth = 64
)

// typer types one value, whose schema may try many ways to read it.
type typer struct {
	budget int // of bytes still to be looked at
	// tried is what has failed, or is being tried: alternatives may lead to a schema on
	// many ways, or back to it.
	tried map[attempt]struct{}
}

// attempt is to read a text as the elements of an object or an array that a schema
// describes, or as one of its alternatives (as is 0).
type attempt struct {
	schema *Schema
	text   string
	as     kinds
}

// once reads, but not what has failed before.
func (t *typer) once(a attempt, dst []byte, read func() ([]byte, bool)) ([]byte, bool) {
	if _, ok := t.tried[a]; ok {
		return dst, false
	}
	if t.tried == nil {
		t.tried = map[attempt]struct{}{}
	}
	t.tried[a] = struct{}{}
	out, ok := read()
	if ok {
		delete(t.tried, a)
	}
	return out, ok
}

// reading is a text that is to be typed, and what is known of it whatever its schema.
type reading struct {
	text, trimmed, bare string // as it is, without blanks around it, and out of quotes
	depth               int    // of elements around it
	notJSON             kinds  // of object, array and any: it is no JSON of this kind
	may                 kinds  // what it may be read as, once mayKnown
	mayKnown            bool
	elements            []markup.Element // that it is nothing but, if isElements, once isRead
	isElements, isRead  bool
}

func (t *typer) append(dst []byte, s *Schema, text string, depth int) ([]byte, bool) {
	t.budget -= len(text)
	r := reading{text: text, trimmed: strings.Trim(text, " \t\r\n"), depth: depth}
	takesString := s.takesString()
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
func (t *typer) appendFitting(dst []byte, s *Schema, r *reading, outermost bool) ([]byte, bool) {
	if t.budget -= triedCost; t.budget < 0 || r.depth > maxTypedDepth {
		return dst, false
	}
	if s.kinds == 0 && len(s.alts) == 0 && len(s.enum) == 0 {
		return r.appendJSON(dst, takesAny)
	}
	if r.bare == "" {
		r.bare = rawjson.Unquoted(r.trimmed)
	}
	switch k := s.kinds; {
	case k&kindNull != 0 && r.trimmed == "null":
		return append(dst, "null"...), true
	case k&kindBoolean != 0 && strings.EqualFold(r.bare, "true"):
		return append(dst, "true"...), true
	case k&kindBoolean != 0 && strings.EqualFold(r.bare, "false"):
		return append(dst, "false"...), true
	case k&kindNumber != 0 && rawjson.IsNumber(r.bare), k&kindInteger != 0 && rawjson.IsInteger(r.bare):
		return append(dst, r.bare...), true
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
	return t.once(attempt{s, r.text, 0}, dst, func() ([]byte, bool) { return t.appendAlternative(dst, s, r) })
}

// appendAlternative tries the alternatives of s in turn.
func (t *typer) appendAlternative(dst []byte, s *Schema, r *reading) ([]byte, bool) {
	may := r.kinds() | takesEnum | takesAny
	open := false
	for _, alt := range s.alts {
		if alt.takes()&may == 0 {
			continue
		}
		if len(alt.enum) > 0 {
			if t.budget -= triedCost; t.budget < 0 {
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
	if open && !s.namesString() {
		return r.appendJSON(dst, takesAny)
	}
	return dst, false
}

// kinds tells what a text may be read as, but for strings, enums and what takes anything.
func (r *reading) kinds() kinds {
	if r.mayKnown {
		return r.may
	}
	r.mayKnown = true
	switch bare := r.bare; {
	case r.trimmed == "null":
		r.may |= kindNull
	case strings.EqualFold(bare, "true"), strings.EqualFold(bare, "false"):
		r.may |= kindBoolean
	case rawjson.IsNumber(bare):
		r.may |= kindNumber | kindInteger
	}
	if r.trimmed == "" || strings.IndexByte(`{["<`, r.trimmed[0]) >= 0 {
		r.may |= kindObject | kindArray
	}
	return r.may
}

// appendEnum appends the member of an enum that the text spells.
func appendEnum(dst []byte, s *Schema, r *reading) ([]byte, bool) {
	for i := range 4 {
		spelling := r.text
		switch i {
		case 1:
			spelling = r.trimmed
		case 2:
			spelling = rawjson.Unquoted(r.trimmed)
		case 3:
			spelling = markup.Unescape(r.trimmed, markup.InTools, "")
		}
		if len(spelling) > s.longest {
			continue
		}
		isString, ok := s.spelled[spelling]
		switch {
		case ok && isString:
			return rawjson.AppendString(dst, spelling), true
		case ok:
			return append(dst, spelling...), true
		}
	}
	return dst, false
}

// appendJSON appends the text if it is JSON of a kind: object, array or any.
func (r *reading) appendJSON(dst []byte, kind kinds) (out []byte, ok bool) {
	if r.notJSON&kind != 0 {
		return dst, false
	}
	switch kind {
	case kindObject:
		out, ok = rawjson.AppendKind(dst, r.trimmed, '{')
	case kindArray:
		out, ok = rawjson.AppendKind(dst, r.trimmed, '[')
	default:
		out, ok = rawjson.AppendValue(dst, r.trimmed)
	}
	if !ok {
		r.notJSON |= kind
	}
	return out, ok
}

// readElements is the elements that the text is nothing but.
func (r *reading) readElements() ([]markup.Element, bool) {
	if !r.isRead {
		r.elements, r.isElements = markup.ReadElements(r.trimmed)
		r.isRead = true
	}
	return r.elements, r.isElements
}

func (t *typer) appendObject(dst []byte, s *Schema, r *reading) ([]byte, bool) {
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
	return t.once(attempt{s, r.text, kindObject}, dst, func() ([]byte, bool) { return t.appendMembers(dst, s, list, r.depth) })
}

// appendMembers appends elements as an object that s describes. It reports whether each
// fitted, and none stood twice.
func (t *typer) appendMembers(dst []byte, s *Schema, list []markup.Element, depth int) (_ []byte, ok bool) {
	mark := len(dst)
	dst = append(dst, '{')
	seen := map[string]bool{}
	for i, e := range list {
		name, ps, _ := s.Lookup(e.Tag)
		if seen[name] {
			return dst[:mark], false
		}
		seen[name] = true
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, name), ':')
		if dst, ok = t.append(dst, ps, e.Text, depth+1); !ok {
			return dst[:mark], false
		}
	}
	return append(dst, '}'), true
}

func (t *typer) appendArray(dst []byte, s *Schema, r *reading) ([]byte, bool) {
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
	return t.once(attempt{s, r.text, kindArray}, dst, func() ([]byte, bool) { return t.appendItems(dst, s, list, r.depth) })
}

func (t *typer) appendItems(dst []byte, s *Schema, list []markup.Element, depth int) (_ []byte, ok bool) {
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
		if dst, ok = t.append(dst, items, e.Text, depth+1); !ok {
			return dst[:mark], false
		}
	}
	return append(dst, ']'), true
}
