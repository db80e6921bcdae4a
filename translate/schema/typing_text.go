package schema

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// typedText is a text that is being typed. It remembers what was found out, because many
// alternatives may ask.
type typedText struct {
	text, trimmed, unquoted string           // unchanged; without white space around it; also without quotes
	depth                   int              // number of elements around the text
	notJSON                 kindSet          // the text is not JSON of these kinds: object, array, acceptsAny
	possible                kindSet          // see possibleKinds
	possibleKnown           bool             // possible is set
	elements                []markup.Element // the text's elements, if isElements; set once isRead
	isElements, isRead      bool
}

// newTypedText returns a text that has depth elements around it.
func newTypedText(text string, depth int) typedText {
	return typedText{text: text, trimmed: strings.Trim(text, " \t\r\n"), depth: depth}
}

// possibleKinds returns the types, except string, that the text may have. It does not parse JSON or
// elements: the first byte decides.
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

// appendJSON appends the text if it is JSON of this kind: kindObject, kindArray or acceptsAny.
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

// readElements splits the text into elements. It returns false if the text has anything else.
func (r *typedText) readElements() ([]markup.Element, bool) {
	if !r.isRead {
		r.elements, r.isElements = markup.ReadElements(r.trimmed)
		r.isRead = true
	}
	return r.elements, r.isElements
}
