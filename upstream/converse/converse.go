// Package converse is the JSON of Bedrock's operations Converse and ConverseStream: its
// types and its words (docs/reference/bedrock.md §5). The upstream that asks over
// Converse writes requests, and the proxy, which plays Bedrock to its clients, writes answers.
//
// It is as much of the wire as they need. What only one of them does has no type here:
// the upstream writes requests member by member and reads answers with the types of the AWS SDK,
// and the proxy reads requests member by member, so that it can name what it cannot express.
package converse

// The types of the events of ConverseStream, in their order. The events about a block
// come once for each block.
const (
	EventMessageStart      = "messageStart"
	EventContentBlockStart = "contentBlockStart" // is left out for a block of text
	EventContentBlockDelta = "contentBlockDelta"
	EventContentBlockStop  = "contentBlockStop"
	EventMessageStop       = "messageStop" // its payload is an [Ending]
	EventMetadata          = "metadata"    // its payload is a [Metering]
)

// The stop reasons. Those that the Messages API has too are spelled as there.
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

// StopSequencePointer is the JSON pointer to the stop sequence that was met, in the
// answer of a Claude's own API. A request asks for it in
// additionalModelResponseFieldPaths.
const StopSequencePointer = "/stop_sequence"
