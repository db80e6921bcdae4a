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

// Usage counts tokens. Input that came from or went to a cache is not in
// InputTokens (reference/messages-api.md §8).
type Usage struct {
	InputTokens              int `json:"input_tokens"`
	OutputTokens             int `json:"output_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
}

// plus returns the sum.
func (u Usage) Plus(u2 Usage) Usage {
	return Usage{
		InputTokens:              u.InputTokens + u2.InputTokens,
		OutputTokens:             u.OutputTokens + u2.OutputTokens,
		CacheCreationInputTokens: u.CacheCreationInputTokens + u2.CacheCreationInputTokens,
		CacheReadInputTokens:     u.CacheReadInputTokens + u2.CacheReadInputTokens,
	}
}

// merge takes over what u2 knows and u does not: totals only grow.
func (u *Usage) Merge(u2 Usage) {
	u.InputTokens = max(u.InputTokens, u2.InputTokens)
	u.OutputTokens = max(u.OutputTokens, u2.OutputTokens)
	u.CacheCreationInputTokens = max(u.CacheCreationInputTokens, u2.CacheCreationInputTokens)
	u.CacheReadInputTokens = max(u.CacheReadInputTokens, u2.CacheReadInputTokens)
}
