package schema

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads the values of $ref. References to other documents are never fetched.

// pointerEscapes undoes the escapes of a JSON pointer (RFC 6901 §3).
var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// localRef returns the tokens of the JSON pointer in a $ref: "#", or "#" and the pointer,
// percent-encoded (RFC 6901 §6). It returns false for anything else: a reference into another
// document, a name, or a value that is not a string.
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
