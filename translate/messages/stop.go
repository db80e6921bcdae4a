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
	StopPauseTurn     Stop = "pause_turn" // of a model with a tool API of its own
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

// WithCutCall returns the stop reason for a message with a call that was cut, which its model ended
// for the reason s. Clients run the calls of a message that ended as it should, so such a message
// did not: it is max_tokens in place of tool_use and of end_turn.
func (s Stop) WithCutCall() Stop {
	if s == StopToolUse || s == StopEndTurn {
		return StopMaxTokens
	}
	return s
}
