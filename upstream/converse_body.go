package upstream

import (
	"strings"

	"dragoman/translate"
)

// converseBody is the request body of Converse and ConverseStream, as far as a
// prompt needs it (reference/bedrock.md §5).
type converseBody struct {
	Messages       []converseMessage  `json:"messages"`
	System         []converseBlock    `json:"system,omitempty"`
	Inference      converseInference  `json:"inferenceConfig"`
	RequestFields  *familyFields      `json:"additionalModelRequestFields,omitzero"`
	ResponseFields []string           `json:"additionalModelResponseFieldPaths,omitempty"`
	Guardrail      *converseGuardrail `json:"guardrailConfig,omitzero"`
}

type converseMessage struct {
	Role    string          `json:"role"`
	Content []converseBlock `json:"content"`
}

// converseBlock is a block with one of its members.
type converseBlock struct {
	Text       string            `json:"text,omitzero"`
	Image      *converseImage    `json:"image,omitzero"`
	Document   *converseDocument `json:"document,omitzero"`
	CachePoint *cachePoint       `json:"cachePoint,omitzero"`
}

// cachePoint ends what a cache is to keep.
type cachePoint struct {
	Type string `json:"type"`
}

type converseInference struct {
	MaxTokens     int      `json:"maxTokens"`
	Temperature   *float64 `json:"temperature,omitzero"`
	TopP          *float64 `json:"topP,omitzero"`
	StopSequences []string `json:"stopSequences,omitempty"`
}

// familyFields are parameters that each family calls by a name of its own.
type familyFields struct {
	TopK      *int           `json:"top_k,omitzero"`
	K         *int           `json:"k,omitzero"` // Cohere
	Inference *novaInference `json:"inferenceConfig,omitzero"`
}

type novaInference struct {
	TopK int `json:"topK"`
}

// stopSequencePointer is where a Claude's own answer has the sequence it met.
const stopSequencePointer = "/stop_sequence"

// encodeConverse returns the body for the prompt as JSON, with these stop
// sequences.
func encodeConverse(m Model, p *translate.Prompt, stops []string) ([]byte, error) {
	b := converseBody{
		Inference:     converseInference{p.MaxTokens, p.Temperature, p.TopP, stops},
		RequestFields: topKFields(m.ID, p.TopK),
		Guardrail:     m.Guardrail.converse(m.Can.Has(Streaming)),
	}
	if len(stops) > 0 && isClaude(m.ID) {
		b.ResponseFields = []string{stopSequencePointer}
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
	return encodeJSON(b)
}

// topKFields asks for top_k in the words of the model's family.
func topKFields(id string, topK *int) *familyFields {
	id = strings.ToLower(id)
	switch {
	case topK == nil:
		return nil
	case strings.Contains(id, "nova"):
		return &familyFields{Inference: &novaInference{*topK}}
	case strings.Contains(id, "cohere"):
		return &familyFields{K: topK}
	}
	return &familyFields{TopK: topK}
}

// converseSystem returns the system blocks, with a cache point behind the first,
// which is the same for the same tools.
func converseSystem(can Features, p *translate.Prompt) []converseBlock {
	var blocks []converseBlock
	for i, s := range p.System {
		if isBlank(s.Text) {
			continue
		}
		blocks = append(blocks, converseBlock{Text: s.Text})
		if i == 0 && can.Has(Caching) {
			blocks = append(blocks, converseBlock{CachePoint: &cachePoint{"default"}})
		}
	}
	return blocks
}

// isBlank tells whether Converse would refuse a text.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
