package proxy

import (
	"context"
	"iter"
	"net/http"

	"dragoman/translate"
)

// answer is the pipeline up to the ways that the request can take.
func (x *exchange) answer() error {
	body, model, err := x.readRequest(translate.DecodeOptions{})
	if err != nil {
		return err
	}
	ways, err := x.keepingGuardrail(model.UpstreamModels(), body.Stream)
	if err != nil {
		return err
	}
	dry, err := x.dryRun()
	if err != nil {
		return err
	}
	if dry {
		return x.showPrompt(body, ways[0])
	}
	return x.ask(body, ways)
}

// ask is the pipeline from the prompt to the client, streamed or whole. The
// status line goes out with the first event of a stream, and with a message
// that is whole: a failure before is answered with a status of its own.
func (x *exchange) ask(body *translate.Body, ways []UpstreamModel) error {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	total := cancelAfter(cancel, totalTimeout, x.s.timeouts.Total)
	defer total.Stop()

	events := x.recordEvents(limitBlocks(x.askModels(ctx, body, ways)))
	if body.Stream {
		return x.streamEvents(events, cancel)
	}
	m, err := translate.Collect(events)
	if err != nil {
		return err
	}
	began := x.elapsed()
	answer := x.dialect.appendMessage(x.w.Header(), nil, m, began)
	x.record.Encode = x.elapsed() - began
	return x.respond(http.StatusOK, answer)
}

// watch takes down what the events say of the exchange.
func (x *exchange) recordEvents(events iter.Seq2[translate.Event, error]) iter.Seq2[translate.Event, error] {
	return func(yield func(translate.Event, error) bool) {
		for e, err := range events {
			switch e.Type {
			case translate.MessageStart:
				x.record.FirstEvent = x.elapsed()
				x.recordUsage(e.Message.Usage)
			case translate.ContentBlockStart:
				if e.Raw != nil && e.Block.Type == translate.BlockToolUse {
					x.record.ToolCalls = append(x.record.ToolCalls, string(translate.OutcomeClean))
				}
			case translate.MessageDelta:
				x.recordUsage(e.Message.Usage)
				x.record.StopReason = string(e.Message.StopReason)
				for _, o := range e.Message.Outcomes {
					x.record.ToolCalls = append(x.record.ToolCalls, string(o.Kind))
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// count takes down the totals so far.
func (x *exchange) recordUsage(u translate.Usage) {
	x.record.InputTokens, x.record.OutputTokens = u.InputTokens, u.OutputTokens
	x.record.CacheReadTokens, x.record.CacheWriteTokens = u.CacheReadInputTokens, u.CacheCreationInputTokens
}
