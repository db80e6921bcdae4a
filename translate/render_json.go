package translate

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Schemas are rendered as the text they are: valid JSON without white space,
// cut up in place. Names and values stay quoted, so that nothing is decoded and
// encoded again. (schema.go reads a schema for what it means.)

// jsonMember is a member of a JSON object; name is quoted.
type jsonMember struct{ name, value string }

// jsonMembers ranges over the members of an object, in order.
func jsonMembers(object string) iter.Seq[jsonMember] {
	return func(yield func(jsonMember) bool) {
		for rest := object[1:]; rest[0] != '}'; {
			n := jsonLen(rest)
			v := n + 1 + jsonLen(rest[n+1:])
			if !yield(jsonMember{rest[:n], rest[n+1 : v]}) {
				return
			}
			rest = strings.TrimPrefix(rest[v:], ",")
		}
	}
}

// jsonElements ranges over the elements of an array, in order.
func jsonElements(array string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := array[1:]; rest[0] != ']'; {
			n := jsonLen(rest)
			if !yield(rest[:n]) {
				return
			}
			rest = strings.TrimPrefix(rest[n:], ",")
		}
	}
}

// jsonLen returns the length of the value that s begins with.
func jsonLen(s string) int {
	depth := 0
	for i := 0; ; i++ {
		switch s[i] {
		case '"':
			for i++; s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				return scalarLen(s)
			}
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
}

// scalarLen is jsonLen for a number, a bool or null.
func scalarLen(s string) int {
	if n := strings.IndexAny(s, ",]}"); n >= 0 {
		return n
	}
	return len(s)
}

// jsonGet returns the member with the given quoted name; "" if there is none.
func jsonGet(value, name string) string {
	if value[0] == '{' {
		for m := range jsonMembers(value) {
			if m.name == name {
				return m.value
			}
		}
	}
	return ""
}

// unquote decodes a JSON string.
func unquote(quoted string) string {
	if strings.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	s, _ := jsontext.AppendUnquote(nil, quoted)
	return string(s)
}
