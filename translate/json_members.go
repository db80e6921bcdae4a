package translate

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// members ranges over the members of a valid JSON object in order: parts of it.
// Anything else has none.
func members(object jsontext.Value) func(yield func(string, jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		if object.Kind() != '{' {
			return
		}
		d := jsontext.NewDecoder(bytes.NewBuffer(object)) // which is read in place
		if _, err := d.ReadToken(); err != nil {
			return
		}
		for d.PeekKind() == '"' {
			name, err := d.ReadToken()
			if err != nil {
				return
			}
			key := name.String()
			value, err := d.ReadValue()
			end := int(d.InputOffset())
			if err != nil || !yield(key, object[end-len(value):end:end]) {
				return
			}
		}
	}
}

// memberOf returns the named member of a JSON object, or nil.
func memberOf(object jsontext.Value, name string) jsontext.Value {
	for n, v := range members(object) {
		if n == name {
			return v
		}
	}
	return nil
}

// elements returns the elements of a valid JSON array. Anything else has none.
func elements(array jsontext.Value) (list []jsontext.Value) {
	if array.Kind() != '[' {
		return nil
	}
	if json.Unmarshal(array, &list) != nil {
		return nil
	}
	return list
}
