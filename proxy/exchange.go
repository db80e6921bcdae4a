package proxy

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"

	"dragoman/metrics"
	"dragoman/proxy/convert"
	"dragoman/proxy/internal/replay"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// serve returns the handler of a path. It calls answer for each authenticated request. Every request is counted and
// logged, and a panic ends only its own exchange.
func (e entry) serve(d *dialect, answer func(*exchange) error) http.HandlerFunc {
	s := e.s
	return func(w http.ResponseWriter, r *http.Request) {
		s.metrics.Inflight.Inc()
		defer s.metrics.Inflight.Dec()
		x := s.newExchange(d, w, r)
		x.replay = e.replay
		x.observe()
		defer x.releaseKey()
		defer x.admission.giveBack()
		err := recoverPanic(func() error {
			if err := x.authenticate(); err != nil {
				return err
			}
			return answer(x)
		})
		if err != nil {
			x.fail(err)
		}
		x.finish()
	}
}

// exchange is one request with its dialect, its record and its reply. Its methods are the steps of a request: it is
// admitted, read, planned and answered.
type exchange struct {
	s         *Server
	dialect   *dialect
	r         *http.Request // its context ends when the client leaves, and when the server cuts the exchange
	reply     *reply
	record    record
	key       *heldKey  // the client's key; nil without authentication
	admission admission // what the exchange has taken from the gates

	guardrail *convert.Guardrail // that the answer must pass; nil for none
	observed  observations       // for the observers of the exchange
	replay    *replay.Replay     // how to answer an operator's replay; nil for a client's request
}

func (s *Server) newExchange(d *dialect, w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{s: s, dialect: d, r: r, admission: admission{s: s}, record: record{began: time.Now(), header: http.Header{}, logger: &s.log}}
	x.reply = newReply(s, d, &x.record, w)
	x.record.Exchange = metrics.Exchange{Dialect: d.name, TraceID: traceID(r.Header), Terminal: metrics.Complete, Shape: shapeOf(r.URL.Path)}
	x.record.RequestID, x.record.ClientRequestID = setRequestIDs(x.record.header, r)
	if d.setID != nil {
		d.setID(x.record.header, x.record.RequestID)
	}
	return x
}

// fail records and logs the error that ended the exchange. If no status has been sent yet, it answers with the error.
// Otherwise the last frame of the stream has already told the client.
func (x *exchange) fail(err error) {
	f := failureFor(err)
	x.addNames(f)
	x.record.noteFailure(x.r, err, f)
	x.record.logCause(err, f)
	x.observed.failed(f)
	switch {
	case x.record.Terminal == metrics.ClientGone:
		x.record.Status = cmp.Or(x.record.Status, f.status)
	case x.record.Status == 0:
		f.setHeader(x.record.header)
		status, body := x.dialect.failureBody(x.record.header, f, x.record.RequestID)
		_ = x.reply.respond(status, body) // an error means that the client is gone
	}
}

// finish counts and logs the exchange. If the client seems to be gone, finish panics, so that net/http cuts the
// connection: a client that is still there must not take the answer for complete.
func (x *exchange) finish() {
	if x.record.StreamBegan {
		x.s.metrics.OpenStreams.Dec()
	}
	x.record.Duration = x.record.elapsed()
	x.s.metrics.Observe(&x.record.Exchange)
	x.record.log()
	x.observed.ended(&x.record.Exchange)
	if x.record.Terminal == metrics.ClientGone {
		panic(http.ErrAbortHandler)
	}
}

// answer answers a request for a message: it reads the request, and asks the models of its route.
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

// ask is the pipeline from the models to the client. A whole answer has the same events as a streamed one, collected
// into a message.
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
		return x.reply.stream(events, x.dialect.newFrames(x.r.Header, x.record.conversion), leave)
	}
	m, err := messages.Collect(events)
	if err != nil {
		return err
	}
	began := x.record.elapsed()
	message := x.dialect.appendMessage(x.record.header, nil, x.record.conversion, m, began)
	x.record.Encode = x.record.elapsed() - began
	return x.reply.respond(http.StatusOK, message)
}

// unasked returns the events of an answer without content, for a request with max_tokens 0. Most upstreams reject such
// a request, and a prompt has nothing for them to cache. For a model with a tools API it returns nil: that model gets
// the request unchanged.
func (x *exchange) unasked(body *messages.Body, m UpstreamModel) (iter.Seq2[messages.Event, error], error) {
	p, err := x.preview(body, m)
	if err != nil || p.Prompt == nil {
		return nil, err
	}
	return translate.Unasked(p.Request, p.Prompt), nil
}

// watch passes on the events of the answer. It records what they show about the exchange, tells the observers, and
// replaces an endless answer by an error. After the client's context has ended, watch drops the events, so that they
// use no memory, and ends with errClientGone: an answer that was read to its end without its client has been counted,
// but is not complete.
func (x *exchange) watch(client context.Context, events iter.Seq2[messages.Event, error], streamed bool) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		var told *messages.Event // a copy for observers: showing them e itself would put every event on the heap
		if len(x.observed) > 0 {
			told = new(messages.Event)
		}
		left := false
		var collected retained
		blocks := 0
		for e, err := range events {
			left = left || x.s.finishes && client.Err() != nil && !wasCut(client) // without on_disconnect: drain, leaving cancels the call
			if e.Type == messages.ContentBlockStart {
				if blocks++; blocks > maxBlocks {
					err = errEndless(fmt.Sprintf("it has more than %d content blocks", maxBlocks))
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
