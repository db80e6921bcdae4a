package upstream

import (
	"dragoman/translate"
)

// messagesBody says what of the request body of the Messages API is not the prompt's
// (docs/reference/messages-api.md §2). Bedrock and Vertex take the same body with
// anthropic_version, and without the model (docs/reference/bedrock.md §2a,
// docs/reference/vertex.md §2).
type messagesBody struct {
	AnthropicVersion string
	Model            string
	Stream           bool

	cache bool // the model takes a cache point
}

// encode returns the body for the prompt as JSON.
func (m messagesBody) encode(p *translate.Prompt) ([]byte, error) {
	b := newBody(p)
	b.open("", '{')
	b.textUnlessEmpty("anthropic_version", m.AnthropicVersion)
	b.textUnlessEmpty("model", m.Model)
	b.number("max_tokens", p.MaxTokens)
	if len(p.System) > 0 {
		b.open("system", '[')
		for i := range p.System {
			b.open("", '{')
			b.text("type", translate.PartText)
			b.joined("text", p.System[i].Text)
			if m.cache && i == p.CachePoint() {
				b.open("cache_control", '{')
				b.text("type", "ephemeral")
				b.close('}')
			}
			b.close('}')
		}
		b.close(']')
	}
	b.open("messages", '[')
	for _, turn := range p.Turns {
		b.open("", '{')
		b.text("role", turn.Role)
		b.open("content", '[')
		for i := range turn.Parts {
			b.contentBlock(&turn.Parts[i])
		}
		b.close(']')
		b.close('}')
	}
	b.close(']')
	b.texts("stop_sequences", p.StopSequences)
	b.sampling(p)
	if m.Stream {
		b.flag("stream", true)
	}
	return b.end()
}

// contentBlock writes a part of a turn as a content block of the Messages API.
func (b *body) contentBlock(part *translate.Part) {
	b.open("", '{')
	b.text("type", part.Type)
	b.joinedUnlessEmpty("text", part.Text)
	if len(part.Source) > 0 {
		b.source("source", part.Source)
	}
	b.textUnlessEmpty("title", part.Title)
	b.textUnlessEmpty("context", part.Context)
	b.close('}')
}

// sampling writes the sampling parameters of a prompt under the names of the Messages API, which most
// wires have.
func (b *body) sampling(p *translate.Prompt) {
	optional(b, "temperature", p.Temperature)
	optional(b, "top_p", p.TopP)
	optional(b, "top_k", p.TopK)
}
