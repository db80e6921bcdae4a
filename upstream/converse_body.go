package upstream

import (
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/upstream/converse"
)

// encodeConverse returns the body for the prompt as JSON, with these stop sequences
// (docs/reference/bedrock.md §5).
func encodeConverse(m Model, p *translate.Prompt, stops []string) ([]byte, error) {
	turns := p.Turns
	if !m.Can.Has(System) {
		turns = foldSystem(p)
	}
	b := newBody(p)
	b.open("", '{')
	if err := b.converseTurns(m.Can, turns); err != nil {
		return nil, err
	}
	if m.Can.Has(System) {
		b.converseSystem(m.Can, p)
	}
	b.open("inferenceConfig", '{')
	b.number("maxTokens", p.MaxTokens)
	optional(b, "temperature", p.Temperature)
	optional(b, "topP", p.TopP)
	b.texts("stopSequences", stops)
	b.close('}')
	if p.TopK != nil {
		b.value("additionalModelRequestFields", topKFields(m.ID, p.TopK))
	}
	// Only a Claude's answer has the sequence that was met, and only if the request asks for
	// it.
	if len(stops) > 0 && isClaude(m.ID) {
		b.texts("additionalModelResponseFieldPaths", []string{converse.StopSequencePointer})
	}
	if m.Guardrail != nil {
		b.value("guardrailConfig", m.Guardrail.forConverse(m.Can.Has(Streaming)))
	}
	return b.end()
}

// topKFields returns the field that asks for top_k, under the name that the model's family
// has for it.
func topKFields(id string, topK *int) converse.FamilyFields {
	id = strings.ToLower(id)
	switch {
	case strings.Contains(id, "nova"):
		return converse.FamilyFields{Inference: &converse.NovaInference{TopK: *topK}}
	case strings.Contains(id, "cohere"):
		return converse.FamilyFields{K: topK}
	}
	return converse.FamilyFields{TopK: topK}
}

// converseSystem writes the system prompt, if there is any. A cache point stands behind the tools.
func (b *body) converseSystem(can Features, p *translate.Prompt) {
	if !slices.ContainsFunc(p.System, func(s translate.Text) bool { return !s.Text.IsBlank() }) {
		return
	}
	b.open("system", '[')
	for i, s := range p.System {
		if s.Text.IsBlank() {
			continue
		}
		b.converseText(s.Text)
		if i == p.CachePoint() && can.Has(Caching) {
			b.open("", '{')
			b.open("cachePoint", '{')
			b.text("type", "default")
			b.close('}')
			b.close('}')
		}
	}
	b.close(']')
}

// forConverse returns the guardrail as Converse is asked for it. The mode is ConverseStream's alone.
func (g *Guardrail) forConverse(streaming bool) converse.Guardrail {
	c := converse.Guardrail{ID: g.ID, Version: g.Version, Trace: g.Trace}
	if streaming {
		c.Mode = g.Mode
	}
	return c
}
