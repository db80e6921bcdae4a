package tagged

import (
	"strings"

	"dragoman/translate/answer/held"
	"dragoman/translate/messages"
)

// This file reads a parameter that contains the whole input.

// wrapsInput reports whether the parameter with this tag may contain the whole input.
func (r *Reader) wrapsInput(tag string) bool {
	call := r.call
	if !held.IsInputKey(tag) || call.Unoffered || len(call.Parameters) > 0 || call.Schema.AdditionalProperties != nil {
		return false
	}
	_, _, declared := call.Schema.PropertyByTag(tag)
	return !declared
}

// writeWrapped writes the value as the whole input. It returns false if the value is not the whole input.
func (r *Reader) writeWrapped() bool {
	text := strings.TrimSpace(r.heldText())
	if !strings.HasPrefix(text, "{") {
		return false
	}
	if input, ok := held.Wrapped(text, r.call.Schema); ok {
		r.call.NoteReason(messages.ReasonExtraElement)
		if input, ok = r.out.WriteObject(string(input)); ok {
			r.call.NoteInput(input)
		}
	}
	return r.call.JSONInput
}
