package upstream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The markers between the turns of a text prompt (docs/reference/legacy-format.md §9). The model may continue
// with the next turn of the human, so the human's marker is a stop sequence.
const (
	humanTurn     = "\n\nHuman:"
	assistantTurn = "\n\nAssistant:"
)

// The body of text completions, for the Claude 2 family (docs/reference/bedrock.md §2b): the whole prompt is
// one text. Such a prompt has to be rendered for a [translate.Target] with TextWire.

// textBody is a request body of text completions.
type textBody struct {
	AnthropicVersion string   `json:"anthropic_version"`
	Prompt           string   `json:"prompt"`
	MaxTokens        int      `json:"max_tokens_to_sample"`
	StopSequences    []string `json:"stop_sequences"`
	sampling
}

// encodeText returns the body for the prompt as JSON. It fails if the prompt has an image or a document. It
// also fails if the text has more markers than the prompt has turns: a client's text then contains a marker,
// and the model would see another turn there.
func encodeText(p *translate.Prompt) ([]byte, error) {
	if err := onlyText(p); err != nil {
		return nil, err
	}
	text := p.Text()
	if strings.Count(text, humanTurn)+strings.Count(text, assistantTurn) != markers(p) {
		return nil, internalError.error("a text of the prompt contains a turn marker, so Dragoman did not send it")
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
				return invalidRequest.error(fmt.Sprintf("messages: this model reads only text and cannot be shown the %s", placeOf(part, i, turn.Role)))
			}
		}
	}
	return nil
}

// markers returns how many markers the text of the prompt must have: one for each turn, and one before the
// completion.
func markers(p *translate.Prompt) int {
	if prefilled(p) {
		return len(p.Turns)
	}
	return len(p.Turns) + 1
}

// textCompletion is one chunk of an answer. The last chunk has a stop_reason.
type textCompletion struct {
	Type       string         `json:"type"` // may be missing
	Completion string         `json:"completion"`
	StopReason string         `json:"stop_reason"`
	Stop       string         `json:"stop"` // the sequence that ended the answer
	Error      messagesError  `json:"error"`
	Metrics    bedrockMetrics `json:"amazon-bedrock-invocationMetrics"`
	Action     string         `json:"amazon-bedrock-guardrailAction"`
}

// textDecoder turns the chunks of one answer into translate.Chunk. The chunk with a stop reason is the last.
type textDecoder struct {
	stops      []string // the stop sequences of the prompt, without humanTurn
	goesOn     bool     // the completion continues a prefill
	begun      bool     // text has come
	intervened bool     // a guardrail intervened
}

// newTextDecoder returns a decoder for the answer to a prompt.
func newTextDecoder(p *translate.Prompt) *textDecoder {
	return &textDecoder{stops: p.StopSequences, goesOn: prefilled(p)}
}

// decode returns the chunk for a chunk of the wire. For other events the chunk is empty, which still shows
// that the upstream is alive. Only the last chunk has Stop.
func (d *textDecoder) decode(data []byte) (translate.Chunk, error) {
	var c textCompletion
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		return translate.Chunk{}, gatewayError("the upstream sent a chunk that Dragoman cannot read", err)
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
			if chunk.Stop == messages.StopSequence { // humanTurn counts only if the client asked for it
				chunk.Stop, chunk.StopSequence = stoppedAt(d.stops, c.Stop)
			}
		}
		return chunk, nil
	case "error":
		return translate.Chunk{}, eventError(&c.Error, data)
	}
	return translate.Chunk{}, nil
}

// trim removes the space that the model writes after "Assistant:" (docs/reference/legacy-format.md §9). After
// a prefill, a space belongs to the answer.
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
