package rawjson

import (
	"bytes"
	"iter"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// This file steps through JSON that is known to be well-formed. All that it returns are parts of the text.

// Reader steps through an object or an array: through the names and values of the one, or the elements of the other.
type Reader struct {
	text    jsontext.Value
	source  bytes.Buffer
	decoder jsontext.Decoder
	broken  bool // the text is not well-formed
}

// readers are used again: each object and array that is looked into takes one.
var readers = sync.Pool{New: func() any { return new(Reader) }}

// trusted spares a decoder what whoever checked the text has looked at.
var trusted = jsontext.AllowDuplicateNames(true)

// Read returns a reader before a value. The caller closes the reader.
func Read(v jsontext.Value) *Reader {
	r := readers.Get().(*Reader)
	r.text, r.source, r.broken = v, *bytes.NewBuffer(v), false
	r.decoder.Reset(&r.source, trusted, jsontext.AllowInvalidUTF8(true))
	return r
}

// Close gives the reader back.
func (r *Reader) Close() {
	r.text, r.source = nil, bytes.Buffer{}
	r.decoder.Reset(&r.source)
	readers.Put(r)
}

// Kind returns the kind of what is next: 0 behind the last, and where the text is not well-formed.
func (r *Reader) Kind() jsontext.Kind {
	if kind := r.decoder.PeekKind(); kind != '}' && kind != ']' && !r.broken {
		return kind
	}
	return 0
}

// Enter steps into the object or array that is next, and returns where in the text it begins.
func (r *Reader) Enter() (begin int) {
	_, _ = r.decoder.ReadToken()
	return max(0, int(r.decoder.InputOffset())-1)
}

// Leave steps out of the object or array that begins there, and returns it. All in it has been read.
func (r *Reader) Leave(begin int) jsontext.Value {
	_, _ = r.decoder.ReadToken()
	end := int(r.decoder.InputOffset())
	return r.text[begin:end:end]
}

// Next returns the next element, name or value, and reports whether there is one.
func (r *Reader) Next() (v jsontext.Value, ok bool) {
	if r.Kind() == 0 {
		return nil, false
	}
	v, err := r.decoder.ReadValue()
	r.broken = err != nil
	end := int(r.decoder.InputOffset())
	return r.text[end-len(v) : end : end], err == nil
}

// AppendMembers appends the members of the object that is next to dst. A name that is in known is not copied. If
// there are more than most members, it appends so many, and the reader cannot go on.
func (r *Reader) AppendMembers(dst []Member, known []string, most int) []Member {
	begin := r.Enter()
	for ; most > 0; most-- {
		name, ok := r.Next()
		value, hasValue := r.Next()
		if !ok || !hasValue {
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
		defer r.Close()
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
		defer r.Close()
		r.Enter()
		for name, ok := r.Next(); ok; name, ok = r.Next() {
			if value, ok := r.Next(); !ok || !yield(name, value) {
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

// CountValues returns the number of values and names in text, at any depth.
func CountValues(text jsontext.Value) (n int) {
	r := Read(text)
	defer r.Close()
	for {
		switch token, err := r.decoder.ReadToken(); {
		case err != nil:
			return n
		case token.Kind() != '}' && token.Kind() != ']':
			n++
		}
	}
}
