package translate

import (
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
)

// Part is a piece of a turn: text, or an image or document given as the source
// object of the Messages API (docs/reference/messages-api.md §4).
type Part struct {
	// Type is PartText, PartImage or PartDocument. A text has Text alone, an image
	// Source alone; a document has a Source and may have a Title and a Context.
	Type string `json:"type"`
	// Text is escaped: no text of the client in it can be taken for markup of the format.
	Text string `json:"text,omitzero"`
	// Source is the client's JSON object, unchanged.
	Source jsontext.Value `json:"source,omitzero"`
	// Title and Context of a document are escaped as Text is.
	Title   string `json:"title,omitzero"`
	Context string `json:"context,omitzero"`
	// Labels are the words that introduce what is said of a document, in the language of
	// the prompt; nil is English.
	Labels *Labels `json:"-"`
}
