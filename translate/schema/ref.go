package schema

import (
	"net/url"
	"strings"
)

// pointerEscapes are those of a JSON pointer (RFC 6901 §3).
var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// localRef reads a $ref to a place in the same text: "#", or "#" and a JSON pointer, whose
// escapes of a URL are undone before its own (RFC 6901 §6).
func localRef(ref string) (pointer []string, ok bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	if path == "" {
		return nil, true
	}
	if path[0] != '/' {
		return nil, false
	}
	pointer = strings.Split(path[1:], "/")
	for i, token := range pointer {
		pointer[i] = pointerEscapes.Replace(token)
	}
	return pointer, true
}
