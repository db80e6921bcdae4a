package messages

import "github.com/go-json-experiment/json/jsontext"

// Message is a whole answer of the Messages API (docs/reference/messages-api.md §8).
type Message struct {
	ID           string
	Model        string
	Content      []ContentBlock
	StopReason   Stop   // "" until the message ends
	StopSequence string // "" means null
	Usage        Usage
	// UsageEstimated: Usage is an estimate, because the upstream did not report all counts. It is
	// for the log, not part of the API.
	UsageEstimated bool
	// Outcomes tell how Dragoman read each call that the model attempted. They are for metrics, not
	// part of the API.
	Outcomes []Outcome
	// LeftOut are the types of the blocks that Dragoman left out: blocks before a forced call, and
	// blocks that the operator hides. Unmet lists what the answer fails to do: [UnmetChoice],
	// [UnmetAnswer]. Both are in MessageStart if they are known by then, and in MessageDelta.
	// They are not part of the API.
	LeftOut, Unmet []string
	// Continued: the model has continued the prefill of a forced call, and has not begun the call
	// again. It is set in MessageDelta. It is not part of the API.
	Continued bool
	// RequestID is the upstream's own id of the request, if its first event has one.
	RequestID string
	// Raw is the message's JSON, if its events have Raw; otherwise nil.
	Raw jsontext.Value
}

// The members of [Message.Unmet].
const (
	UnmetChoice = "tool_choice" // the call that the request forces is missing
	UnmetAnswer = "answer"      // the model wrote neither text nor a call
)

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
	// Cut is set if the block is a tool_use that ends too early: it is the incomplete JSON that was
	// streamed. Input then has the complete parameters only. Otherwise Cut is nil.
	Cut       []byte
	Thinking  string // thinking
	Signature string // thinking
	Data      string // redacted_thinking
	// Refused: the text begins with a call that Dragoman could not read; see [OutcomeRefused]. It
	// is not part of the API.
	Refused bool
}
