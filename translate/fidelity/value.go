package fidelity

import (
	"bytes"
	"fmt"
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

func str(s string) Value       { return Value{Kind: '"', Text: s} }
func number(text string) Value { return Value{Kind: '0', Text: text} }

// layout is a style of writing JSON.
type layout struct {
	indent bool // each member or element on a line of its own
	space  bool // a space after colons and commas
	slash  bool // writes `</` as `<\/`, which spells no closing tag
}

// JSON returns the value as compact JSON.
func (v Value) JSON() string { return string(v.append(nil, layout{}, 0)) }

// append appends the value as JSON. depth is the number of values around it.
func (v Value) append(dst []byte, l layout, depth int) []byte {
	switch v.Kind {
	case 'n':
		return append(dst, "null"...)
	case 't':
		return append(dst, "true"...)
	case 'f':
		return append(dst, "false"...)
	case '0':
		return append(dst, v.Text...)
	case '"':
		return appendString(dst, v.Text, l)
	case '[':
		dst = append(dst, '[')
		for i, e := range v.List {
			dst = l.separate(dst, i, depth+1)
			dst = e.append(dst, l, depth+1)
		}
		return append(l.end(dst, len(v.List), depth), ']')
	}
	dst = append(dst, '{')
	for i, m := range v.Members {
		dst = l.separate(dst, i, depth+1)
		dst = append(appendString(dst, m.Name, l), ':')
		if l.space || l.indent {
			dst = append(dst, ' ')
		}
		dst = m.Value.append(dst, l, depth+1)
	}
	return append(l.end(dst, len(v.Members), depth), '}')
}

// appendString appends a string as JSON.
func appendString(dst []byte, s string, l layout) []byte {
	start := len(dst)
	dst, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		panic(err) // this package makes only UTF-8
	}
	if l.slash {
		dst = append(dst[:start:start], bytes.ReplaceAll(dst[start:], []byte("</"), []byte(`<\/`))...)
	}
	return dst
}

// separate writes the text before the ith part.
func (l layout) separate(dst []byte, i, depth int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	switch {
	case l.indent:
		dst = append(append(dst, '\n'), strings.Repeat("  ", depth)...)
	case l.space && i > 0:
		dst = append(dst, ' ')
	}
	return dst
}

// end writes the text before the closing bracket.
func (l layout) end(dst []byte, n, depth int) []byte {
	if l.indent && n > 0 {
		dst = append(append(dst, '\n'), strings.Repeat("  ", depth)...)
	}
	return dst
}

// ReadValue reads a JSON value.
func ReadValue(raw []byte) (Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := decode(d)
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
	v.Kind = t.Kind()
	switch v.Kind {
	case '"', '0':
		v.Text = t.String()
	case '[':
		for d.PeekKind() != ']' {
			e, err := decode(d)
			if err != nil {
				return v, err
			}
			v.List = append(v.List, e)
		}
		_, err = d.ReadToken()
	case '{':
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return v, err
			}
			m := Member{Name: name.String()}
			if m.Value, err = decode(d); err != nil {
				return v, err
			}
			v.Members = append(v.Members, m)
		}
		_, err = d.ReadToken()
	}
	return v, err
}

// Equal reports whether two values are exactly equal: 1 does not equal 1.0. The order of members does not
// count.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind || v.Text != w.Text || len(v.List) != len(w.List) || len(v.Members) != len(w.Members) {
		return false
	}
	for i := range v.List {
		if !v.List[i].Equal(w.List[i]) {
			return false
		}
	}
	for i, m := range v.Members {
		other, ok := w.Members[i].Value, true
		if w.Members[i].Name != m.Name {
			other, ok = w.member(m.Name)
		}
		if !ok || !m.Value.Equal(other) {
			return false
		}
	}
	return true
}

// member returns the member of an object with this name.
func (v Value) member(name string) (Value, bool) {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}
