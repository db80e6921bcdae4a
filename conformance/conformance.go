// Package conformance drives the dragoman binary through the client libraries of its users.
//
// [Cases] are conversations and their expected results. They do not depend on a library. Each folder below
// pins one library, and has a small program that implements [Conversation] in the way that the library's
// documentation recommends. Tests talk to the program over a pipe (see [Program]). The package clients
// installs all libraries, and runs each case through each of them.
package conformance

import (
	"context"
	"encoding/json"
)

// Opener begins a conversation with the server at baseURL. The library must not retry, and must not read the
// environment.
type Opener func(baseURL, key string, setup Setup) Conversation

// Conversation is a dialogue through a library, which keeps the history in its own types.
type Conversation interface {
	// Ask says something and returns the answer. Both become part of the history.
	Ask(ctx context.Context, turn Turn) (Answer, error)
	// Stream is Ask with streaming; the library joins the pieces. If leave is true, it leaves after the first
	// piece of text, and the answer is the text so far.
	Stream(ctx context.Context, turn Turn, leave bool) (Answer, error)
}

// Runner is a conversation with a library that runs tools itself.
type Runner interface {
	// Run says something and streams the answers. The library runs the called tools until an answer has no
	// calls. Run returns the calls that were run, even if it fails.
	Run(ctx context.Context, turn Turn) ([]Block, error)
}

// The types below are JSON of the Messages API, as far as the cases need it.

// Setup has the parameters that every request of a conversation has.
type Setup struct {
	Model         string   `json:"model"`
	MaxTokens     int      `json:"max_tokens"`
	System        string   `json:"system,omitempty"`
	Tools         []Tool   `json:"tools,omitempty"`
	Choice        *Choice  `json:"tool_choice,omitempty"`
	StopSequences []string `json:"stop_sequences,omitempty"`
}

// Tool is a tool with the schema of its input, an object.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      Schema `json:"input_schema"`
	Eager       *bool  `json:"eager_input_streaming,omitempty"` // whether values may arrive in pieces
}

// Schema is the schema of an object.
type Schema struct {
	Type       string         `json:"type"` // "object"
	Properties map[string]any `json:"properties"`
	Required   []string       `json:"required,omitempty"`
}

// Choice is a tool_choice.
type Choice struct {
	Type string `json:"type"` // "auto", "any", "tool" or "none"
	Name string `json:"name,omitempty"`
}

// Turn is the user's turn: results of the calls before, then text.
type Turn []Part

// Part is a block of a turn: a text, an image, or a tool_result with its own blocks.
type Part struct {
	Type      string  `json:"type"`
	Text      string  `json:"text,omitempty"`
	Source    *Source `json:"source,omitempty"`
	ToolUseID string  `json:"tool_use_id,omitempty"`
	Content   []Part  `json:"content,omitempty"`
	IsError   bool    `json:"is_error,omitempty"`
}

// Source is the data of an image.
type Source struct {
	Type      string `json:"type"` // "base64"
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// Answer is a message of the model.
type Answer struct {
	Model        string  `json:"model"`
	Content      []Block `json:"content"`
	StopReason   string  `json:"stop_reason"`
	StopSequence string  `json:"stop_sequence"`
	// Events are the types of the stream's events, as the library reports them.
	Events []string `json:"-"`
}

// Block is a content block: a text, or a call if Name is set.
type Block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// Failure is an error answer of the server, as the library reports it. Some libraries report no status for an
// error in a stream.
type Failure struct {
	Status    int             `json:"status"`
	Body      json.RawMessage `json:"body"`
	RequestID string          `json:"request_id"`
}

func (f *Failure) Error() string { return string(f.Body) }

// Text joins the text of the answer.
func (a Answer) Text() string {
	var text string
	for _, block := range a.Content {
		text += block.Text
	}
	return text
}

// Calls returns the tool_use blocks of the answer.
func (a Answer) Calls() []Block {
	var calls []Block
	for _, block := range a.Content {
		if block.Name != "" {
			calls = append(calls, block)
		}
	}
	return calls
}

// say is a turn with only a text.
func say(text string) Turn { return Turn{{Type: "text", Text: text}} }

// result answers a call with text.
func result(id, text string) Part {
	return Part{Type: "tool_result", ToolUseID: id, Content: []Part{{Type: "text", Text: text}}}
}

// failed answers a call with an error.
func failed(id, text string) Part {
	part := result(id, text)
	part.IsError = true
	return part
}
