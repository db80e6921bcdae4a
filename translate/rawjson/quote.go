package rawjson

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// This file writes JSON strings (RFC 8259 §7).

// AppendString appends s to dst as a JSON string. Bytes of s that are not UTF-8 become
// U+FFFD, one for each byte.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// AppendEscaped appends s to dst as the inside of a JSON string, without the quotes. It
// escapes what must be escaped and nothing else; bytes that are not UTF-8 become U+FFFD,
// one for each byte. A text may be escaped in pieces if no piece ends inside a character.
func AppendEscaped[S ~string | ~[]byte](dst []byte, s S) []byte {
	text := []byte(s) // not a copy: the bytes are only read
	for !utf8.Valid(text) {
		n := validLen(text)
		dst = AppendEscapedUTF8(dst, text[:n])
		dst = append(dst, "\uFFFD"...)
		text = text[n+1:]
	}
	return AppendEscapedUTF8(dst, text)
}

// validLen returns how many bytes at the beginning of s are UTF-8.
func validLen(s []byte) int {
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}

// AppendEscapedUTF8 is [AppendEscaped] for text that is known to be UTF-8. It looks at sixteen bytes
// at a time, and copies them before it knows whether one of them has to be escaped: what is written
// behind that one is overwritten.
func AppendEscapedUTF8(dst, s []byte) []byte {
	for len(s) >= 16 {
		if cap(dst)-len(dst) < 16 {
			dst = slices.Grow(dst, len(s))
		}
		n := len(dst)
		to, from := dst[n:n+16], s[:16]
		x, y := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])
		binary.LittleEndian.PutUint64(to, x)
		binary.LittleEndian.PutUint64(to[8:], y)
		plain := 16
		if found := escapeMask(x); found != 0 {
			plain = bits.TrailingZeros64(found) / 8
		} else if found := escapeMask(y); found != 0 {
			plain = 8 + bits.TrailingZeros64(found)/8
		}
		dst, s = dst[:n+plain], s[plain:]
		for plain < 16 && len(s) > 0 && s[0] < utf8.RuneSelf && !unescaped[s[0]] { // often there are several
			dst, s = appendControl(dst, s[0]), s[1:]
		}
	}
	for i, c := range s {
		if c < utf8.RuneSelf && !unescaped[c] {
			dst = appendControl(dst, c)
		} else {
			dst = append(dst, s[i])
		}
	}
	return dst
}

// escapeMask finds control characters, quotes and backslashes among the eight bytes in x: the
// lowest bit that is set is the top bit of the first of them, and no bit is set if there is none.
// Subtracting from all bytes at once borrows from the top bit of each byte that lies below: of
// control characters and quotes, which are all the ASCII bytes below '!' once the second bit is turned
// over, and of backslashes, which are zero after the XOR. Bits above the lowest may be wrong, since a
// borrow goes on into the next byte.
func escapeMask(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	return (((x ^ ones*2) - ones*'!') | ((x ^ ones*'\\') - ones)) &^ x & tops
}

// appendControl appends the escape of a control character, a quote or a backslash.
func appendControl(dst []byte, c byte) []byte {
	if short := shortEscapes[c]; short != 0 {
		return append(dst, '\\', short)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}

// shortEscapes are the letters that stand behind a backslash for a byte; 0 for those that have none.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\t': 't', '\r': 'r', '\b': 'b', '\f': 'f'}

// unescaped are the ASCII bytes that stand for themselves in a JSON string.
var unescaped = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// AppendNullable appends s to dst as a JSON string, or null if s is empty.
func AppendNullable[S ~string](dst []byte, s S) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, s)
}
