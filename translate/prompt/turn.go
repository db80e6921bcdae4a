package prompt

import (
	"dragoman/translate/language"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// What a prompt is made of. Upstreams read these types to write their own wire.

// Text is a piece of the system prompt.
type Text struct {
	Text string `json:"text"`
}

// Turn is what one side says until the other side's turn comes. Messages of one role that
// follow each other are one turn.
type Turn struct {
	Role  string `json:"role"` // messages.RoleUser or messages.RoleAssistant
	Parts []Part `json:"parts"`
}

// The types of a [Part].
const (
	PartText     = "text"
	PartImage    = "image"
	PartDocument = "document"

	// Of a prompt for a tools API alone.
	PartThinking   = "thinking"    // what the model thought
	PartToolUse    = "tool_use"    // a call
	PartToolResult = "tool_result" // its result
)

// Part is a piece of a turn: text, or an image or document given as the source
// object of the Messages API (docs/reference/messages-api.md §4).
type Part struct {
	// Type is PartText, PartImage or PartDocument. A text has Text alone, an image
	// Source alone; a document has a Source and may have a Title and a Context. In a prompt for a tools
	// API it may be one of the other types: thinking has Text, a call a CallPart with ID, Name and Input, and
	// its result one with the same ID, Content and IsError.
	Type string `json:"type"`
	// Text is escaped: no text of the client in it can be taken for markup of the format.
	Text string `json:"text,omitzero"`
	// Source is the client's JSON object, unchanged.
	Source jsontext.Value `json:"source,omitzero"`
	// Title and Context of a document are escaped as Text is.
	Title   string `json:"title,omitzero"`
	Context string `json:"context,omitzero"`
	*CallPart
	// Calls and Results say that a text is calls, or results, in the format of the prompt.
	Calls   bool `json:"-"`
	Results bool `json:"-"`
	// Labels are the words that introduce what is said of a document, in the language of
	// the prompt; nil is English.
	Labels *language.Labels `json:"-"`
}

// CallPart is what a part says that is a call, or the result of one.
type CallPart struct {
	ID      string         `json:"id"`
	Name    string         `json:"name,omitzero"`
	Input   jsontext.Value `json:"input,omitzero"` // a JSON object, escaped as Text is
	Content []Part         `json:"content,omitempty"`
	IsError bool           `json:"is_error,omitzero"`
}

// AllParts yields the parts of the turn, and those that results of calls hold.
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
