package rawjson

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// This file lets a walk pass over long values at once, where a check has seen where they end. Without
// it a reader that walks over an object, then over its members and so on would pass each text once for
// every object around it.

// Index knows where long values of a text end. A nil Index knows of none, and finds the same.
type Index struct {
	values map[*byte]extent // by the first byte of the value
	room   int              // for how many more
}

// extent is what is known of a value.
type extent struct {
	length int  // in bytes
	native bool // it is a string with no escapes but those that AppendEscaped writes
}

// An index holds values of at least longValue bytes that stand in at most deepest objects and arrays,
// and no more than one for every bytesPerValue bytes of the text: the memory for it is bounded.
// A text shorter than leastIndexed is walked over as fast without.
const (
	longValue     = 256
	deepest       = 8
	bytesPerValue = 128
	leastIndexed  = 8 << 10
)

// newIndex returns an index for a text, nil if it is not worth it.
func newIndex(text []byte) *Index {
	if len(text) < leastIndexed {
		return nil
	}
	return &Index{values: make(map[*byte]extent, min(len(text)/1024, 1024)), room: len(text) / bytesPerValue}
}

// add notes a value.
func (x *Index) add(value []byte, native bool) {
	if x.room > 0 {
		x.room--
		x.values[&value[0]] = extent{len(value), native}
	}
}

// length returns the length of the value that begins at i, 0 if the index does not have it.
func (x *Index) length(b []byte, i int) int {
	if x == nil {
		return 0
	}
	return x.values[&b[i]].length
}

// Text returns the text of a JSON string, and reports whether it did: if not, the string is a short one,
// or one that has to be decoded and quoted again since it has other escapes than [AppendString] writes.
// The text shares the memory of the string.
func (x *Index) Text(quoted jsontext.Value) (t Text, ok bool) {
	if x == nil || len(quoted) < longValue || !x.values[&quoted[0]].native {
		return t, false
	}
	return Text{pieces: &piece{quoted: quoted}}, true
}

// Elements is [Elements] with the index.
func (x *Index) Elements(array jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		if array.Kind() != '[' {
			return
		}
		for rest, ok := Next(array, 1); ok; {
			n := x.Len(rest)
			if !yield(rest[:n:n]) {
				return
			}
			rest, ok = Next(rest, n)
		}
	}
}

// Members is [Members] with the index.
func (x *Index) Members(object jsontext.Value) iter.Seq2[jsontext.Value, jsontext.Value] {
	return func(yield func(name, value jsontext.Value) bool) {
		if object.Kind() != '{' {
			return
		}
		for i := skipSeparators(object, bytes.IndexByte(object, '{')+1); object[i] != '}'; {
			end := stringEnd(object, i)
			name := object[i:end:end]
			i = skipSeparators(object, end)
			end = x.valueEnd(object, i)
			if !yield(name, object[i:end:end]) {
				return
			}
			i = skipSeparators(object, end)
		}
	}
}

// Len is [Len] with the index.
func (x *Index) Len(text jsontext.Value) int { return x.valueEnd(text, 0) }

// valueEnd returns the index after the value that begins at i.
func (x *Index) valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		end, closed := nearEnd(b, i)
		if closed {
			return end
		}
		if n := x.length(b, i); n > 0 {
			return i + n
		}
		return farEnd(b, end)
	case '{', '[':
		if n := x.length(b, i); n > 0 {
			return i + n
		}
	}
	return valueEnd(b, i)
}
