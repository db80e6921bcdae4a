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

// converseDecoder turns one answer of Converse or ConverseStream into chunks. A stream ends with messageStop,
// which has the stop reason, and then metadata, which has the token counts.
type converseDecoder struct {
	stops []string        // the stop sequences in the request
	last  translate.Chunk // the last chunk, as far as it is known
}

// withEnd yields the events, and then nil for the end of the stream. A stream that ends after messageStop,
// without metadata, is complete too, and the decoder can only tell by its end.
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

// decode returns the chunk for an event. The stop reason of messageStop is in the chunk for metadata, so that
// the last chunk has the token counts. Without metadata, it is in the chunk for the end of the stream.
// Without messageStop, that chunk has no stop reason.
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

// stop stores why the answer ended. It returns an error if part of the model's text is missing from the
// answer. Only Claude says which of several stop sequences it met. With one sequence, it must be that one. If
// the request had none, the answer has met none, whatever the stop reason says.
func (d *converseDecoder) stop(s types.MessageStopEvent) error {
	switch s.StopReason {
	case "":
		return gatewayError("the upstream ended its answer without a stop reason", nil)
	case converse.ReasonGuardrail:
		d.last.Stop = messages.StopGuardrail
		return nil
	case converse.ReasonContentFiltered:
		d.last.Stop, d.last.StopWord = messages.StopRefusal, string(s.StopReason)
		return nil
	case converse.ReasonMalformedOutput, converse.ReasonMalformedTool:
		// The text lacks the part that the upstream could not read.
		return internalError.error(fmt.Sprintf("the upstream could not read the model's output (%s)", s.StopReason))
	}
	d.last.Stop, d.last.UnknownStop = stopReason(string(s.StopReason))
	if d.last.Stop == messages.StopSequence {
		d.last.Stop, d.last.StopSequence = stoppedAt(d.stops, d.sequence(s.AdditionalModelResponseFields))
	}
	return nil
}

// sequence returns the stop sequence that ended the answer; "" if not known. Only Claude writes it into
// fields.
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

// wholeAnswer is an answer of Converse as a stream, with the events that ConverseStream would have sent.
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
