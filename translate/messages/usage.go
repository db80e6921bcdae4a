package messages

// Usage counts the tokens of an exchange. Input that came from or went to a cache is not in
// InputTokens (docs/reference/messages-api.md §8).
type Usage struct {
	InputTokens              int `json:"input_tokens"`
	OutputTokens             int `json:"output_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
}

// PromptTokens returns how many tokens the prompt has, those of the cache included.
func (u Usage) PromptTokens() int {
	return u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens
}

// Plus returns the sum of u and u2.
func (u Usage) Plus(u2 Usage) Usage {
	return Usage{
		InputTokens:              u.InputTokens + u2.InputTokens,
		OutputTokens:             u.OutputTokens + u2.OutputTokens,
		CacheCreationInputTokens: u.CacheCreationInputTokens + u2.CacheCreationInputTokens,
		CacheReadInputTokens:     u.CacheReadInputTokens + u2.CacheReadInputTokens,
	}
}

// Merge takes over from u2 each total that is greater. Totals only grow while an answer comes in.
func (u *Usage) Merge(u2 Usage) {
	u.InputTokens = max(u.InputTokens, u2.InputTokens)
	u.OutputTokens = max(u.OutputTokens, u2.OutputTokens)
	u.CacheCreationInputTokens = max(u.CacheCreationInputTokens, u2.CacheCreationInputTokens)
	u.CacheReadInputTokens = max(u.CacheReadInputTokens, u2.CacheReadInputTokens)
}
