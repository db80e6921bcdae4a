package markup

import (
	"strings"
	"unicode/utf8"
)

// This file turns names of properties into tags and back.

// MaxParamTagLen is the length in bytes of the longest tag that the parser reads as a parameter.
const MaxParamTagLen = 256

// reservedParams are names with another meaning in a call: names of Dragoman's formats, and
// wrappers of other vendors that the parser reads (see textTags).
var reservedParams = []string{"parameters", "invoke", "function_calls", "function_results", "parameter", "tool_name",
	"function_call", "tool_calls", "tool_call", "use_tool", "toolcall"}

// ParamTag returns the tag for a property: its name, with %XX for each byte that a tag cannot have.
// [ParamName] is the inverse. A reserved name after a namespace is also escaped, because models
// write reserved tags that way. Without a namespace, a reserved name is not.
func ParamTag(name string) string {
	if name == "" {
		return "%"
	}
	ours := strings.IndexByte(name, ':') >= 0 && IsReserved(name)
	if !ours && strings.IndexFunc(name, breaksTag) < 0 && utf8.ValidString(name) {
		return name
	}
	const hex = "0123456789ABCDEF"
	var tag strings.Builder
	for i, r := range name {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError && !strings.HasPrefix(name[i:], "\uFFFD") {
			size = 1 // invalid UTF-8: escape one byte
		}
		piece := name[i : i+size]
		if !breaksTag(r) && r != ':' && len(piece) == utf8.RuneLen(r) && !(ours && i == 0) {
			tag.WriteString(piece)
			continue
		}
		for _, c := range []byte(piece) {
			tag.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return tag.String()
}

// IsReserved reports whether the parser may read a tag with this name as a tag of a format. After a
// namespace, that is so for every name of a format.
func IsReserved(name string) bool {
	if colon := strings.LastIndexByte(name, ':'); colon >= 0 {
		name = name[colon+1:]
		for i := range tagNames {
			if matchWholeName(name, tagNames[i].name, true) == Match {
				return true
			}
		}
	}
	for _, r := range reservedParams {
		if matchWholeName(name, r, true) == Match {
			return true
		}
	}
	return false
}

// breaksTag reports whether a tag cannot contain r, because r would end the tag or the line.
func breaksTag(r rune) bool {
	switch r {
	case 0x7f, 0x85, 0x2028, 0x2029:
		return true
	}
	return r <= ' ' || r < 0x80 && strings.IndexByte(`<>/"'=&%!?[]`, byte(r)) >= 0
}

// ParamName returns the name of the property for a tag that the model wrote.
func ParamName(tag string) string {
	if tag == "%" {
		return ""
	}
	if strings.IndexByte(tag, '%') < 0 {
		return tag
	}
	var name strings.Builder
	for i := 0; i < len(tag); i++ {
		if tag[i] == '%' && i+2 < len(tag) && hexDigit(tag[i+1]) < 16 && hexDigit(tag[i+2]) < 16 {
			name.WriteByte(hexDigit(tag[i+1])<<4 | hexDigit(tag[i+2]))
			i += 2
		} else {
			name.WriteByte(tag[i])
		}
	}
	return name.String()
}

// hexDigit returns the value of an upper-case hexadecimal digit; 255 for any other byte.
func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}
