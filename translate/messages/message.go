package messages

import "github.com/go-json-experiment/json/jsontext"

// Message is a whole answer of the Messages API (docs/reference/messages-api.md §8).
type Message struct {
	ID           string
	Model        string
	Content      []ContentBlock
	StopReason   Stop   // "" until the message has ended
	StopSequence string // "" means null
	Usage        Usage
	// Outcomes says how each attempt of the model to call a tool was read. It is
	// for metrics and not part of the API.
	Outcomes []Outcome
	// RequestID is the upstream's own id of the request (MessageStart with Raw).
	RequestID string
	// Raw is the message in JSON if its events had a Raw.
	Raw jsontext.Value
}

// The types of a [ContentBlock].
const (
	BlockText     = "text"
	BlockToolUse  = "tool_use"
	BlockThinking = "thinking"
	BlockRedacted = "redacted_thinking"
)

// ContentBlock is one block of an answer.
type ContentBlock struct {
	Type     string
	Text     string         // text
	ID, Name string         // tool_use
	Input    jsontext.Value // tool_use: a JSON object
	// Cut is the input of a tool_use that was not read to its end, as it is streamed: JSON
	// left open. Input then has the parameters that came whole. It is nil for any other.
	Cut       []byte
	Thinking  string // thinking
	Signature string // thinking
	Data      string // redacted_thinking
}
