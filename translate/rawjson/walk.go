package rawjson

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// This file steps through well-formed JSON. Everything it returns is a part of the text. It only
// looks for quotes and brackets: a decoder that checks would check a value once for each level
// above it.

// Reader steps through the names and values of an object, or through the elements of an array. If
// the text is not well-formed, the reader still comes to an end.
type Reader struct {
	text jsontext.Value
	at   int // index of the next byte
}

// Read returns a reader at the start of a value.
func Read(v jsontext.Value) *Reader { return &Reader{text: v} }

// Kind returns the kind of the next value; 0 at the end.
func (r *Reader) Kind() jsontext.Kind {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		case '}', ']':
			return 0
		default:
			return r.text[r.at : r.at+1].Kind()
		}
	}
	return 0
}

// Enter steps into the next object or array, and returns where it begins in the text.
func (r *Reader) Enter() (begin int) {
	r.Kind()
	begin = r.at
	r.at = min(r.at+1, len(r.text))
	return begin
}

// Leave steps out of the object or array that begins at begin, and returns it. Everything in it has
// been read.
func (r *Reader) Leave(begin int) jsontext.Value {
	r.Kind()
	r.at = min(r.at+1, len(r.text))
	return r.text[begin:r.at:r.at]
}

// Next returns the next element, name or value. It returns false at the end.
func (r *Reader) Next() (v jsontext.Value, ok bool) {
	if r.Kind() == 0 {
		return nil, false
	}
	begin := r.at
	switch r.text[begin] {
	case '"':
		r.at = stringEnd(r.text, begin)
	case '{', '[':
		r.at = nestedEnd(r.text, begin)
	default:
		r.at += scalarLen(r.text[begin:])
	}
	v = r.text[begin:r.at:r.at]
	return v, v[0] != '"' || isString(v)
}

// stringEnd returns the end of the string at begin; the length of the text if the string does not
// end.
func stringEnd(text []byte, begin int) int {
	for at := begin + 1; ; {
		n := bytes.IndexByte(text[at:], '"')
		if n < 0 {
			return len(text)
		}
		escapes := 0
		for escapes < n && text[at+n-1-escapes] == '\\' {
			escapes++
		}
		if at += n + 1; escapes%2 == 0 {
			return at
		}
	}
}

// nestedEnd returns the end of the object or array at begin; the length of the text if it does not
// end.
func nestedEnd(text []byte, begin int) int {
	depth := 0
	for at := begin; at < len(text); {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if at++; depth == 0 {
			return at
		}
	}
	return len(text)
}

// scalarLen returns the length of the number, true, false or null at the start of text.
func scalarLen(text []byte) int {
	for i, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n', ',', ':', '}', ']', '"', '{', '[':
			return i
		}
	}
	return len(text)
}

// AppendMembers appends the members of the next object to dst. Names in known are not copied. If
// there are more than most members, it appends most of them, and the reader is unusable afterwards.
func (r *Reader) AppendMembers(dst []Member, known []string, most int) []Member {
	begin := r.Enter()
	for ; most > 0; most-- {
		name, ok := r.Next()
		value, hasValue := r.Next()
		if !ok || !hasValue || !isString(name) {
			break
		}
		dst = append(dst, Member{UnquoteKnown(name, known), value})
	}
	r.Leave(begin)
	return dst
}

// Elements yields the elements of an array in order. If array is not an array, it yields nothing.
func Elements(array jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		if array.Kind() != '[' {
			return
		}
		r := Read(array)
		r.Enter()
		for v, ok := r.Next(); ok && yield(v); v, ok = r.Next() {
		}
	}
}

// Members yields the members of an object in order. Names are as in the text, with quotes and
// escapes. If object is not an object, it yields nothing.
func Members(object jsontext.Value) iter.Seq2[jsontext.Value, jsontext.Value] {
	return func(yield func(name, value jsontext.Value) bool) {
		if object.Kind() != '{' {
			return
		}
		r := Read(object)
		r.Enter()
		for name, ok := r.Next(); ok; name, ok = r.Next() {
			if value, ok := r.Next(); !ok || !isString(name) || !yield(name, value) {
				return
			}
		}
	}
}

// NamedMembers is [Members] with the names decoded.
func NamedMembers(object jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(name string, value jsontext.Value) bool) {
		for name, value := range Members(object) {
			if !yield(Unquote(name), value) {
				return
			}
		}
	}
}

// Lookup returns the value of the first member with this name. It returns nil if there is no such
// member, or if object is not an object.
func Lookup(object jsontext.Value, name string) jsontext.Value {
	for quoted, value := range Members(object) {
		if string(UnquoteBytes(quoted)) == name {
			return value
		}
	}
	return nil
}

// isString reports whether v has both quotes.
func isString(v jsontext.Value) bool { return len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"' }

// CountValues returns the number of values and names in text, at any depth.
func CountValues(text jsontext.Value) (n int) {
	for r := Read(text); ; {
		switch r.Kind() {
		case 0:
			if r.at == len(text) {
				return n
			}
			r.at++
			continue
		case '{', '[':
			r.at++
		default:
			_, _ = r.Next()
		}
		n++
	}
}

// MemberNames returns the names of the members of a JSON object, in their order.
func MemberNames(object jsontext.Value) (names []string) {
	for name := range NamedMembers(object) {
		names = append(names, name)
	}
	return names
}
