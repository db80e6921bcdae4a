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
	// UsageEstimated says that the upstream has not told all of Usage, which is then an estimate. It is for
	// the log and not part of the API.
	UsageEstimated bool
	// Outcomes says how each call that the model attempted was read. It is for metrics and not part of
	// the API.
	Outcomes []Outcome
	// LeftOut are the types of the blocks that stood before a call that was forced, or that the operator
	// hides, and are no part of the answer. Unmet is what the request forces and the answer does not do:
	// "tool_choice". Both are in the MessageStart of an answer to such a request, if they are known by then,
	// and in its MessageDelta. They are not part of the API.
	LeftOut, Unmet []string
	// Continued says, in the MessageDelta, that the model has gone on with a prefill that begins a call which is
	// forced: it has not begun the call again. It is not part of the API.
	Continued bool
	// RequestID is the upstream's own id of the request, if it sent one with its first event.
	RequestID string
	// Raw is the message as JSON if its events had a Raw; else nil.
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
	// Cut is nil unless the block is a tool_use that was not read to its end: then it is the input as
	// it was streamed, JSON left open, and Input has only the parameters that came whole.
	Cut       []byte
	Thinking  string // thinking
	Signature string // thinking
	Data      string // redacted_thinking
	// Refused says, of text, that it begins with a call that could not be read: see [OutcomeRefused]. It
	// is not part of the API.
	Refused bool
}
