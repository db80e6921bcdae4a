package translate

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Text is a piece of the system prompt.
type Text struct {
	Text string `json:"text"`
}

// Turn is one turn of a conversation as the upstream sees it.
type Turn struct {
	Role  string `json:"role"`
	Parts []Part `json:"parts"`
}

// The types of a [Part].
const (
	PartText     = "text"
	PartImage    = "image"
	PartDocument = "document"
)

// Part is a piece of a turn: text, or an image or document given as the source
// object of the Messages API (reference/messages-api.md §4).
type Part struct {
	Type    string         `json:"type"`
	Text    string         `json:"text,omitzero"`
	Source  jsontext.Value `json:"source,omitzero"`
	Title   string         `json:"title,omitzero"`
	Context string         `json:"context,omitzero"`
}
