package schema

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// typedText is a text that is being typed. What has been found out about it is kept, because
// many alternatives may ask.
type typedText struct {
	text, trimmed, unquoted string           // as it is, without white space around it, and without quotes too
	depth                   int              // number of elements around it
	notJSON                 kindSet          // it is not JSON of these kinds: object, array, acceptsAny
	possible                kindSet          // see possibleKinds
	possibleKnown           bool             // possible is set
	elements                []markup.Element // that it is made of, if isElements; set once isRead
	isElements, isRead      bool
}

// possibleKinds returns the types, except string, that the text can be read as. It does not
// read JSON or elements: for them the first byte decides.
func (r *typedText) possibleKinds() kindSet {
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

// appendJSON appends the text if it is JSON of a kind: kindObject, kindArray or acceptsAny.
func (r *typedText) appendJSON(dst []byte, kind kindSet) (out []byte, ok bool) {
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

// readElements returns the elements that the text is made of, if it is made of elements alone.
func (r *typedText) readElements() ([]markup.Element, bool) {
	if !r.isRead {
		r.elements, r.isElements = markup.ReadElements(r.trimmed)
		r.isRead = true
	}
	return r.elements, r.isElements
}
