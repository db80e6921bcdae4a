package tagged

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// This file recognizes values that end where their type says: JSON, numbers, booleans and null.

// isWhole reports whether the value so far is whole, so that no tag can belong to it. That is complete JSON or, if
// the schema allows nothing else, a number, a boolean or null.
func (r *Reader) isWhole() bool {
	v := &r.value
	if v.mode != modeHeld {
		return false
	}
	if v.text.JSON.Is {
		if !v.text.JSON.IsWhole() || v.text.Schema.ArraySchema() != nil && !v.isList() { // the JSON may be one element of a list
			return false
		}
		if v.heldIsJSON() {
			return true
		}
		v.text.JSON = held.JSON{Begun: true} // it only looked like JSON
	}
	return r.isScalar()
}

// heldIsJSON reports whether the held text is JSON. It remembers the answer until more text is held.
func (v *valueSeen) heldIsJSON() bool {
	if v.validLen == 0 || v.validLen != len(v.held) {
		if !jsontext.Value(bytes.TrimSpace(v.held)).IsValid() {
			return false
		}
		v.validLen = len(v.held)
	}
	return true
}

// isScalar reports whether the value so far is a number, a boolean or null, and its schema allows nothing else.
// Such a value cannot contain a tag.
func (r *Reader) isScalar() bool {
	v := &r.value
	if v.mode != modeHeld || !v.text.Schema.IsScalar() || len(v.held) > 2*maxNull {
		return false
	}
	_, fits := schema.AppendTyped(nil, v.text.Schema, string(v.held))
	return fits
}

// isList reports whether the value so far begins like a JSON array.
func (v *valueSeen) isList() bool { return markup.HasPrefix(bytes.TrimSpace(v.held), "[") }
