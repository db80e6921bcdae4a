package rawjson

import (
	"encoding/binary"
	"math/bits"
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
	run := 0 // where the text begins that stands for itself and is not yet in dst
	for i := 0; i < len(s); {
		c := s[i]
		if unescaped[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[run:i]...)
			dst = appendControl(dst, c)
			i++
			run = i
			continue
		}
		// The conversion of so few bytes stays on the stack.
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[run:i]...)
			dst = append(dst, "\uFFFD"...)
			run = i + 1
		}
		i += size
	}
	return append(dst, s[run:]...)
}

// AppendEscapedUTF8 is [AppendEscaped] for text that is known to be UTF-8. It is faster: it
// looks at eight bytes at a time.
func AppendEscapedUTF8(dst, s []byte) []byte {
	run := 0 // s[:run] is in dst
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			found := escapeMask(binary.LittleEndian.Uint64(s[i:]))
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		} else if c := s[i]; c >= utf8.RuneSelf || unescaped[c] {
			i++
			continue
		}
		dst = append(dst, s[run:i]...)
		dst = appendControl(dst, s[i])
		i++
		run = i
	}
	return append(dst, s[run:]...)
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

// IsPlain reports whether s is ASCII that needs no escape in a JSON string and holds neither
// `<` nor `&`, so that no markup can begin in it.
func IsPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if !plainBytes[s[i]] {
			return false
		}
	}
	return true
}

// plainBytes are the bytes that a plain text may hold; see [IsPlain].
var plainBytes = func() (plain [256]bool) {
	plain = unescaped
	plain['<'], plain['&'] = false, false
	return plain
}()

// appendControl appends the escape of a control character, a quote or a backslash.
func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\t':
		return append(dst, `\t`...)
	case '\r':
		return append(dst, `\r`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}

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
