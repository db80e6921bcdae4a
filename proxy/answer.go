package proxy

import (
	"iter"
	"net/http"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// answer answers a request for a message: it reads it, and asks the models that may
// answer it.
func (x *exchange) answer() error {
	body, route, err := x.readRequest(messages.DecodeOptions{})
	if err != nil {
		return err
	}
	models, err := x.withGuardrail(route.UpstreamModels(), body.Stream)
	if err != nil {
		return err
	}
	dry, err := x.dryRun()
	if err != nil {
		return err
	}
	if dry {
		return x.showPrompt(body, models[0])
	}
	return x.ask(body, models)
}

// ask is the pipeline from the models to the client. A whole answer is the same events
// as a streamed one, collected into a message.
func (x *exchange) ask(body *messages.Body, models []UpstreamModel) error {
	ctx, cancel := x.callContext()
	defer cancel(nil)
	total := cancelAfter(cancel, totalTimeout, x.s.timeouts.Total)
	defer total.Stop()

	answer := x.askModels(ctx, body, models)
	if body.WantsNoAnswer() {
		unasked, err := x.unasked(body, models[0])
		if err != nil {
			return err
		}
		if unasked != nil {
			answer = unasked
		}
	}
	events := x.whileHeard(x.recordEvents(limitBlocks(answer)))
	if body.Stream {
		return x.streamEvents(events)
	}
	m, err := messages.Collect(events)
	if err != nil {
		return err
	}
	began := x.elapsed()
	message := x.dialect.appendMessage(x.w.Header(), nil, m, began)
	x.record.Encode = x.elapsed() - began
	return x.respond(http.StatusOK, message)
}

// unasked returns the events of an answer without content, to a request that wants none. Most upstreams refuse such
// a request, and a prompt has no part that they are told to cache. It returns nil for a model with a tool API, which
// gets the request as it is.
func (x *exchange) unasked(body *messages.Body, m UpstreamModel) (iter.Seq2[messages.Event, error], error) {
	p, err := x.preview(body, m)
	if err != nil || p.Prompt == nil {
		return nil, err
	}
	return translate.Unasked(p.Request, p.Prompt), nil
}

// recordEvents adds to the record what the events say of the exchange, and tells the observers.
func (x *exchange) recordEvents(events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		var told *messages.Event // which observers are shown: to show them e would put each event on the heap
		if len(x.observed) > 0 {
			told = new(messages.Event)
		}
		for e, err := range events {
			switch e.Type {
			case messages.MessageStart:
				x.record.FirstEvent = x.elapsed()
				x.recordUsage(e.Message)
			case messages.MessageDelta:
				x.recordUsage(e.Message)
				x.record.StopReason = string(e.Message.StopReason)
				for _, o := range e.Message.Outcomes {
					x.record.ToolCalls = append(x.record.ToolCalls, metrics.ToolCall{Outcome: string(o.Kind), Reason: o.ReasonLabel()})
				}
			}
			if err == nil && told != nil && e.Type != messages.Pause {
				*told = e
				x.observed.event(told)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// recordUsage records the tokens so far. The usage of an event counts all tokens up to it,
// so it takes the place of what was recorded before.
func (x *exchange) recordUsage(m *messages.Message) {
	u := m.Usage
	x.record.InputTokens, x.record.OutputTokens = u.InputTokens, u.OutputTokens
	x.record.CacheReadTokens, x.record.CacheWriteTokens = u.CacheReadInputTokens, u.CacheCreationInputTokens
	x.record.UsageEstimated = m.UsageEstimated
}
