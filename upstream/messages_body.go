package upstream

import (
	"dragoman/translate"
)

// messagesBody is the request body of the Messages API, as far as a prompt needs it
// (docs/reference/messages-api.md §2). Bedrock and Vertex take the same body with
// anthropic_version, and without the model (docs/reference/bedrock.md §2a,
// docs/reference/vertex.md §2).
type messagesBody struct {
	AnthropicVersion string         `json:"anthropic_version,omitzero"`
	Model            string         `json:"model,omitzero"`
	MaxTokens        int            `json:"max_tokens"`
	System           []messagesText `json:"system,omitempty"`
	Messages         []messagesTurn `json:"messages"`
	StopSequences    []string       `json:"stop_sequences,omitempty"`
	Temperature      *float64       `json:"temperature,omitzero"`
	TopP             *float64       `json:"top_p,omitzero"`
	TopK             *int           `json:"top_k,omitzero"`
	Stream           bool           `json:"stream,omitzero"`

	cache bool // the model takes a cache point
}

// messagesText is a block of the system prompt.
type messagesText struct {
	Type         string        `json:"type"`
	Text         string        `json:"text"`
	CacheControl *cacheControl `json:"cache_control,omitzero"`
}

// cacheControl ends what a cache is to keep: the block that has it and all before.
type cacheControl struct {
	Type string `json:"type"`
}

// messagesTurn is one message. A [translate.Part] is a content block of the Messages API
// when it is written as JSON.
type messagesTurn struct {
	Role    string           `json:"role"`
	Content []translate.Part `json:"content"`
}

// encode returns the body for the prompt as JSON. Members that are not of the prompt are
// those of b.
func (b messagesBody) encode(p *translate.Prompt) ([]byte, error) {
	b.MaxTokens = p.MaxTokens
	b.StopSequences = p.StopSequences
	b.Temperature, b.TopP, b.TopK = p.Temperature, p.TopP, p.TopK
	b.System = make([]messagesText, len(p.System))
	for i, t := range p.System {
		b.System[i] = messagesText{Type: translate.PartText, Text: t.Text}
	}
	if b.cache && len(b.System) > 0 {
		b.System[0].CacheControl = &cacheControl{"ephemeral"} // the preamble, the same for the same tools
	}
	b.Messages = make([]messagesTurn, len(p.Turns))
	for i, t := range p.Turns {
		b.Messages[i] = messagesTurn{t.Role, t.Parts}
	}
	return encodeJSON(p, b)
}
