package translate

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// place is a value in a JSON text that has been taken apart: what is in it is read once,
// however often and from wherever it is come to.
type place struct {
	raw      jsontext.Value // a part of the text
	*content                // of an object or an array
	schema   *schema        // that it was compiled to
	followed bool           // its $ref is being followed
}

// content is what is in a place. Most places have none, and share noContent.
type content struct {
	members  []namedPlace // of an object, in order
	elements []*place     // of an array
	byName   map[string]*place
}

var noContent = &content{}

type namedPlace struct {
	name string
	*place
}

// readPlace takes a JSON text apart; nil if it is none.
func readPlace(text jsontext.Value) *place {
	r := placeReader{text: text, tokens: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))}
	if p := new(place); r.read(p) == nil {
		return p
	}
	return nil
}

type placeReader struct {
	text   jsontext.Value
	tokens *jsontext.Decoder
}

func (r *placeReader) read(p *place) error {
	kind := r.tokens.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := r.tokens.ReadValue()
		p.raw, p.content = r.last(len(value)), noContent
		return err
	}
	p.content = new(content)
	if _, err := r.tokens.ReadToken(); err != nil {
		return err
	}
	start := int(r.tokens.InputOffset()) - 1
	for {
		var name string
		switch r.tokens.PeekKind() {
		case '}', ']':
			_, err := r.tokens.ReadToken()
			p.raw = r.last(int(r.tokens.InputOffset()) - start)
			return err
		case jsontext.KindInvalid:
			_, err := r.tokens.ReadToken()
			return err
		}
		if kind == '{' {
			token, err := r.tokens.ReadToken()
			if err != nil {
				return err
			}
			name = token.String()
		}
		in := new(place)
		if err := r.read(in); err != nil {
			return err
		}
		if kind == '{' {
			p.members = append(p.members, namedPlace{name, in})
		} else {
			p.elements = append(p.elements, in)
		}
	}
}

// last returns the last n bytes that were read.
func (r *placeReader) last(n int) jsontext.Value {
	end := int(r.tokens.InputOffset())
	return r.text[end-n : end : end]
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

// at returns what a JSON pointer leads to from p, or nil.
func (p *place) at(pointer []string) *place {
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

// pointerEscapes are those of a JSON pointer (RFC 6901 §3).
var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// localRef reads a $ref to a place in the same text: "#", or "#" and a JSON pointer, whose
// escapes of a URL are undone before its own (RFC 6901 §6).
func localRef(ref string) (pointer []string, ok bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	if path == "" {
		return nil, true
	}
	if path[0] != '/' {
		return nil, false
	}
	pointer = strings.Split(path[1:], "/")
	for i, token := range pointer {
		pointer[i] = pointerEscapes.Replace(token)
	}
	return pointer, true
}
