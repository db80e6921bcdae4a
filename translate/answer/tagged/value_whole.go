package tagged

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Values of which the type tells where they end: JSON, and numbers, booleans and null.

// isWhole reports whether the value so far is whole and cannot go on with a tag: JSON that has ended,
// or a number, a boolean or null where nothing else is allowed.
func (r *Reader) isWhole() bool {
	v := &r.value
	if v.mode != modeHeld {
		return false
	}
	if v.text.JSON.Is {
		if !v.text.JSON.IsWhole() || v.text.Schema.ArraySchema() != nil && !v.isList() { // it may be an element of a list
			return false
		}
		if v.heldIsJSON() {
			return true
		}
		v.text.JSON = held.JSON{Begun: true} // it only looked like JSON
	}
	return r.isScalar()
}

// heldIsJSON reports whether what is held of the value, which only grows, is JSON.
func (v *valueSeen) heldIsJSON() bool {
	if v.validLen == 0 || v.validLen != len(v.held) {
		if !jsontext.Value(bytes.TrimSpace(v.held)).IsValid() {
			return false
		}
		v.validLen = len(v.held)
	}
	return true
}

// isScalar reports whether the value so far is a number, a boolean or null, and its schema allows
// nothing else. Such a value cannot hold a tag.
func (r *Reader) isScalar() bool {
	v := &r.value
	if v.mode != modeHeld || !v.text.Schema.IsScalar() || len(v.held) > 2*maxNull {
		return false
	}
	_, fits := schema.AppendTyped(nil, v.text.Schema, string(v.held))
	return fits
}

// isList reports whether the value so far begins as an array of JSON does.
func (v *valueSeen) isList() bool { return markup.HasPrefix(bytes.TrimSpace(v.held), "[") }
