package upstream

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// tokenUsage has the token counts in the members of all servers: the Messages API (input_tokens), chat
// completions (prompt_tokens), and Ollama's own API (prompt_eval_count).
type tokenUsage struct {
	Input      tokenCount `json:"input_tokens"`
	Output     tokenCount `json:"output_tokens"`
	CacheRead  tokenCount `json:"cache_read_input_tokens"`
	CacheWrite tokenCount `json:"cache_creation_input_tokens"`

	Prompt     tokenCount `json:"prompt_tokens"`
	Completion tokenCount `json:"completion_tokens"`
	// Cached tokens, which the tokens of the prompt include.
	PromptDetails cacheDetails `json:"prompt_tokens_details"`
	InputDetails  cacheDetails `json:"input_tokens_details"`

	PromptEval tokenCount `json:"prompt_eval_count"`
	Eval       tokenCount `json:"eval_count"`
}

type cacheDetails struct {
	Read  tokenCount `json:"cached_tokens"`
	Write tokenCount `json:"cache_write_tokens"` // OpenRouter
}

// UnmarshalJSONFrom reads the counts that it can: bad counts must not make an answer fail.
func (u *tokenUsage) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	data, err := d.ReadValue()
	if err != nil {
		return err
	}
	type members tokenUsage
	_ = json.Unmarshal(data, (*members)(u), lenient)
	return nil
}

// usage returns the counts in the terms of the Messages API, where the tokens of the prompt exclude cached
// tokens.
func (u *tokenUsage) usage() messages.Usage {
	read := cmp.Or(u.PromptDetails.Read, u.InputDetails.Read)
	write := cmp.Or(u.PromptDetails.Write, u.InputDetails.Write)
	return messages.Usage{
		InputTokens:              int(max(0, cmp.Or(u.Input, u.Prompt, u.PromptEval)-read-write)),
		OutputTokens:             int(cmp.Or(u.Output, u.Completion, u.Eval)),
		CacheReadInputTokens:     int(cmp.Or(read, u.CacheRead)),
		CacheCreationInputTokens: int(cmp.Or(write, u.CacheWrite)),
	}
}

// tokenCount is a count in any form: 5, 5.0 or "5". Any other value becomes 0.
type tokenCount int

func (n *tokenCount) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	const most = 1 << 40
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	text := string(value)
	if value.Kind() == '"' {
		text = rawjson.Unquote(value)
	}
	if count, err := strconv.ParseFloat(text, 64); err == nil && count >= 0 && count <= most {
		*n = tokenCount(count)
	}
	return nil
}
