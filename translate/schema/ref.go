package schema

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads the values of $ref. References to other documents are never fetched.

// pointerEscapes are those of a JSON pointer (RFC 6901 §3).
var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// localRef returns the JSON pointer, token by token, that the value of a $ref holds:
// "#", or "#" and the pointer, percent-encoded (RFC 6901 §6). It is not ok for
// anything else: a reference into another document, a name, no string.
func localRef(ref jsontext.Value) (pointer []string, ok bool) {
	if ref.Kind() != '"' {
		return nil, false
	}
	path, ok := strings.CutPrefix(rawjson.Unquote(ref), "#")
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
