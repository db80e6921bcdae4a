package converse

import "github.com/go-json-experiment/json/jsontext"

// Message is one turn of a conversation.
type Message struct {
	Role    string  `json:"role"` // user or assistant
	Content []Block `json:"content"`
}

// Block is a content block: a union, of which one member is set. The system prompt of a
// request is made of blocks too, with a text or a cache point.
type Block struct {
	Text       *string     `json:"text,omitzero"`
	Image      *Image      `json:"image,omitzero"`
	Document   *Document   `json:"document,omitzero"`
	ToolUse    *ToolUse    `json:"toolUse,omitzero"`
	Reasoning  *Reasoning  `json:"reasoningContent,omitzero"`
	CachePoint *CachePoint `json:"cachePoint,omitzero"`
}

// TextBlock returns a block of text.
func TextBlock(text string) Block { return Block{Text: &text} }

// Image is a picture that a user shows.
type Image struct {
	Format string `json:"format"` // png, jpeg, gif or webp
	Source Source `json:"source"`
}

// Document is a document that a user shows. It needs a block of text beside it, and a
// name that no other document of the request has.
type Document struct {
	Name   string `json:"name"`
	Format string `json:"format"` // pdf, txt and others
	Source Source `json:"source"`
}

// Source is where an image or a document comes from: a union. An image has no text.
type Source struct {
	Bytes string `json:"bytes,omitzero"` // base64
	Text  string `json:"text,omitzero"`
}

// CachePoint ends the part of a prompt that a cache is to keep.
type CachePoint struct {
	Type string `json:"type"` // default
}

// ToolUse is a call of a tool by the model.
type ToolUse struct {
	ID    string         `json:"toolUseId"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input,omitzero"` // absent where a stream starts the block
}

// Reasoning is what the model thought: a union.
type Reasoning struct {
	Text     *ReasoningText `json:"reasoningText,omitzero"`
	Redacted string         `json:"redactedContent,omitzero"` // base64
}

// ReasoningText is a thought in words.
type ReasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitzero"`
}
