package prompt

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/language"
)

// This file has the parts of a prompt. Upstreams write their wires from these types.

// Text is a piece of the system prompt.
type Text struct {
	Text string `json:"text"`
}

// Turn is what one side says until the other side's turn. Consecutive messages of one role form one
// turn.
type Turn struct {
	Role  string `json:"role"` // messages.RoleUser or messages.RoleAssistant
	Parts []Part `json:"parts"`
}

// The types of a [Part].
const (
	PartText     = "text"
	PartImage    = "image"
	PartDocument = "document"

	// Only in prompts for a tools API.
	PartThinking   = "thinking"    // what the model thought
	PartToolUse    = "tool_use"    // a call
	PartToolResult = "tool_result" // its result
)

// Part is a piece of a turn: text, or an image or document given as the source object of the
// Messages API (docs/reference/messages-api.md §4).
type Part struct {
	// Type is PartText, PartImage or PartDocument, or another type in a prompt for a tools API. A
	// text has only Text. An image has only Source. A document has Source, and may have Title and
	// Context. Thinking has Text. A call has a CallPart with ID, Name and Input. A result has one
	// with the same ID, Content and IsError.
	Type string `json:"type"`
	// Text is escaped: the client's text in it cannot pass for markup of the format.
	Text string `json:"text,omitzero"`
	// Source is the client's JSON object, unchanged.
	Source jsontext.Value `json:"source,omitzero"`
	// Title and Context of a document are escaped in the same way.
	Title   string `json:"title,omitzero"`
	Context string `json:"context,omitzero"`
	*CallPart
	// Calls: the text is calls in the prompt's format. Results: the text is results.
	Calls   bool `json:"-"`
	Results bool `json:"-"`
	// Labels are the words that introduce a document, in the prompt's language; nil means English.
	Labels *language.Labels `json:"-"`
}

// CallPart is the content of a part that is a call or a result.
type CallPart struct {
	ID      string         `json:"id"`
	Name    string         `json:"name,omitzero"`
	Input   jsontext.Value `json:"input,omitzero"` // a JSON object, escaped like Text
	Content []Part         `json:"content,omitempty"`
	IsError bool           `json:"is_error,omitzero"`
}

// AllParts yields the parts of the turn, and the parts inside results.
func (t *Turn) AllParts() iter.Seq[*Part] {
	return func(yield func(*Part) bool) {
		for i := range t.Parts {
			part := &t.Parts[i]
			if !yield(part) {
				return
			}
			for j := 0; part.CallPart != nil && j < len(part.Content); j++ {
				if !yield(&part.Content[j]) {
					return
				}
			}
		}
	}
}

// allParts yields the parts of all turns.
func (p *Prompt) allParts() iter.Seq[*Part] {
	return func(yield func(*Part) bool) {
		for i := range p.Turns {
			for part := range p.Turns[i].AllParts() {
				if !yield(part) {
					return
				}
			}
		}
	}
}
