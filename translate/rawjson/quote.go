package rawjson

import (
	"encoding/binary"
	"unicode/utf8"
)

// appendJSONString appends s to dst as a JSON string (RFC 8259, section 7).
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// appendJSONEscaped appends s to dst as the inside of a JSON string, without
// the quotes. It escapes what must be escaped and nothing else. Bytes that are
// not UTF-8 become U+FFFD, one for each byte. Pieces of a text may be escaped
// one after the other if each piece holds whole characters.
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

// appendJSONEscapedUTF8 is appendJSONEscaped for text that is known to be UTF-8,
// eight bytes at a time.
func AppendEscapedUTF8(dst, s []byte) []byte {
	run := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) && !needsEscape(binary.LittleEndian.Uint64(s[i:])) {
			i += 8
			continue
		}
		for end := min(i+8, len(s)); i < end; i++ {
			if c := s[i]; c < utf8.RuneSelf && !unescaped[c] {
				dst = append(dst, s[run:i]...)
				dst = appendControl(dst, c)
				run = i + 1
			}
		}
	}
	return append(dst, s[run:]...)
}

// needsEscape tells whether one of eight bytes is a control character, a quote
// or a backslash: a borrow out of the top bit of a byte below which it lies.
func needsEscape(x uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^ones*'"', x^ones*'\\'
	return ((x-ones*' ')&^x|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0
}

// isPlain tells whether s is ASCII that stands for itself in a JSON string, and
// holds no markup: no `<`, no `&`.
func IsPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if !plainBytes[s[i]] {
			return false
		}
	}
	return true
}

var plainBytes = func() (plain [256]bool) {
	plain = unescaped
	plain['<'], plain['&'] = false, false
	return plain
}()

// appendJSONControl appends the escape of a control character, a quote or a backslash.
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

// unescaped tells which bytes stand for themselves in a JSON string, whatever
// comes after them: all of ASCII but what must be escaped.
var unescaped = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// AppendNullable appends s as a string, and an empty s as null.
func AppendNullable[S ~string](dst []byte, s S) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, s)
}
