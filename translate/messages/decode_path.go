package messages

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// fieldPath is a place in a request, as a linked list of steps. It is only written as text if an
// error or Request.Dropped needs it.
type fieldPath struct {
	up    *fieldPath
	name  string // of a member; "" for a list element
	index int
	tag   string // the element's type, which the API adds to the path
}

// member returns the path of a member of the request itself.
func member(name string) fieldPath { return fieldPath{name: name} }

// member returns the path of a member of the object at p; p is nil for the request.
func (p *fieldPath) member(name string) fieldPath { return fieldPath{up: p, name: name} }

// element returns the path of an element of the list at p.
func (p *fieldPath) element(i int) fieldPath { return fieldPath{up: p, index: i} }

// tagged returns p with the type of the element.
func (p *fieldPath) tagged(tag string) fieldPath {
	t := *p
	t.tag = tag
	return t
}

// root returns the path of the request's member that contains p.
func (p *fieldPath) root() fieldPath {
	for p.up != nil {
		p = p.up
	}
	return *p
}

// String returns the path in the API's form: "messages.3.content.0.tool_use.input".
func (p *fieldPath) String() string { return clip(string(p.append(nil, true))) }

// append appends the path to dst: whole, or without indexes and types, as in Request.Dropped:
// "messages.content.input".
func (p *fieldPath) append(dst []byte, whole bool) []byte {
	if p.up != nil {
		dst = p.up.append(dst, whole)
	}
	add := func(step string) {
		if len(dst) > 0 {
			dst = append(dst, '.')
		}
		dst = append(dst, step...)
	}
	switch {
	case p.name == "" && whole:
		add(strconv.Itoa(p.index))
		if p.tag != "" {
			add(p.tag)
		}
	case p.name != "" && !(whole && p.up != nil && p.up.tag == p.name): // the API writes …text for the text of a text block, not …text.text
		add(p.name)
	}
	return dst
}

// dotted returns a JSON pointer in the form of the API's paths.
func dotted(p jsontext.Pointer) string {
	return clip(strings.Join(slices.Collect(p.Tokens()), "."))
}

// maxShown is the most bytes of a client's text that an error repeats.
const maxShown = 256

// clip cuts s to maxShown bytes, and makes it valid UTF-8.
func clip(s string) string {
	if len(s) > maxShown {
		s = s[:maxShown] + "..."
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
