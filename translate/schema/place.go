package schema

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file takes a JSON text apart into places that can be referred to.

// place is a value in a JSON text that has been taken apart. Each is read once, however many
// $ref lead to it.
type place struct {
	raw      jsontext.Value // a part of the text
	*content                // of an object or an array
	schema   *Schema        // the schema compiled from it, or nil
	followed bool           // its $ref is being followed: to come back here is a cycle
}

// content is what an object or array holds. All other places share noContent.
type content struct {
	members  []namedPlace      // of an object, in order
	elements []*place          // of an array
	byName   map[string]*place // of members; made when it is first asked for
}

// noContent is the content of every place that is neither an object nor an array.
var noContent = &content{}

// namedPlace is a member of an object.
type namedPlace struct {
	name string
	*place
}

// readPlace takes a JSON text apart. It returns nil if the text is not JSON.
func readPlace(text jsontext.Value) *place {
	if !text.IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil
	}
	p := new(place)
	p.read(rawjson.TrimSeparators(text))
	return p
}

// read takes apart the value that text begins with, and returns its length in bytes.
func (p *place) read(text jsontext.Value) (n int) {
	kind := text[0]
	if kind != '{' && kind != '[' {
		n = rawjson.Len(text)
		p.raw, p.content = text[:n:n], noContent
		return n
	}
	p.content = new(content)
	rest, _ := rawjson.Next(text, 1)
	for rest[0] != '}' && rest[0] != ']' {
		var name string
		if kind == '{' {
			n = rawjson.Len(rest)
			name = rawjson.Unquote(rest[:n])
			rest, _ = rawjson.Next(rest, n)
		}
		in := new(place)
		n = in.read(rest)
		if kind == '{' {
			p.members = append(p.members, namedPlace{name, in})
		} else {
			p.elements = append(p.elements, in)
		}
		rest, _ = rawjson.Next(rest, n)
	}
	n = len(text) - len(rest) + 1
	p.raw = text[:n:n]
	return n
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

// resolve returns the place that a $ref in the text of p, its root, leads to, or nil.
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
