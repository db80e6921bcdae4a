package upstream

import (
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream/converse"
)

// converseDecoder turns one answer of Converse or ConverseStream into chunks. A stream
// ends with messageStop, which has the stop reason, and after it metadata, which has
// the usage.
type converseDecoder struct {
	stops []string        // that the request sent
	last  translate.Chunk // the last chunk, as far as it is known
}

// withEnd yields the events, and after them nil for the end of the stream: a stream
// that ends after messageStop without metadata is whole all the same, and nothing else
// shows that it is.
func withEnd(events iter.Seq2[types.ConverseStreamOutput, error]) iter.Seq2[types.ConverseStreamOutput, error] {
	return func(yield func(types.ConverseStreamOutput, error) bool) {
		for ev, err := range events {
			if !yield(ev, err) || err != nil {
				return
			}
		}
		yield(nil, nil)
	}
}

// decode returns the chunk for an event. The stop of messageStop comes with the chunk
// for metadata, so that the last chunk has the usage, or with the one for the end of the
// stream, which has no stop if there was no messageStop.
func (d *converseDecoder) decode(ev types.ConverseStreamOutput) (translate.Chunk, error) {
	switch ev := ev.(type) {
	case nil:
		return d.last, nil
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		switch delta := ev.Value.Delta.(type) {
		case *types.ContentBlockDeltaMemberText:
			return translate.Chunk{Text: delta.Value}, nil
		case *types.ContentBlockDeltaMemberReasoningContent:
			if text, ok := delta.Value.(*types.ReasoningContentBlockDeltaMemberText); ok {
				return translate.Chunk{Thinking: text.Value}, nil
			}
		}
	case *types.ConverseStreamOutputMemberMessageStop:
		return translate.Chunk{}, d.stop(ev.Value)
	case *types.ConverseStreamOutputMemberMetadata:
		if u := ev.Value.Usage; u != nil {
			n := func(tokens *int32) int { return int(aws.ToInt32(tokens)) }
			d.last.Usage = messages.Usage{
				InputTokens: n(u.InputTokens), OutputTokens: n(u.OutputTokens),
				CacheReadInputTokens: n(u.CacheReadInputTokens), CacheCreationInputTokens: n(u.CacheWriteInputTokens),
			}
		}
		return d.last, nil
	}
	return translate.Chunk{}, nil
}

// stop notes why the answer ended, or returns an error if what the model wrote is
// missing from the answer. Of several stop sequences only a Claude says which it met; of
// one it can be no other. A model that was sent none has met none, whatever it says.
func (d *converseDecoder) stop(s types.MessageStopEvent) error {
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
	d.last.Stop, d.last.UnknownStop = stopReason(string(s.StopReason))
	if d.last.Stop == messages.StopSequence {
		d.last.Stop, d.last.StopSequence = stoppedAt(d.stops, d.sequence(s.AdditionalModelResponseFields))
	}
	return nil
}

// sequence returns the stop sequence that was met, as far as it is known. The fields are absent, or as
// some other family writes them, unless the model is a Claude.
func (d *converseDecoder) sequence(fields document.Interface) string {
	var met struct {
		Sequence string `document:"stop_sequence"`
	}
	if fields != nil {
		_ = fields.UnmarshalSmithyDocument(&met)
	}
	if met.Sequence == "" && len(d.stops) == 1 {
		return d.stops[0]
	}
	return met.Sequence
}

// wholeAnswer is an answer of Converse as a stream: the events that ConverseStream would have sent.
type wholeAnswer chan types.ConverseStreamOutput

func (w wholeAnswer) Events() <-chan types.ConverseStreamOutput { return w }
func (wholeAnswer) Close() error                                { return nil }
func (wholeAnswer) Err() error                                  { return nil }

func wholeConverse(out *bedrockruntime.ConverseOutput) wholeAnswer {
	var blocks []types.ContentBlock
	if message, ok := out.Output.(*types.ConverseOutputMemberMessage); ok {
		blocks = message.Value.Content
	}
	w := make(wholeAnswer, len(blocks)+2)
	defer close(w)
	for _, block := range blocks {
		var delta types.ContentBlockDelta
		switch block := block.(type) {
		case *types.ContentBlockMemberText:
			delta = &types.ContentBlockDeltaMemberText{Value: block.Value}
		case *types.ContentBlockMemberReasoningContent:
			if text, ok := block.Value.(*types.ReasoningContentBlockMemberReasoningText); ok {
				delta = &types.ContentBlockDeltaMemberReasoningContent{Value: &types.ReasoningContentBlockDeltaMemberText{Value: aws.ToString(text.Value.Text)}}
			}
		}
		w <- &types.ConverseStreamOutputMemberContentBlockDelta{Value: types.ContentBlockDeltaEvent{Delta: delta}}
	}
	w <- &types.ConverseStreamOutputMemberMessageStop{Value: types.MessageStopEvent{StopReason: out.StopReason, AdditionalModelResponseFields: out.AdditionalModelResponseFields}}
	w <- &types.ConverseStreamOutputMemberMetadata{Value: types.ConverseStreamMetadataEvent{Usage: out.Usage}}
	return w
}
