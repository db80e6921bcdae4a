package schema

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// reading is a text that is to be typed, and what is known of it whatever its schema.
type valueText struct {
	text, trimmed, unquoted string  // as it is, without blanks around it, and out of quotes
	depth                   int     // of elements around it
	notJSON                 kindSet // of object, array and any: it is no JSON of this kind
	possible                kindSet // what it may be read as, once mayKnown
	possibleKnown           bool
	elements                []markup.Element // that it is nothing but, if isElements, once isRead
	isElements, isRead      bool
}

// kinds tells what a text may be read as, but for strings, enums and what takes anything.
func (r *valueText) possibleKinds() kindSet {
	if r.possibleKnown {
		return r.possible
	}
	r.possibleKnown = true
	switch bare := r.unquoted; {
	case r.trimmed == "null":
		r.possible |= kindNull
	case strings.EqualFold(bare, "true"), strings.EqualFold(bare, "false"):
		r.possible |= kindBoolean
	case rawjson.IsNumber(bare):
		r.possible |= kindNumber | kindInteger
	}
	if r.trimmed == "" || strings.IndexByte(`{["<`, r.trimmed[0]) >= 0 {
		r.possible |= kindObject | kindArray
	}
	return r.possible
}

// appendJSON appends the text if it is JSON of a kind: object, array or any.
func (r *valueText) appendJSON(dst []byte, kind kindSet) (out []byte, ok bool) {
	if r.notJSON&kind != 0 {
		return dst, false
	}
	switch kind {
	case kindObject:
		out, ok = rawjson.AppendLooseKind(dst, r.trimmed, '{')
	case kindArray:
		out, ok = rawjson.AppendLooseKind(dst, r.trimmed, '[')
	default:
		out, ok = rawjson.AppendLoose(dst, r.trimmed)
	}
	if !ok {
		r.notJSON |= kind
	}
	return out, ok
}

// readElements is the elements that the text is nothing but.
func (r *valueText) readElements() ([]markup.Element, bool) {
	if !r.isRead {
		r.elements, r.isElements = markup.ReadElements(r.trimmed)
		r.isRead = true
	}
	return r.elements, r.isElements
}
