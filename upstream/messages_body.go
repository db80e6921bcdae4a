package upstream

import (
	"dragoman/translate"
)

// messagesBody is a request body of the Messages API (docs/reference/messages-api.md §2). Bedrock and Vertex
// take the same body without the model and with anthropic_version (docs/reference/bedrock.md §2a,
// docs/reference/vertex.md §2).
type messagesBody struct {
	AnthropicVersion string         `json:"anthropic_version,omitzero"`
	Model            string         `json:"model,omitzero"`
	MaxTokens        int            `json:"max_tokens"`
	System           []systemBlock  `json:"system,omitempty"`
	Messages         []messagesTurn `json:"messages"`
	StopSequences    []string       `json:"stop_sequences,omitempty"`
	sampling
	Stream bool `json:"stream,omitzero"`

	cache bool // the model takes a cache point
}

// systemBlock is a text of the system prompt.
type systemBlock struct {
	Type         string      `json:"type"`
	Text         string      `json:"text"`
	CacheControl *cachePoint `json:"cache_control,omitzero"`
}

// cachePoint marks the end of the part that a cache keeps.
type cachePoint struct {
	Type string `json:"type"`
}

// messagesTurn is a turn. The JSON of a part is a content block of the Messages API.
type messagesTurn struct {
	Role    string           `json:"role"`
	Content []translate.Part `json:"content"`
}

// sampling are the sampling parameters of a prompt. Most wires use these names of the Messages API.
type sampling struct {
	Temperature *float64 `json:"temperature,omitzero"`
	TopP        *float64 `json:"top_p,omitzero"`
	TopK        *int     `json:"top_k,omitzero"`
}

// samplingOf returns the sampling parameters that the client sent.
func samplingOf(p *translate.Prompt) sampling { return sampling{p.Temperature, p.TopP, p.TopK} }

// encode returns the body for the prompt as JSON.
func (m messagesBody) encode(p *translate.Prompt) ([]byte, error) {
	m.MaxTokens, m.StopSequences, m.sampling = p.MaxTokens, p.StopSequences, samplingOf(p)
	for i, s := range p.System {
		block := systemBlock{Type: translate.PartText, Text: s.Text}
		if m.cache && i == p.CachePoint() {
			block.CacheControl = &cachePoint{"ephemeral"}
		}
		m.System = append(m.System, block)
	}
	for _, turn := range withoutEmpty(p.Turns) {
		m.Messages = append(m.Messages, messagesTurn{turn.Role, turn.Parts})
	}
	return encodeBody(m)
}
