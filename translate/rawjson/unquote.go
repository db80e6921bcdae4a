package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// This file decodes JSON strings.

// Unquote returns the text of a JSON string.
func Unquote(quoted jsontext.Value) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	return string(AppendUnquoted(nil, quoted))
}

// UnquoteBytes is [Unquote] for bytes: a part of quoted if it has no escapes.
func UnquoteBytes(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1 : len(quoted)-1]
	}
	return AppendUnquoted(nil, quoted)
}

// AppendUnquoted appends the text of a JSON string to dst. It makes room for all of quoted at once.
func AppendUnquoted(dst []byte, quoted jsontext.Value) []byte {
	in := quoted[1 : len(quoted)-1]
	begin, n := len(dst), len(dst)
	dst = slices.Grow(dst, len(in))
	dst = dst[:cap(dst)]
	for i := 0; i < len(in); {
		if i+8 <= len(in) { // eight bytes are copied at once, and those from a backslash on written over
			x := binary.LittleEndian.Uint64(in[i:])
			binary.LittleEndian.PutUint64(dst[n:], x)
			found := slashMask(x)
			if found == 0 {
				i, n = i+8, n+8
				continue
			}
			plain := bits.TrailingZeros64(found) / 8
			i, n = i+plain, n+plain
		} else if in[i] != '\\' {
			dst[n] = in[i]
			i, n = i+1, n+1
			continue
		}
		if i+1 < len(in) && unescape[in[i+1]] != 0 {
			dst[n] = unescape[in[i+1]]
			i, n = i+2, n+1
			continue
		}
		r, size := escapedRune(in[i:])
		if size == 0 { // not JSON
			dst, _ = jsontext.AppendUnquote(dst[:begin], quoted)
			return dst
		}
		n += utf8.EncodeRune(dst[n:], r) // no more bytes than its escape has
		i += size
	}
	return dst[:n]
}

// slashMask finds backslashes as escapeMask does.
func slashMask(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	slash := x ^ ones*'\\'
	return (slash - ones) &^ slash & tops
}

// unescape are the characters that escapes of two bytes stand for, by the second byte.
var unescape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapedRune returns the character that an escape such as \u00e9 stands for, or two of them such as
// \ud83c\udf0d, and their length. Text begins with them; if it does not, the length is 0.
func escapedRune(text []byte) (r rune, n int) {
	r = codeUnit(text)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, unitLen
	}
	if r = utf16.DecodeRune(r, codeUnit(text[unitLen:])); r == utf8.RuneError {
		return 0, 0
	}
	return r, 2 * unitLen
}

// unitLen is the length of an escape with four digits.
const unitLen = len(`\u00e9`)

// codeUnit returns the number in the escape with four digits that text begins with, or -1 if there
// is none.
func codeUnit(text []byte) (r rune) {
	if len(text) < unitLen || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	for _, c := range text[2:unitLen] {
		switch letter := c | 0x20; {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case letter >= 'a' && letter <= 'f':
			r = r<<4 | rune(letter-'a'+10)
		default:
			return -1
		}
	}
	return r
}

// UnquoteKnown is [Unquote] that does not allocate if the text is one of known.
func UnquoteKnown(quoted jsontext.Value, known []string) string {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return Unquote(quoted)
	}
	bare := quoted[1 : len(quoted)-1]
	for _, name := range known {
		if string(bare) == name {
			return name
		}
	}
	return string(bare)
}

// unquotesTo reports whether text is what a JSON string holds. An escape is longer than what
// it stands for, so most strings are told apart by their length.
func unquotesTo(quoted jsontext.Value, text string) bool {
	switch n := len(quoted) - len(`""`); {
	case n < len(text):
		return false
	case bytes.IndexByte(quoted, '\\') >= 0:
		return Unquote(quoted) == text
	default:
		return string(quoted[1:1+n]) == text
	}
}

// StringOf returns the text of a JSON string, or "" if v is any other value or nil.
func StringOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}
