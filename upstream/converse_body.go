package upstream

import (
	"strings"

	"dragoman/translate"
	"dragoman/upstream/converse"
)

// encodeConverse returns the body for the prompt as JSON, with these stop sequences.
func encodeConverse(m Model, p *translate.Prompt, stops []string) ([]byte, error) {
	b := converse.Request{
		Inference:     converse.InferenceConfig{MaxTokens: p.MaxTokens, Temperature: p.Temperature, TopP: p.TopP, StopSequences: stops},
		RequestFields: topKFields(m.ID, p.TopK),
		Guardrail:     m.Guardrail.forConverse(m.Can.Has(Streaming)),
	}
	// Only a Claude's answer has the sequence that was met, and only if the request asks for
	// it.
	if len(stops) > 0 && isClaude(m.ID) {
		b.ResponseFields = []string{converse.StopSequencePointer}
	}
	turns := p.Turns
	if m.Can.Has(System) {
		b.System = converseSystem(m.Can, p)
	} else {
		turns = foldSystem(p)
	}
	var err error
	if b.Messages, err = converseTurns(m.Can, turns); err != nil {
		return nil, err
	}
	return encodeJSON(p, b)
}

// topKFields returns the field that asks for top_k, under the name that the model's family
// has for it; nil if topK is nil.
func topKFields(id string, topK *int) *converse.FamilyFields {
	id = strings.ToLower(id)
	switch {
	case topK == nil:
		return nil
	case strings.Contains(id, "nova"):
		return &converse.FamilyFields{Inference: &converse.NovaInference{TopK: *topK}}
	case strings.Contains(id, "cohere"):
		return &converse.FamilyFields{K: topK}
	}
	return &converse.FamilyFields{TopK: topK}
}

// converseSystem returns the blocks of the system prompt. The first one is the same for
// the same tools: a cache point stands after it.
func converseSystem(can Features, p *translate.Prompt) []converse.Block {
	var blocks []converse.Block
	for i, s := range p.System {
		if isBlank(s.Text) {
			continue
		}
		blocks = append(blocks, converse.TextBlock(s.Text))
		if i == 0 && can.Has(Caching) {
			blocks = append(blocks, converse.Block{CachePoint: &converse.CachePoint{Type: "default"}})
		}
	}
	return blocks
}

// forConverse returns the guardrail as Converse is asked for it, nil for none. The mode
// is ConverseStream's alone.
func (g *Guardrail) forConverse(streaming bool) *converse.Guardrail {
	if g == nil {
		return nil
	}
	c := &converse.Guardrail{ID: g.ID, Version: g.Version, Trace: g.Trace}
	if streaming {
		c.Mode = g.Mode
	}
	return c
}
