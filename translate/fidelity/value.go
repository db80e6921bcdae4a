package fidelity

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is a JSON value as it was written. Numbers keep their digits, and members keep their order.
type Value struct {
	Kind    jsontext.Kind // 'n', 't', 'f', '0', '"', '[' or '{'
	Text    string        // the digits of a number, the decoded text of a string
	List    []Value       // elements of an array
	Members []Member      // members of an object
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

var (
	null = Value{Kind: 'n'}
	yes  = Value{Kind: 't'}
	no   = Value{Kind: 'f'}
)

func str(s string) Value                  { return Value{Kind: '"', Text: s} }
func number(text string) Value            { return Value{Kind: '0', Text: text} }
func list(elements ...Value) Value        { return Value{Kind: '[', List: elements} }
func object(members ...Member) Value      { return Value{Kind: '{', Members: members} }
func (v *Value) add(name string, w Value) { v.Members = append(v.Members, Member{name, w}) }

// JSON returns the value as compact JSON.
func (v Value) JSON() string { return string(v.append(nil)) }

// append appends the value as compact JSON.
func (v Value) append(dst []byte) []byte {
	switch v.Kind {
	case '"':
		dst, err := jsontext.AppendQuote(dst, v.Text)
		if err != nil {
			panic(err) // this package makes only UTF-8
		}
		return dst
	case '[':
		dst = append(dst, '[')
		for i, e := range v.List {
			dst = e.append(append(dst, ","[:min(i, 1)]...))
		}
		return append(dst, ']')
	case '{':
		dst = append(dst, '{')
		for i, m := range v.Members {
			dst = append(str(m.Name).append(append(dst, ","[:min(i, 1)]...)), ':')
			dst = m.Value.append(dst)
		}
		return append(dst, '}')
	}
	if v.Kind == '0' {
		return append(dst, v.Text...)
	}
	return append(dst, v.Kind.String()...)
}

// layout is a style of writing JSON.
type layout struct {
	indent bool // each member or element on a line of its own
	space  bool // a space after colons and commas
	slash  bool // writes `</` as `<\/`, which spells no closing tag
}

// anyLayout returns a random style.
func (c chance) anyLayout() layout { return layout{c.oneIn(4), c.oneIn(2), c.oneIn(2)} }

// in returns the value as JSON in a style.
func (v Value) in(l layout) string {
	style := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.SpaceAfterColon(l.space), jsontext.SpaceAfterComma(l.space)}
	if l.indent {
		style = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.WithIndent("  ")}
	}
	text, err := jsontext.AppendFormat(nil, v.append(nil), style...)
	if err != nil {
		panic(err) // this package makes only valid JSON
	}
	if l.slash {
		return strings.ReplaceAll(string(text), "</", `<\/`)
	}
	return string(text)
}

// ReadValue reads a JSON value.
func ReadValue(raw []byte) (Value, error) {
	v, err := decode(jsontext.NewDecoder(bytes.NewReader(raw)))
	if err != nil {
		return Value{}, fmt.Errorf("%w in %s", err, raw)
	}
	return v, nil
}

// decode reads one value.
func decode(d *jsontext.Decoder) (v Value, err error) {
	t, err := d.ReadToken()
	if err != nil {
		return v, err
	}
	if v.Kind = t.Kind(); v.Kind == '"' || v.Kind == '0' {
		v.Text = t.String()
	}
	if v.Kind != '[' && v.Kind != '{' {
		return v, nil
	}
	for d.PeekKind() != ']' && d.PeekKind() != '}' {
		e, err := decode(d)
		if err != nil {
			return v, err
		}
		if v.Kind == '[' {
			v.List = append(v.List, e)
			continue
		}
		member, err := decode(d)
		if err != nil {
			return v, err
		}
		v.add(e.Text, member)
	}
	_, err = d.ReadToken()
	return v, err
}

// Equal reports whether two values are exactly equal: 1 does not equal 1.0. The order of members does not
// count.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind || v.Text != w.Text || len(v.List) != len(w.List) || len(v.Members) != len(w.Members) {
		return false
	}
	for _, m := range v.Members {
		if other, ok := w.member(m.Name); !ok || !m.Value.Equal(other) {
			return false
		}
	}
	return slices.EqualFunc(v.List, w.List, Value.Equal)
}

// member returns the member of an object with this name.
func (v Value) member(name string) (Value, bool) {
	if i := slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
		return v.Members[i].Value, true
	}
	return Value{}, false
}
