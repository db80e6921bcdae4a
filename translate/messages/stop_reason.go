package messages

// Stop is why a completion ended: a value of the Messages API's stop_reason.
type Stop string

// The stop reasons. If an upstream gives a reason that is not in this list, the stop reason is
// StopEndTurn.
const (
	StopEndTurn       Stop = "end_turn"
	StopMaxTokens     Stop = "max_tokens"
	StopSequence      Stop = "stop_sequence"
	StopToolUse       Stop = "tool_use" // set by the parser; a text model never gives it
	StopRefusal       Stop = "refusal"
	StopGuardrail     Stop = "guardrail_intervened" // Bedrock only; the Messages API returns it as a refusal
	StopContextWindow Stop = "model_context_window_exceeded"
	StopPauseTurn     Stop = "pause_turn" // only from a model with a tool API of its own
	StopCompaction    Stop = "compaction" // the same, in a beta
)

// IsKnown reports whether s is one of the stop reasons above.
func (s Stop) IsKnown() bool {
	switch s {
	case StopEndTurn, StopMaxTokens, StopSequence, StopToolUse, StopRefusal, StopGuardrail, StopContextWindow, StopPauseTurn, StopCompaction:
		return true
	}
	return false
}

// WithCutCall returns the stop reason for a message that has an incomplete call; the model itself
// gave s. Clients run the calls of a message that ends with tool_use or end_turn, so WithCutCall
// returns max_tokens in their place.
func (s Stop) WithCutCall() Stop {
	if s == StopToolUse || s == StopEndTurn {
		return StopMaxTokens
	}
	return s
}
