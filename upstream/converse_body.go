package upstream

import (
	"strings"

	"dragoman/translate"
	"dragoman/upstream/converse"
)

// converseBody is a request body of Converse and ConverseStream (docs/reference/bedrock.md §5).
type converseBody struct {
	Messages  []converseTurn  `json:"messages"`
	System    []converseBlock `json:"system,omitempty"`
	Inference struct {
		MaxTokens     int      `json:"maxTokens"`
		Temperature   *float64 `json:"temperature,omitzero"`
		TopP          *float64 `json:"topP,omitzero"`
		StopSequences []string `json:"stopSequences,omitempty"`
	} `json:"inferenceConfig"`
	Family *converse.FamilyFields `json:"additionalModelRequestFields,omitzero"`
	// Answered are paths of fields in the model's own answer that Converse should add to its answer.
	Answered  []string            `json:"additionalModelResponseFieldPaths,omitempty"`
	Guardrail *converse.Guardrail `json:"guardrailConfig,omitzero"`
}

type converseTurn struct {
	Role    string          `json:"role"`
	Content []converseBlock `json:"content"`
}

// converseBlock is a block of a turn or of the system prompt. Exactly one member is set.
type converseBlock struct {
	Text       string         `json:"text,omitzero"`
	Image      *converseMedia `json:"image,omitzero"`
	Document   *converseMedia `json:"document,omitzero"`
	CachePoint *cachePoint    `json:"cachePoint,omitzero"`
}

// encodeConverse returns the body for the prompt as JSON, with these stop sequences.
func encodeConverse(m Model, p *translate.Prompt, stops []string) ([]byte, error) {
	var b converseBody
	turns := p.Turns
	if m.Can.Has(System) {
		b.System = converseSystem(m.Can, p)
	} else {
		turns = foldSystem(p)
	}
	var err error
	if b.Messages, err = converseTurns(m.Can, withoutEmpty(turns)); err != nil {
		return nil, err
	}
	b.Inference.MaxTokens, b.Inference.Temperature, b.Inference.TopP, b.Inference.StopSequences = p.MaxTokens, p.Temperature, p.TopP, stops
	if p.TopK != nil {
		b.Family = topKFields(m.ID, p.TopK)
	}
	// Only Claude's answer names the stop sequence that it met, and only if the request asks for it.
	if len(stops) > 0 && IsClaude(m.ID) {
		b.Answered = []string{converse.StopSequencePointer}
	}
	if m.Guardrail != nil {
		b.Guardrail = m.Guardrail.forConverse(m.Can.Has(Streaming))
	}
	return encodeBody(b)
}

// topKFields returns the field for top_k. Its name depends on the model's family.
func topKFields(id string, topK *int) *converse.FamilyFields {
	id = strings.ToLower(id)
	switch {
	case strings.Contains(id, "nova"):
		return &converse.FamilyFields{Inference: &converse.NovaInference{TopK: *topK}}
	case strings.Contains(id, "cohere"):
		return &converse.FamilyFields{K: topK}
	}
	return &converse.FamilyFields{TopK: topK}
}

// converseSystem returns the system prompt, with a cache point after the tools.
func converseSystem(can Features, p *translate.Prompt) (blocks []converseBlock) {
	for i, s := range p.System {
		if isBlank(s.Text) {
			continue
		}
		blocks = append(blocks, converseBlock{Text: s.Text})
		if i == p.CachePoint() && can.Has(Caching) {
			blocks = append(blocks, converseBlock{CachePoint: &cachePoint{"default"}})
		}
	}
	return blocks
}

// forConverse returns the guardrail in the form of Converse. Only ConverseStream has the mode.
func (g *Guardrail) forConverse(streaming bool) *converse.Guardrail {
	c := &converse.Guardrail{ID: g.ID, Version: g.Version, Trace: g.Trace}
	if streaming {
		c.Mode = g.Mode
	}
	return c
}
