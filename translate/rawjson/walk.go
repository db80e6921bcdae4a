package rawjson

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Elements ranges over the elements of an array, in order. Anything else has none.
func Elements(array jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		if array.Kind() != '[' {
			return
		}
		for rest, ok := Next(array, 1); ok; {
			n := Len(rest)
			if !yield(rest[:n:n]) {
				return
			}
			rest, ok = Next(rest, n)
		}
	}
}

// Next returns a text from where the next value begins in it after n bytes: of an
// array, which begins without white space, after its bracket, or of what Next has
// returned, after its value, which Len measures. It is not ok if the array ends.
func Next(text jsontext.Value, n int) (rest jsontext.Value, ok bool) {
	n = skipSeparators(text, n)
	return text[n:], text[n] != ']'
}

// Len returns how long the value is that a text begins with.
func Len(text jsontext.Value) int { return valueEnd(text, 0) }

// Size returns how many values a text holds, and how many names: at most that many.
func CountValues(text jsontext.Value) int {
	n := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '[', '{', ',', ':':
			n++
		}
	}
	return n
}

// Compact returns a value without the white space between its tokens: the value itself
// if there is none.
func Compact(v jsontext.Value) jsontext.Value {
	var out jsontext.Value
	copied := 0 // of v, or passed over
	for i := 0; i < len(v); {
		switch v[i] {
		case '"':
			i = stringEnd(v, i)
		case ' ', '\n', '\t', '\r':
			if out == nil {
				out = make(jsontext.Value, 0, len(v))
			}
			out = append(out, v[copied:i]...)
			i++
			copied = i
		default:
			i++
		}
	}
	if out == nil {
		return v
	}
	return append(out, v[copied:]...)
}

// Members ranges over the members of an object, in order: the names quoted, as
// they are. Anything else has none.
func Members(object jsontext.Value) iter.Seq2[jsontext.Value, jsontext.Value] {
	return func(yield func(name, value jsontext.Value) bool) {
		if object.Kind() != '{' {
			return
		}
		for i := skipSeparators(object, bytes.IndexByte(object, '{')+1); object[i] != '}'; {
			end := stringEnd(object, i)
			name := object[i:end:end]
			i = skipSeparators(object, end)
			end = valueEnd(object, i)
			if !yield(name, object[i:end:end]) {
				return
			}
			i = skipSeparators(object, end)
		}
	}
}

// Named is Members with the names as they are spoken, not as they are quoted.
func NamedMembers(object jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(name string, value jsontext.Value) bool) {
		for name, value := range Members(object) {
			if !yield(Unquote(name), value) {
				return
			}
		}
	}
}

// Get returns the value of the first member of an object that has the name; nil if there is
// none, or no object.
func Lookup(object jsontext.Value, name string) jsontext.Value {
	for quoted, value := range Members(object) {
		if unquotesTo(quoted, name) {
			return value
		}
	}
	return nil
}

// Trim returns the value that a text ends with, which has nothing before it but white
// space and a comma or a colon.
func TrimSeparators(text []byte) jsontext.Value {
	return text[skipSeparators(text, 0):len(text):len(text)]
}

// next returns the index of the token from i on, past a comma or a colon.
func skipSeparators(b []byte, i int) int {
	for b[i] == ' ' || b[i] == ',' || b[i] == ':' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// valueEnd returns where the value ends that begins at i.
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
	default:
		for i < len(b) && !structural[b[i]] {
			i++
		}
		return i
	}
	for depth := 0; ; {
		for !nesting[b[i]] {
			i++
		}
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			continue
		case '{', '[':
			depth++
		default:
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
}

// nesting are the bytes that tell where an object or array ends; structural those
// that end a number, true, false or null.
var (
	nesting    = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}
	structural = [256]bool{',': true, '}': true, ']': true, ' ': true, '\n': true, '\t': true, '\r': true}
)

// stringEnd returns where the string ends that begins at i.
func stringEnd(b []byte, i int) int {
	for {
		i += 1 + bytes.IndexByte(b[i+1:], '"')
		escapes := i
		for b[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 {
			return i + 1
		}
	}
}
