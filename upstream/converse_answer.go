package upstream

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream/converse"
)

// maxConverseAnswer bounds an answer that comes in one piece, in bytes.
const maxConverseAnswer = 32 << 20

// converseEvent is one event of ConverseStream (docs/reference/bedrock.md §5), as far
// as a completion needs it. It is one struct for all types of event: the type says which
// members can be set.
type converseEvent struct {
	Delta converseDelta `json:"delta"` // contentBlockDelta
	converse.Ending
	Usage converse.Usage `json:"usage"` // metadata
}

// converseDelta is the piece of a text, or of what the model thinks before it.
type converseDelta struct {
	Text      string `json:"text"`
	Reasoning struct {
		Text string `json:"text"`
	} `json:"reasoningContent"`
}

// converseUsage returns the counters in the terms of the Messages API.
func converseUsage(u converse.Usage) messages.Usage {
	return messages.Usage{
		InputTokens: u.Input, OutputTokens: u.Output,
		CacheReadInputTokens: u.CacheRead, CacheCreationInputTokens: u.CacheWrite,
	}
}

// converseDecoder turns one answer of Converse or ConverseStream into chunks. A stream
// ends with messageStop, which has the stop reason, and after it metadata, which has
// the usage.
type converseDecoder struct {
	stops []string        // that the request sent
	event converseEvent   // of the last decode, kept to save an allocation an event
	last  translate.Chunk // the last chunk, as far as it is known
}

// streamEnd is the type of the event that withEnd adds. Bedrock sends no such event.
const streamEnd = "end"

// readStream yields the chunks of an answer of ConverseStream. It reports whether it
// came to the last one.
func (d *converseDecoder) readStream(answer io.Reader, yield func(translate.Chunk, error) bool) bool {
	stream := newBedrockStream(answer)
	return decodeStream(withEnd(stream.events()), d.decode, withMore(stream.more, yield))
}

// withEnd yields the events, and after them one for the end of the stream: a stream
// that ends after messageStop without metadata is whole all the same, and nothing else
// shows that it is.
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

// decode returns the chunk for an event. The stop of messageStop comes with the chunk
// for metadata, so that the last chunk has the usage, or with the one for the end of the
// stream.
func (d *converseDecoder) decode(ev frameEvent) (translate.Chunk, error) {
	switch string(ev.kind) {
	case converse.EventContentBlockDelta, converse.EventMessageStop, converse.EventMetadata:
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
	case converse.EventMessageStop:
		return translate.Chunk{}, d.stop(d.event.Ending)
	case converse.EventMetadata:
		d.last.Usage = converseUsage(d.event.Usage)
		return d.last, nil
	}
	return translate.Chunk{Text: d.event.Delta.Text, Thinking: d.event.Delta.Reasoning.Text}, nil
}

// readWhole yields the chunks of an answer of Converse: an empty one, the text, the
// stop. It reports whether it came to the last one.
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

// whole reads an answer and returns the chunk with its text. It leaves the last chunk in
// d.
func (d *converseDecoder) whole(answer io.Reader) (translate.Chunk, error) {
	var c translate.Chunk
	data, err := io.ReadAll(io.LimitReader(answer, maxConverseAnswer))
	if err != nil {
		return c, readError(err)
	}
	var a converse.Answer
	if err := json.Unmarshal(data, &a, lenient); err != nil {
		return c, gatewayError("the upstream sent an answer that cannot be read", err)
	}
	if err := d.stop(a.Ending); err != nil {
		return c, err
	}
	var text, thinking strings.Builder
	for _, block := range a.Output.Message.Content {
		if block.Text != nil {
			text.WriteString(*block.Text)
		}
		if block.Reasoning != nil && block.Reasoning.Text != nil {
			thinking.WriteString(block.Reasoning.Text.Text)
		}
	}
	c.Text, c.Thinking = text.String(), thinking.String()
	c.Usage = converseUsage(a.Usage)
	d.last.Usage = c.Usage
	return c, nil
}

// stop notes why the answer ended, or returns an error if what the model wrote is
// missing from the answer. Of several stop sequences only a Claude says which it met; of
// one it can be no other. A model that was sent none has met none, whatever it says.
func (d *converseDecoder) stop(s converse.Ending) error {
	switch s.StopReason {
	case "":
		return gatewayError("the upstream ended its answer without a stop reason", nil)
	case converse.ReasonGuardrail:
		d.last.Stop = messages.StopGuardrail
		return nil
	case converse.ReasonContentFiltered:
		d.last.Stop = messages.StopRefusal
		return nil
	case converse.ReasonMalformedOutput, converse.ReasonMalformedTool:
		// What could not be read is missing from the text.
		return internalError.error(fmt.Sprintf("the model wrote what its upstream could not read (%s)", s.StopReason))
	}
	d.last.Stop = stopReason(s.StopReason)
	if d.last.Stop != messages.StopSequence {
		return nil
	}
	var met struct {
		Sequence string `json:"stop_sequence"`
	}
	_ = json.Unmarshal(s.Fields, &met, lenient) // absent, or as some other family writes it
	if met.Sequence == "" && len(d.stops) == 1 {
		met.Sequence = d.stops[0]
	}
	d.last.Stop, d.last.StopSequence = stoppedAt(d.stops, met.Sequence)
	return nil
}
