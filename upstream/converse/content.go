package converse

import "github.com/go-json-experiment/json/jsontext"

// Message is one turn of a conversation.
type Message struct {
	Role    string  `json:"role"` // user or assistant
	Content []Block `json:"content"`
}

// Block is a content block of an answer. Exactly one member is set.
type Block struct {
	Text      *string    `json:"text,omitzero"`
	ToolUse   *ToolUse   `json:"toolUse,omitzero"`
	Reasoning *Reasoning `json:"reasoningContent,omitzero"`
}

// ToolUse is a call of a tool by the model.
type ToolUse struct {
	ID    string         `json:"toolUseId"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input,omitzero"` // absent in the event that starts a block
}

// Reasoning is the model's thinking. Exactly one member is set.
type Reasoning struct {
	Text     *ReasoningText `json:"reasoningText,omitzero"`
	Redacted string         `json:"redactedContent,omitzero"` // base64
}

// ReasoningText is thinking as text.
type ReasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitzero"`
}
