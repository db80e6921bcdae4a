// Package conformance drives the dragoman binary through the client libraries that its users have.
//
// [Run] holds the conversations and says what must come of them. It knows no library: each folder
// below is a module of its own that pins one, and adapts it to [Conversation] in the way that
// library's documentation tells its users to work.
package conformance

import (
	"context"
	"encoding/json"
)

// Opener begins a conversation with the server at baseURL. The library must neither retry nor read
// the environment.
type Opener func(baseURL, key string, setup Setup) Conversation

// Conversation is a dialogue held through a library, its history kept in the library's own types.
type Conversation interface {
	// Ask says something and returns the answer. Both are then part of the history.
	Ask(ctx context.Context, turn Turn) (Answer, error)
	// Stream is Ask over a stream, accumulated by the library. It calls seen with the type of each
	// event; seen ends the stream by returning false, and the answer is then what has come so far.
	Stream(ctx context.Context, turn Turn, seen func(event string) bool) (Answer, error)
}

// Setup is what every request of a conversation says.
type Setup struct {
	Model         string
	MaxTokens     int
	System        string
	Tools         []Tool
	Choice        Choice
	StopSequences []string
}

// Tool is a tool with the properties of its input schema.
type Tool struct {
	Name, Description string
	Properties        map[string]any
	Required          []string
}

// Choice is a tool_choice; the zero value leaves it out.
type Choice struct {
	Type string // "auto", "any", "tool" or "none"
	Name string // of a "tool"
}

// Turn is what a user says: results of the calls before, then text.
type Turn struct {
	Results []Result
	Text    string
}

// Result is a tool_result.
type Result struct {
	ID, Text string
	IsError  bool
}

// Answer is a message of the model.
type Answer struct {
	Model        string
	Content      []Block
	StopReason   string
	StopSequence string
	OutputTokens int64
}

// Block is a content block: text, or a call if Name is set.
type Block struct {
	Text     string
	ID, Name string
	Input    json.RawMessage
}

// Failure is an error that the server answered with, as the library tells it.
type Failure struct {
	Status    int
	Body      string // JSON
	RequestID string
}

func (f *Failure) Error() string { return f.Body }

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
