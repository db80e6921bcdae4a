package upstream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The markers between the turns of a text prompt (docs/reference/legacy-format.md §9).
// The model may go on and write the next turn of the human, so the human's marker is a
// stop sequence.
const (
	humanTurn     = "\n\nHuman:"
	assistantTurn = "\n\nAssistant:"
)

// The body of text completions, which the Claude 2 family takes (docs/reference/bedrock.md §2b): the
// whole prompt is one text. Its prompts have to be rendered for a [translate.Target] with TextWire.

// textBody is a request body of text completions.
type textBody struct {
	AnthropicVersion string   `json:"anthropic_version"`
	Prompt           string   `json:"prompt"`
	MaxTokens        int      `json:"max_tokens_to_sample"`
	StopSequences    []string `json:"stop_sequences"`
	sampling
}

// encodeText returns the body for the prompt as JSON. It fails if the prompt holds an image or a document. It
// fails if the text of the prompt has more markers than the prompt has turns: then one
// stands in a text, and the model would read there the beginning of another turn.
func encodeText(p *translate.Prompt) ([]byte, error) {
	if err := onlyText(p); err != nil {
		return nil, err
	}
	text := p.Text()
	if strings.Count(text, humanTurn)+strings.Count(text, assistantTurn) != markers(p) {
		return nil, internalError.error("the prompt holds turns that are not its own, and was not sent")
	}
	stops := slices.Clone(p.StopSequences)
	if !slices.Contains(stops, humanTurn) {
		stops = append(stops, humanTurn)
	}
	return encodeBody(textBody{messages.VersionBedrock, text, p.MaxTokens, stops, samplingOf(p)})
}

// onlyText returns an [*Error] if the prompt holds an image or a document.
func onlyText(p *translate.Prompt) error {
	for i, turn := range p.Turns {
		for _, part := range turn.Parts {
			if part.Type != translate.PartText {
				return invalidRequest.error(fmt.Sprintf("messages: this model reads text alone and cannot be shown the %s", placeOf(part, i, turn.Role)))
			}
		}
	}
	return nil
}

// markers returns how many markers the text of the prompt has to hold: one for each
// turn, and the one that the completion follows.
func markers(p *translate.Prompt) int {
	if prefilled(p) {
		return len(p.Turns)
	}
	return len(p.Turns) + 1
}

// textCompletion is one chunk of an answer. The last one has a stop_reason.
type textCompletion struct {
	Type       string         `json:"type"` // may be missing
	Completion string         `json:"completion"`
	StopReason string         `json:"stop_reason"`
	Stop       string         `json:"stop"` // the sequence that was met
	Error      messagesError  `json:"error"`
	Metrics    bedrockMetrics `json:"amazon-bedrock-invocationMetrics"`
	Action     string         `json:"amazon-bedrock-guardrailAction"`
}

// textDecoder turns the chunks of one answer into ours. It ends with the chunk that has
// a stop reason.
type textDecoder struct {
	stops      []string // that were sent, without the one that every prompt has
	goesOn     bool     // the completion continues a prefill
	begun      bool     // there was text
	intervened bool     // a guardrail intervened
}

// newTextDecoder returns a decoder for the answer to a prompt.
func newTextDecoder(p *translate.Prompt) *textDecoder {
	return &textDecoder{stops: p.StopSequences, goesOn: prefilled(p)}
}

// decode returns the chunk for one of the wire's. For an event that is no completion it
// is empty, which shows at least that the upstream is alive. The last chunk, and no
// other, has Stop set.
func (d *textDecoder) decode(data []byte) (translate.Chunk, error) {
	var c textCompletion
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		return translate.Chunk{}, gatewayError("the upstream sent a chunk that cannot be read", err)
	}
	switch c.Type {
	case "", "completion":
		d.intervened = d.intervened || c.Action == Intervened
		chunk := translate.Chunk{Text: d.trim(c.Completion), Usage: c.Metrics.usage()}
		switch {
		case c.StopReason != "" && d.intervened:
			chunk.Stop = messages.StopGuardrail
		case c.StopReason != "":
			chunk.Stop, chunk.UnknownStop = stopReason(c.StopReason)
			if chunk.Stop == messages.StopSequence { // the human's marker counts only if the client asked for it
				chunk.Stop, chunk.StopSequence = stoppedAt(d.stops, c.Stop)
			}
		}
		return chunk, nil
	case "error":
		return translate.Chunk{}, eventError(&c.Error, data)
	}
	return translate.Chunk{}, nil
}

// trim takes off the blank that the model writes after "Assistant:"
// (docs/reference/legacy-format.md §9). Behind a prefill a blank belongs to the answer.
func (d *textDecoder) trim(text string) string {
	if d.begun || text == "" {
		return text
	}
	d.begun = true
	if d.goesOn {
		return text
	}
	return strings.TrimPrefix(text, " ")
}
