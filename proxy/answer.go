package proxy

import (
	"context"
	"fmt"
	"iter"
	"net/http"

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
	dry, err := dryRun(x.r.Header)
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
	client, leave := context.WithCancelCause(x.r.Context())
	defer leave(nil)
	ctx, cancel := x.s.callContext(client)
	defer cancel(nil)
	total := cancelAfter(cancel, totalTimeout, x.s.timeouts.Total)
	defer total.Stop()

	answer := x.askModels(ctx, client, body, models)
	if body.WantsNoAnswer() {
		unasked, err := x.unasked(body, models[0])
		if err != nil {
			return err
		}
		if unasked != nil {
			answer = unasked
		}
	}
	events := x.watch(client, answer, body.Stream)
	if body.Stream {
		return x.reply.stream(events, x.dialect.newFrames(x.r.Header), leave)
	}
	m, err := messages.Collect(events)
	if err != nil {
		return err
	}
	began := x.record.elapsed()
	message := x.dialect.appendMessage(x.record.header, nil, m, began)
	x.record.Encode = x.record.elapsed() - began
	return x.reply.respond(http.StatusOK, message)
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

// watch passes on the events of the answer. It adds to the record what they say of the exchange, tells the
// observers, and ends an answer without an end in an error. The events after the client has left, when its context has ended, are dropped, so
// that nothing of them is kept, and errClientGone is the last element: an answer that was read to its end for nobody
// has been counted, and is not complete.
func (x *exchange) watch(client context.Context, events iter.Seq2[messages.Event, error], streamed bool) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		var told *messages.Event // which observers are shown: to show them e would put each event on the heap
		if len(x.observed) > 0 {
			told = new(messages.Event)
		}
		left := false
		var collected retained
		blocks := 0
		for e, err := range events {
			left = left || x.s.finishes && client.Err() != nil && !wasCut(client) // where nobody finishes it, the call is cancelled
			if e.Type == messages.ContentBlockStart {
				if blocks++; blocks > maxBlocks {
					err = errEndless(fmt.Sprintf("its answer has more than %d content blocks", maxBlocks))
				}
			}
			if !streamed && !left && err == nil {
				err = collected.add(max(len(e.Raw), len(e.Text)))
			}
			if err == nil {
				x.record.noteEvent(e)
			}
			if err == nil && told != nil && e.Type != messages.Pause {
				*told = e
				x.observed.event(told)
			}
			if !left && !yield(e, err) {
				return
			}
			if err != nil {
				break
			}
		}
		if left {
			yield(messages.Event{}, errClientGone)
		}
	}
}
