package messages

// Usage counts the tokens of an exchange. InputTokens does not include tokens read from or written
// to a cache (docs/reference/messages-api.md §8).
type Usage struct {
	InputTokens              int `json:"input_tokens"`
	OutputTokens             int `json:"output_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
}

// PromptTokens returns the number of tokens in the prompt, cached or not.
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

// Merge takes each count of u2 that is greater. Counts only grow during an answer.
func (u *Usage) Merge(u2 Usage) {
	u.InputTokens = max(u.InputTokens, u2.InputTokens)
	u.OutputTokens = max(u.OutputTokens, u2.OutputTokens)
	u.CacheCreationInputTokens = max(u.CacheCreationInputTokens, u2.CacheCreationInputTokens)
	u.CacheReadInputTokens = max(u.CacheReadInputTokens, u2.CacheReadInputTokens)
}
