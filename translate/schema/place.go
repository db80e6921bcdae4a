package schema

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file splits a JSON text into places that a $ref can lead to.

// place is a value in a JSON text. Each place is read once, no matter how many $ref lead to it.
type place struct {
	raw      jsontext.Value // a part of the text
	*content                // of an object or array
	schema   *Schema        // the schema compiled from it, or nil
	followed bool           // its $ref is being followed, so a second visit is a cycle
}

// content is the content of an object or array. All other places share noContent.
type content struct {
	members  []namedPlace      // of an object, in order
	elements []*place          // of an array
	byName   map[string]*place // name to member; made on first use
}

// noContent is the content of every place that is neither an object nor an array.
var noContent = &content{}

// namedPlace is a member of an object.
type namedPlace struct {
	name string
	*place
}

// readPlace splits a JSON text into places. It returns nil if the text is not JSON.
func readPlace(text jsontext.Value) *place {
	if !text.IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil
	}
	return takeApart(rawjson.Read(text))
}

// takeApart splits the next value.
func takeApart(r *rawjson.Reader) *place {
	p := &place{content: noContent}
	switch r.Kind() {
	case '{':
		begin := r.Enter()
		p.content = new(content)
		for name, ok := r.Next(); ok; name, ok = r.Next() {
			p.members = append(p.members, namedPlace{rawjson.Unquote(name), takeApart(r)})
		}
		p.raw = r.Leave(begin)
	case '[':
		begin := r.Enter()
		p.content = new(content)
		for r.Kind() != 0 {
			p.elements = append(p.elements, takeApart(r))
		}
		p.raw = r.Leave(begin)
	default:
		p.raw, _ = r.Next()
	}
	return p
}

// member returns the named member, or nil.
func (p *place) member(name string) *place {
	if p.raw.Kind() != '{' {
		return nil
	}
	if p.byName == nil {
		p.byName = make(map[string]*place, len(p.members))
		for _, m := range p.members {
			p.byName[m.name] = m.place
		}
	}
	return p.byName[name]
}

// resolve returns the place that a $ref leads to, or nil. p is the root of the text.
func (p *place) resolve(ref jsontext.Value) *place {
	pointer, ok := localRef(ref)
	if !ok {
		return nil
	}
	for _, token := range pointer {
		switch {
		case p == nil:
			return nil
		case p.raw.Kind() == '[':
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(p.elements) {
				return nil
			}
			p = p.elements[i]
		default:
			p = p.member(token)
		}
	}
	return p
}
