package answer

import (
	"dragoman/translate/answer/held"
	"strings"
)

// Parameters that are all of the input.

// wrapsInput reports whether the parameter that is named in a tag may be all of the input.
func (p *parser) wrapsInput(tag string) bool {
	call := &p.call
	if !held.IsInputKey(tag) || call.unoffered || len(call.parameters) > 0 || call.schema.AdditionalProperties != nil {
		return false
	}
	_, _, declared := call.schema.PropertyByTag(tag)
	return !declared
}

// writeWrapped writes the value as all of the input, and reports whether it is that.
func (p *parser) writeWrapped() bool {
	text := strings.TrimSpace(p.heldText())
	if !strings.HasPrefix(text, "{") {
		return false
	}
	if input, ok := held.Wrapped(text, p.call.schema); ok {
		p.noteReason("extra_element")
		p.call.members, p.call.jsonInput = p.out.writeObject(string(input))
	}
	return p.call.jsonInput
}
