package messages

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// fieldPath is a place in a request: a step and the place it starts from. It becomes text only if
// an error or a dropped field has to name it.
type fieldPath struct {
	up    *fieldPath
	name  string // of a member; "" for an element of a list
	index int
	tag   string // the type of an element, which the API adds to the path
}

// member returns the place of a member of the request itself.
func member(name string) fieldPath { return fieldPath{name: name} }

// member returns the place of a member of the object at p; p is nil for the request.
func (p *fieldPath) member(name string) fieldPath { return fieldPath{up: p, name: name} }

// element returns the place of an element of the list at p.
func (p *fieldPath) element(i int) fieldPath { return fieldPath{up: p, index: i} }

// tagged returns p with the type of the element there.
func (p *fieldPath) tagged(tag string) fieldPath {
	t := *p
	t.tag = tag
	return t
}

// root returns the member of the request that p is in.
func (p *fieldPath) root() fieldPath {
	for p.up != nil {
		p = p.up
	}
	return *p
}

// String returns the place in the API's form: "messages.3.content.0.tool_use.input".
func (p *fieldPath) String() string { return clip(string(p.append(nil, true))) }

// append appends the place to dst: whole, or without indexes and types as Request.Dropped has it,
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
	case p.name != "" && !(whole && p.up != nil && p.up.tag == p.name): // the text of a text block is in …text, not …text.text
		add(p.name)
	}
	return dst
}

// dotted returns a JSON pointer in the form of the API's paths.
func dotted(p jsontext.Pointer) string {
	return clip(strings.Join(slices.Collect(p.Tokens()), "."))
}

// maxShown is how many bytes of what a client wrote an error repeats.
const maxShown = 256

// clip shortens s to maxShown bytes, and makes it valid UTF-8.
func clip(s string) string {
	if len(s) > maxShown {
		s = s[:maxShown] + "..."
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
