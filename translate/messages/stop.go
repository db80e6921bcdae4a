package messages

// Stop is why a completion ended, as the Messages API's stop_reason has it.
type Stop string

// The stop reasons. An upstream whose reason has no counterpart here gives StopEndTurn.
const (
	StopEndTurn       Stop = "end_turn"
	StopMaxTokens     Stop = "max_tokens"
	StopSequence      Stop = "stop_sequence"
	StopToolUse       Stop = "tool_use" // decided by the parser, never given by a text model
	StopRefusal       Stop = "refusal"
	StopGuardrail     Stop = "guardrail_intervened" // Bedrock's; the Messages API calls it a refusal
	StopContextWindow Stop = "model_context_window_exceeded"
)
