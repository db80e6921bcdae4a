package markup

import (
	"strings"
	"unicode/utf8"
)

// This file turns names of properties into tags and back.

// MaxParamTagLen is the longest tag that the parser takes for a parameter's, in bytes.
const MaxParamTagLen = 256

// reservedParams are names that may mean something else in a call: those of our formats and the
// wrappers of other makers that the parser reads (see textTags).
var reservedParams = []string{"parameters", "invoke", "function_calls", "function_results", "parameter", "tool_name",
	"function_call", "tool_calls", "tool_call", "use_tool"}

// ParamTag returns the tag under which a property is offered to the model: its name, in which
// %XX stands for each byte that could not stand in a tag. [ParamName] is the inverse. A name of
// ours behind a namespace cannot: models write ours so. One without a namespace can.
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
			size = 1 // not UTF-8: one byte
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

// IsReserved reports whether a tag of this name may be read as one of ours. Behind a namespace
// every name of ours is, even those that are no wrapper.
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

// breaksTag reports whether r cannot stand in a tag as it is: it would end the tag, or it
// breaks the line.
func breaksTag(r rune) bool {
	switch r {
	case 0x7f, 0x85, 0x2028, 0x2029:
		return true
	}
	return r <= ' ' || r < 0x80 && strings.IndexByte(`<>/"'=&%!?[]`, byte(r)) >= 0
}

// ParamName returns the name of the property that a tag, as the model wrote it, stands for.
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

// hexDigit returns the value of an upper-case hexadecimal digit, 255 for any other byte.
func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}
