package proxy

import (
	"context"
	"iter"
	"strconv"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// attempt asks one model of an upstream to answer an exchange, once or several times.
// Whether it is asked again, or another model, is decided by [attempts].
type attempt struct {
	x    *exchange
	body *messages.Body    // nil once the answer has begun: see letGo
	req  *messages.Request // the body validated; nil until a model needs it, and once the answer has begun

	model     UpstreamModel  // that is asked
	tries     int            // calls of the model so far, without those that it refused a feature
	inPlaceOf string         // error type that the model before failed with; "" for the first model, and from the first call of this one on
	spec      upstream.Model // what the last call said of the model
	maxTokens int            // of the last call; 0 if the request was passed through as it came
}

// try calls the model's upstream and yields the events of its answer. If the upstream
// fails before the first event, try has yielded nothing and returns the error. A later
// error is yielded, and try returns nil.
func (a *attempt) try(ctx context.Context, yield func(messages.Event, error) bool) error {
	if err := causeOr(a.x.r.Context(), nil); err != nil {
		return err
	}
	a.recordModel(a.model)
	a.x.setUnmet(nil)
	a.spec = a.x.specOf(a.model, a.body.Stream)

	call, err := a.prepare()
	if err != nil {
		return err
	}
	breaker := a.x.s.breakers[a.model.Upstream]
	report, err := breaker.allow(a.model.way())
	if err != nil {
		return err
	}
	if a.tries == 0 {
		breaker.addRetryShare(a.model.way())
	}
	reported := false
	reportOnce := func(outcome error) {
		if !reported {
			reported = true
			report(outcome)
		}
	}
	defer reportOnce(errUnfinished) // after a panic, which says nothing of the upstream
	a.recordCall()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for e, err := range call(ctx, cancel) {
		if err != nil {
			a.x.recordCallError(err)
			if !reported {
				reportOnce(err)
				return err
			}
		}
		reportOnce(nil)
		if e.Message != nil {
			switch unmet := a.x.noteChoice(e.Message); {
			case unmet == nil:
			case e.Type == messages.MessageStart:
				return unmet
			default: // the answer has begun
				yield(messages.Event{}, unmet)
				return nil
			}
		}
		a.letGo()
		if !yield(e, err) || e.Type == messages.MessageStop {
			return nil
		}
	}
	return nil
}

// letGo forgets the request, once the answer has begun: it may take minutes, and no model is asked in
// the place of this one any more. Whoever may still ask this one again keeps what that takes.
func (a *attempt) letGo() { a.body, a.req = nil, nil }

// recordModel names the model in the record, and its upstream in the header.
func (a *attempt) recordModel(m UpstreamModel) {
	a.x.record.Upstream, a.x.record.UpstreamModel, a.x.record.Format, a.x.record.Variant = m.Upstream, m.Model, "", ""
	a.x.w.Header().Set("X-Dragoman-Upstream", m.Upstream)
}

// recordCall adds a call of the model to the record.
func (a *attempt) recordCall() {
	a.tries++
	a.x.recordAttempt(metrics.Attempt{Upstream: a.model.Upstream, InPlaceOf: a.inPlaceOf})
	a.inPlaceOf = ""
}

// recordAttempt adds a call of an upstream to the record and to the header, which has no effect
// once the answer has begun.
func (x *exchange) recordAttempt(call metrics.Attempt) {
	x.record.Attempts = append(x.record.Attempts, call)
	x.w.Header().Set("X-Dragoman-Attempts", strconv.Itoa(len(x.record.Attempts)))
}

// upstreamCall returns the events of an answer. The upstream is called when they are
// ranged over, with ctx. cancel ends ctx; the timeouts use it.
type upstreamCall func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error]

// prepare returns the call that asks the model: over its own tool API, if it has one, or
// with a prompt.
func (a *attempt) prepare() (upstreamCall, error) {
	up := a.x.s.upstreams[a.model.UpstreamKey()]
	native, err := a.model.PassesTo(up, a.spec)
	switch {
	case err != nil:
		return nil, err
	case native != nil:
		return a.prepareNative(native)
	}
	return a.preparePrompt(up)
}

// preparePrompt returns the call that asks the model with a prompt. It may call the
// upstream several times, because translate asks a model again (see translate.Reason).
func (a *attempt) preparePrompt(up Upstream) (upstreamCall, error) {
	x, model, spec := a.x, a.model, a.spec
	if a.req == nil {
		req, err := x.decode(a.body)
		if err != nil {
			return nil, err
		}
		a.req = req
	}
	x.setDropped(a.req.Dropped)
	prompt, checks, err := x.render(a.req, model, spec)
	if err != nil {
		return nil, err
	}
	x.logToolAdvice(a.req, model)
	a.maxTokens, x.record.Format, x.record.Variant = prompt.MaxTokens, model.FormatName(), prompt.Variant
	var req *messages.Request // for observers alone, who are told of it when the model is asked again, too
	if len(x.observed) > 0 {
		req = a.req
	}
	return func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error] {
		ask := func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
			if p.Again() != "" {
				if err := causeOr(x.r.Context(), nil); err != nil { // not for a client that has left
					return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
				}
				x.recordAttempt(metrics.Attempt{Upstream: model.Upstream})
			}
			x.observed.rendered(model, req, p)
			invoke := func(ctx context.Context) iter.Seq2[translate.Chunk, error] { return up.Invoke(ctx, spec, p) }
			return withTimeouts(ctx, x, cancel, observeCall(ctx, x, model, invoke, x.observed.chunk), chunkInfo)
		}
		if checks == nil {
			return translate.Events(a.req, prompt, ask)
		}
		x.retainsAll = true
		return translate.Corrected(a.req, prompt, ask, checks, func(corrected *messages.Request) (*translate.Prompt, error) {
			return model.prompt(x.r.Context(), corrected, spec, x.renderRules())
		})
	}, nil
}

// prepareNative returns the call that passes the request through to the tool API of
// the model.
func (a *attempt) prepareNative(up NativeUpstream) (upstreamCall, error) {
	x, model, spec := a.x, a.model, a.spec
	req, err := x.readNative(a.body)
	if err != nil {
		return nil, err
	}
	a.spec.Can &= upstream.Tools // the only feature that another try can do without: see noteRefusal
	a.maxTokens = 0
	return func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error] {
		native := x.dialect.nativeRequest(x.r.Header, a.body)
		x.observed.passed(model, native.Body)
		invoke := func(ctx context.Context) iter.Seq2[messages.Event, error] { return up.Pass(ctx, spec, native) }
		events := withTimeouts(ctx, x, cancel, observeCall(ctx, x, model, invoke, func(*messages.Event) {}), eventInfo)
		if model.Rescue {
			target := model.Target(spec)
			target.Memo = x.s.kept.tools
			events = translate.Rescue(req, target, events)
		}
		return events
	}, nil
}
