// Package converse has the JSON of Bedrock's operations Converse and ConverseStream: their types, event names
// and stop reasons (docs/reference/bedrock.md §5). The upstream writes requests with it, and the proxy, which
// plays Bedrock to its clients, writes answers.
//
// Only shared or written JSON has a type here. The upstream reads answers with the types of the AWS SDK. The
// proxy reads requests member by member, so that it can name a member that it does not support.
package converse

// The event types of ConverseStream, in their order. The events about a block repeat for each block.
const (
	EventMessageStart      = "messageStart"
	EventContentBlockStart = "contentBlockStart" // omitted for a text block
	EventContentBlockDelta = "contentBlockDelta"
	EventContentBlockStop  = "contentBlockStop"
	EventMessageStop       = "messageStop" // its payload is an [Ending]
	EventMetadata          = "metadata"    // its payload is a [Metering]
)

// The stop reasons. Those that the Messages API also has are spelled the same.
const (
	ReasonEndTurn         = "end_turn"
	ReasonToolUse         = "tool_use"
	ReasonMaxTokens       = "max_tokens"
	ReasonSequence        = "stop_sequence"
	ReasonContextWindow   = "model_context_window_exceeded"
	ReasonGuardrail       = "guardrail_intervened"
	ReasonContentFiltered = "content_filtered"
	ReasonMalformedOutput = "malformed_model_output"
	ReasonMalformedTool   = "malformed_tool_use"
)

// StopSequencePointer is the JSON pointer to the stop sequence that ended the answer, in Claude's own answer.
// A request asks for it in additionalModelResponseFieldPaths.
const StopSequencePointer = "/stop_sequence"
