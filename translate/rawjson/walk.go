package rawjson

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// This file steps through JSON that is known to be well-formed. All that it returns are parts of the text. It looks for
// quotes and brackets and checks nothing: a decoder that checks would check a value once for each level above it.

// Reader steps through an object or an array: through the names and values of the one, or the elements of the other.
// Over text that is not well-formed it comes to an end.
type Reader struct {
	text jsontext.Value
	at   int // the next byte that is to be read
}

// Read returns a reader before a value.
func Read(v jsontext.Value) *Reader { return &Reader{text: v} }

// Kind returns the kind of what is next: 0 behind the last.
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

// Enter steps into the object or array that is next, and returns where in the text it begins.
func (r *Reader) Enter() (begin int) {
	r.Kind()
	begin = r.at
	r.at = min(r.at+1, len(r.text))
	return begin
}

// Leave steps out of the object or array that begins there, and returns it. All in it has been read.
func (r *Reader) Leave(begin int) jsontext.Value {
	r.Kind()
	r.at = min(r.at+1, len(r.text))
	return r.text[begin:r.at:r.at]
}

// Next returns the next element, name or value, and reports whether there is one.
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

// stringEnd returns where the string that begins there ends: the length of the text if it does not end.
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

// nestedEnd returns where the object or array that begins there ends: the length of the text if it does not end.
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

// scalarLen returns the length of the number, true, false or null that text begins with.
func scalarLen(text []byte) int {
	for i, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n', ',', ':', '}', ']', '"', '{', '[':
			return i
		}
	}
	return len(text)
}

// AppendMembers appends the members of the object that is next to dst. A name that is in known is not copied. If
// there are more than most members, it appends so many, and the reader cannot go on.
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

// Elements ranges over the elements of an array, in order. Anything but an array has none.
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

// Members ranges over the members of an object, in order. The names are as they stand in
// the text, with quotes and escapes. Anything but an object has no members.
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

// Lookup returns the value of the first member of object that has the name. It returns nil
// if there is none, or if object is not an object.
func Lookup(object jsontext.Value, name string) jsontext.Value {
	for quoted, value := range Members(object) {
		if string(UnquoteBytes(quoted)) == name {
			return value
		}
	}
	return nil
}

// isString reports whether v has both its quotes.
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
