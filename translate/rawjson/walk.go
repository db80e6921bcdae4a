package rawjson

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"
)

// This file walks over values as they stand in the text: it finds where each begins and
// ends. Everything else in the package is built on it.

// Elements ranges over the elements of an array, in order. Anything but an array has none.
func Elements(array jsontext.Value) iter.Seq[jsontext.Value] { return (*Index)(nil).Elements(array) }

// Next steps through an array by hand. It returns text from the next element on, past n
// bytes and the separators that follow them: n is 1 to step past the opening bracket of an
// array, and then [Len] of the element that the text last returned begins with. It reports
// false at the end of the array; rest then begins with the closing bracket.
func Next(text jsontext.Value, n int) (rest jsontext.Value, ok bool) {
	n = skipSeparators(text, n)
	return text[n:], text[n] != ']'
}

// Len returns the length in bytes of the value that text begins with.
func Len(text jsontext.Value) int { return valueEnd(text, 0) }

// CountValues returns an upper bound on the number of values and names in text, at any
// depth. It only counts the bytes that separate them.
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

// AppendSpaced appends v, which has no white space between its tokens, with a blank behind each comma and
// colon.
func AppendSpaced(dst []byte, v jsontext.Value) []byte {
	for i := 0; i < len(v); {
		n := i + 1
		if v[i] == '"' {
			n = stringEnd(v, i)
		}
		dst = append(dst, v[i:n]...)
		if v[i] == ',' || v[i] == ':' {
			dst = append(dst, ' ')
		}
		i = n
	}
	return dst
}

// Compact returns v without white space between its tokens. It returns v itself, not a copy,
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

// Members ranges over the members of an object, in order. The names are as they stand in
// the text, with quotes and escapes. Anything but an object has no members.
func Members(object jsontext.Value) iter.Seq2[jsontext.Value, jsontext.Value] {
	return (*Index)(nil).Members(object)
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
		if unquotesTo(quoted, name) {
			return value
		}
	}
	return nil
}

// TrimSeparators returns the value that text ends with; before the value text may hold white
// space, commas and colons alone. It does not trim the end.
func TrimSeparators(text []byte) jsontext.Value {
	return text[skipSeparators(text, 0):len(text):len(text)]
}

// skipSeparators returns the index of the first byte from i on that is neither white space
// nor a comma nor a colon.
func skipSeparators(b []byte, i int) int {
	for b[i] == ' ' || b[i] == ',' || b[i] == ':' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// valueEnd returns the index after the value that begins at i.
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

// nesting are the bytes that decide where an object or array ends; structural are those that
// can follow a number, true, false or null.
var (
	nesting    = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}
	structural = [256]bool{',': true, '}': true, ']': true, ' ': true, '\n': true, '\t': true, '\r': true}
)

// stringEnd returns the index after the string that begins at i.
func stringEnd(b []byte, i int) int {
	end, closed := nearEnd(b, i)
	if !closed {
		end = farEnd(b, end)
	}
	return end
}

// nearEnd is stringEnd for a string that ends soon, as most do, and has no escapes. It reports false
// for any other; end is then up to where the string was read.
func nearEnd(b []byte, i int) (end int, closed bool) {
	const near = 32
	i++
	for limit := min(i+near, len(b)-8); i < limit; i += 8 {
		if found := endMask(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			i += bits.TrailingZeros64(found) / 8
			if b[i] == '"' {
				return i + 1, true
			}
			break
		}
	}
	return i, false
}

// farEnd returns the index after the string that b[:i] ends in, without a backslash before i. A quote
// ends the string if an even number of backslashes stands before it.
func farEnd(b []byte, i int) int {
	begin := i
	for i--; ; {
		i += 1 + bytes.IndexByte(b[i+1:], '"')
		escapes := i
		for escapes > begin && b[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 {
			return i + 1
		}
	}
}

// endMask finds quotes and backslashes among eight bytes as escapeMask does.
func endMask(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	return (((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones)) &^ x & tops
}
