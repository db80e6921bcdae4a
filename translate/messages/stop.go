package messages

// Stop says why a completion ended, in the terms of the Messages API's stop_reason.
type Stop string

// The reasons an upstream can give. An upstream whose reason has no counterpart
// here gives StopEndTurn.
const (
	StopEndTurn       Stop = "end_turn"
	StopMaxTokens     Stop = "max_tokens"
	StopSequence      Stop = "stop_sequence"
	StopToolUse       Stop = "tool_use" // never from an upstream
	StopRefusal       Stop = "refusal"
	StopGuardrail     Stop = "guardrail_intervened" // Bedrock's; in the Messages API, a refusal
	StopContextWindow Stop = "model_context_window_exceeded"
)
