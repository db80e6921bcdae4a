package upstream

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// maxConverseAnswer bounds an answer that comes in one piece, in bytes.
const maxConverseAnswer = 32 << 20

// converseEvent is one event of ConverseStream (reference/bedrock.md §5), as far
// as a completion needs it. One struct for all types.
type converseEvent struct {
	Delta converseDelta `json:"delta"` // contentBlockDelta
	converseStop
	Usage converseUsage `json:"usage"` // metadata
}

type converseDelta struct {
	Text      string `json:"text"`
	Reasoning struct {
		Text string `json:"text"`
	} `json:"reasoningContent"`
}

// converseStop says why the answer ended: in messageStop, and in a whole answer.
type converseStop struct {
	StopReason string         `json:"stopReason"`
	Fields     jsontext.Value `json:"additionalModelResponseFields"`
}

type converseUsage struct {
	Input      int `json:"inputTokens"`
	Output     int `json:"outputTokens"`
	CacheRead  int `json:"cacheReadInputTokens"`
	CacheWrite int `json:"cacheWriteInputTokens"`
}

func (u converseUsage) usage() translate.Usage {
	return translate.Usage{
		InputTokens: u.Input, OutputTokens: u.Output,
		CacheReadInputTokens: u.CacheRead, CacheCreationInputTokens: u.CacheWrite,
	}
}

// converseAnswer is the answer of Converse, which comes in one piece.
type converseAnswer struct {
	Output struct {
		Message struct {
			Content []struct {
				Text      string `json:"text"`
				Reasoning struct {
					Text converseText `json:"reasoningText"`
				} `json:"reasoningContent"`
			} `json:"content"`
		} `json:"message"`
	} `json:"output"`
	converseStop
	Usage converseUsage `json:"usage"`
}

type converseText struct {
	Text string `json:"text"`
}

// converseDecoder turns one answer into chunks.
type converseDecoder struct {
	stops []string      // that the request sent
	event converseEvent // of the last decode, kept to save an allocation an event
	last  translate.Chunk
}

// streamEnd is the type of the event that stands for the end of a stream.
const streamEnd = "end"

// readStream yields the chunks of ConverseStream.
func (d *converseDecoder) readStream(answer io.Reader, yield func(translate.Chunk, error) bool) bool {
	return decodeStream(withEnd(newBedrockStream(answer).events()), d.decode, yield)
}

// withEnd adds an event for the end of the stream: nothing else tells that an
// answer is whole to which no metadata came.
func withEnd(events iter.Seq2[frameEvent, error]) iter.Seq2[frameEvent, error] {
	return func(yield func(frameEvent, error) bool) {
		for ev, err := range events {
			if !yield(ev, err) || err != nil {
				return
			}
		}
		yield(frameEvent{kind: []byte(streamEnd)}, nil)
	}
}

// decode reads one event. The stop comes with the metadata, which follow it, so
// that the last chunk has the usage.
func (d *converseDecoder) decode(ev frameEvent) (translate.Chunk, error) {
	switch string(ev.kind) {
	case "contentBlockDelta", "messageStop", "metadata":
	case streamEnd:
		return d.last, nil // without a stop, if there was no messageStop
	default:
		return translate.Chunk{}, nil
	}
	d.event = converseEvent{}
	if err := json.Unmarshal(ev.payload, &d.event, lenient); err != nil {
		return translate.Chunk{}, gatewayError("the upstream sent an event that cannot be read", err)
	}
	switch string(ev.kind) {
	case "messageStop":
		return translate.Chunk{}, d.stop(d.event.converseStop)
	case "metadata":
		d.last.Usage = d.event.Usage.usage()
		return d.last, nil
	}
	return translate.Chunk{Text: d.event.Delta.Text, Thinking: d.event.Delta.Reasoning.Text}, nil
}

// readWhole yields the chunks of Converse: an empty one, the text, the stop.
func (d *converseDecoder) readWhole(answer io.Reader, yield func(translate.Chunk, error) bool) bool {
	if !yield(translate.Chunk{}, nil) {
		return false
	}
	text, err := d.whole(answer)
	if err != nil {
		yield(translate.Chunk{}, err)
		return false
	}
	return yield(text, nil) && yield(d.last, nil)
}

// whole reads an answer and returns the chunk with its text.
func (d *converseDecoder) whole(answer io.Reader) (translate.Chunk, error) {
	var c translate.Chunk
	data, err := io.ReadAll(io.LimitReader(answer, maxConverseAnswer))
	if err != nil {
		return c, readError(err)
	}
	var a converseAnswer
	if err := json.Unmarshal(data, &a, lenient); err != nil {
		return c, gatewayError("the upstream sent an answer that cannot be read", err)
	}
	if err := d.stop(a.converseStop); err != nil {
		return c, err
	}
	var text, thinking strings.Builder
	for _, block := range a.Output.Message.Content {
		text.WriteString(block.Text)
		thinking.WriteString(block.Reasoning.Text.Text)
	}
	c.Text, c.Thinking = text.String(), thinking.String()
	c.Usage = a.Usage.usage()
	d.last.Usage = c.Usage
	return c, nil
}

// stop notes why the answer ended. Of several sequences only a Claude says which
// it met; a model that was sent none has met none.
func (d *converseDecoder) stop(s converseStop) error {
	switch s.StopReason {
	case "":
		return gatewayError("the upstream ended its answer without a stop reason", nil)
	case "guardrail_intervened":
		d.last.Stop = translate.StopGuardrail
		return nil
	case "content_filtered":
		d.last.Stop = translate.StopRefusal
		return nil
	case "malformed_model_output", "malformed_tool_use":
		// What could not be read is missing from the text.
		return internal.error(fmt.Sprintf("the model wrote what its upstream could not read (%s)", s.StopReason))
	}
	d.last.Stop = stopReason(s.StopReason)
	if d.last.Stop != translate.StopSequence {
		return nil
	}
	var met struct {
		Sequence string `json:"stop_sequence"`
	}
	_ = json.Unmarshal(s.Fields, &met, lenient) // absent, or as some other family writes it
	switch d.last.StopSequence = met.Sequence; {
	case met.Sequence == "" && len(d.stops) == 1:
		d.last.StopSequence = d.stops[0]
	case len(d.stops) == 0:
		d.last.Stop, d.last.StopSequence = translate.StopEndTurn, ""
	}
	return nil
}
