package rawjson

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads and writes JSON strings (RFC 8259 §7), and white space between tokens.

// AppendString appends s to dst as a JSON string. It escapes only what must be escaped. Each byte
// of s that is not UTF-8 becomes U+FFFD.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// AppendEscaped appends s to dst as the content of a JSON string, without quotes; see
// [AppendString]. A text may be escaped in pieces if no piece ends inside a character.
func AppendEscaped[S ~string | ~[]byte](dst []byte, s S) []byte {
	n := len(dst)
	dst = AppendString(dst, s)
	return append(dst[:n], dst[n+1:len(dst)-1]...)
}

// AppendNullable appends s to dst as a JSON string, or null if s is empty.
func AppendNullable[S ~string](dst []byte, s S) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, s)
}

// Unquote returns the text of a JSON string.
func Unquote(quoted jsontext.Value) string { return string(UnquoteBytes(quoted)) }

// UnquoteBytes does what [Unquote] does, for bytes. Without escapes, the result is a part of
// quoted.
func UnquoteBytes(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}

// AppendUnquoted appends the text of a valid JSON string. It copies the parts between escapes,
// because jsontext.AppendUnquote checks every byte again.
func AppendUnquoted(dst []byte, quoted jsontext.Value) []byte {
	begin := len(dst)
	dst = slices.Grow(dst, len(quoted))
	for text := quoted[1 : len(quoted)-1]; ; {
		n := bytes.IndexByte(text, '\\')
		if n < 0 {
			return append(dst, text...)
		}
		if text[n+1] == 'u' { // perhaps a half of a surrogate pair
			dst, _ = jsontext.AppendUnquote(dst[:begin], quoted)
			return dst
		}
		dst = append(append(dst, text[:n]...), unescaped[text[n+1]])
		text = text[n+2:]
	}
}

// unescaped maps the byte after a backslash to the byte that the escape means.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// UnquoteKnown does what [Unquote] does, but does not allocate if the text is in known.
func UnquoteKnown(quoted jsontext.Value, known []string) string {
	text := UnquoteBytes(quoted)
	for _, name := range known {
		if string(text) == name {
			return name
		}
	}
	return string(text)
}

// StringOf returns the text of a JSON string; "" if v is another value or nil.
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

// Compact returns a copy of v without white space between its tokens.
func Compact(v jsontext.Value) jsontext.Value { return reformat(nil, v) }

// AppendSpaced appends v with a space after each comma and colon, and no other white space.
func AppendSpaced(dst []byte, v jsontext.Value) []byte {
	return reformat(dst, v, jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true))
}

// Plain returns v with strings as models write them, with only the necessary escapes. Many clients
// also escape non-ASCII characters, "<" or "&".
func Plain(v jsontext.Value) jsontext.Value {
	if !bytes.Contains(v, []byte(`\u`)) && !bytes.Contains(v, []byte(`\/`)) { // all other escapes are necessary
		return v
	}
	plain, _ := jsontext.AppendFormat(nil, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return plain
}

// reformat appends v with other white space. Strings and numbers keep their bytes.
func reformat(dst []byte, v jsontext.Value, space ...jsontext.Options) []byte {
	dst, _ = jsontext.AppendFormat(dst, v, append(space, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))...)
	return dst
}
