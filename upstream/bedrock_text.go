package upstream

import (
	"bytes"
	"context"
	"fmt"
	"iter"
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

// BedrockText asks models with InvokeModelWithResponseStream and the body of text
// completions, which the Claude 2 family takes (docs/reference/bedrock.md §2b): the
// whole prompt is one text.
//
// Its prompts have to be rendered for a [translate.Target] with TextWire. A prompt of
// which some text would begin a turn, or that holds an image or a document, is an
// [*Error], and nothing is sent.
type BedrockText struct {
	bedrock *Bedrock
}

// Text returns the upstream that sends text completions with the client of b.
func (b *Bedrock) Text() *BedrockText { return &BedrockText{b} }

// Invoke sends the prompt to the model with this id or ARN and returns its answer.
func (b *BedrockText) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return invokeBedrock(ctx, b.bedrock, m, func() (bedrockRequest[translate.Chunk], error) { return b.request(p) })
}

func (b *BedrockText) request(p *translate.Prompt) (bedrockRequest[translate.Chunk], error) {
	data, err := encodeText(p)
	return bedrockRequest[translate.Chunk]{data, invokeModel, readChunks(newTextDecoder(p).decode)}, err
}

// Request returns what Invoke would send.
func (b *BedrockText) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	request, err := b.request(p)
	return showBedrock(ctx, b.bedrock, m, wireText, request, err)
}

// encodeText returns the body for the prompt as JSON (docs/reference/bedrock.md §2b). It
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
	b := newBody(p)
	b.open("", '{')
	b.text("anthropic_version", messages.VersionBedrock)
	b.text("prompt", text)
	b.number("max_tokens_to_sample", p.MaxTokens)
	b.texts("stop_sequences", stops)
	b.sampling(p)
	return b.end()
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
	texts      texts
}

// newTextDecoder returns a decoder for the answer to a prompt.
func newTextDecoder(p *translate.Prompt) *textDecoder {
	return &textDecoder{stops: p.StopSequences, goesOn: prefilled(p)}
}

// decode returns the chunk for one of the wire's. For an event that is no completion it
// is empty, which shows at least that the upstream is alive. The last chunk, and no
// other, has Stop set.
func (d *textDecoder) decode(data []byte) (translate.Chunk, error) {
	if text, ok := d.piece(data); ok {
		return translate.Chunk{Text: d.trim(text)}, nil
	}
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
			chunk.Stop, chunk.StopSequence = d.stop(c.StopReason, c.Stop)
		}
		return chunk, nil
	case "error":
		return translate.Chunk{}, apiError(c.Error.Type, c.Error.Message, 0)
	}
	return translate.Chunk{}, nil
}

// How a chunk is written that has text and nothing else to say: nearly all of an answer.
var (
	pieceStart = []byte(`{"type":"completion","completion":"`)
	pieceEnd   = []byte(`,"stop_reason":null,"stop":null}`)
)

// piece returns the text of such a chunk, without a JSON decoder. It is false for
// whatever is not written in just this way, broken JSON included: decode reads that.
func (d *textDecoder) piece(data []byte) (string, bool) {
	if !bytes.HasPrefix(data, pieceStart) {
		return "", false
	}
	quoted := data[len(pieceStart)-1:]
	text, length, ok := d.texts.unquote(quoted)
	if !ok || !bytes.Equal(quoted[length:], pieceEnd) {
		return "", false
	}
	return d.texts.of(text), true
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

// stop returns why the completion ended. The human's marker means that the model had no
// more to say, unless the client asked for that sequence itself.
func (d *textDecoder) stop(reason, sequence string) (messages.Stop, string) {
	if stop := stopReason(reason); stop != messages.StopSequence {
		return stop, ""
	}
	return stoppedAt(d.stops, sequence)
}

// Keeps reports whether answers pass the guardrail. All do on this wire.
func (b *BedrockText) Keeps(Model, Guardrail) bool { return true }

// Count returns how many tokens the prompt has; see [Bedrock.Count].
func (b *BedrockText) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := encodeText(p)
	return b.bedrock.countInvoke(ctx, m, body, err)
}
