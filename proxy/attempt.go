package proxy

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

const (
	// How long to wait for another try of the same upstream: while there is another
	// one to ask, and while there is none. A client that is told to come back later
	// than that knows best whether it has the time.
	impatience = 500 * time.Millisecond
	patience   = 10 * time.Second
)

// attempts asks the ways, in order, until one of them answers, and yields the
// events of that answer. Up to its first event a failure can be made good: the
// same upstream is tried again, or asked without what it refused, or the next one
// is asked. After it, a failure is the client's to know.
type attempts struct {
	x    *exchange
	body *messages.Body
	req  *messages.Request // of the body; nil until a way needs it
	ways []Way             // that are left; the first is the one that is asked

	asked   upstream.Model // as it was asked last
	tokens  int            // it was asked for at most; 0 if that was not ours to say
	limited bool           // the first way has said how many it gives
	tries   int            // of the first way
	failed  int            // calls that failed through no fault of the request
	backoff *backoff.ExponentialBackOff
	first   *passed // the first way, when another one is asked in its place
	left    string  // error type of the way before, "" for none
}

// passed is a way that failed, and how.
type passed struct {
	way Way
	err error
}

func (x *exchange) attempts(ctx context.Context, body *messages.Body, ways []Way) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		a := attempts{x: x, body: body, ways: ways, backoff: newBackoff()}
		for {
			err := a.try(ctx, yield)
			if err == nil {
				return
			}
			if err := a.again(ctx, err); err != nil {
				yield(messages.Event{}, err)
				return
			}
		}
	}
}

func newBackoff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 200 * time.Millisecond
	b.MaxInterval = patience
	return b
}

// try asks the first way. It returns the error of an upstream that did not begin
// to answer; everything after that has been yielded.
func (a *attempts) try(ctx context.Context, yield func(messages.Event, error) bool) error {
	way := a.ways[0]
	a.name(way)
	a.asked = a.x.s.lessons.heed(way)
	if g := a.x.guardrail; g != nil {
		a.asked.Guardrail = &g.Guardrail
		if !a.body.Stream { // it looks at a whole answer, and not at one piece after another
			a.asked.Can &^= upstream.Streaming
		}
	}

	invoke, err := a.prepare(way)
	if err != nil {
		return err
	}
	gate := a.x.s.gates[way.Upstream]
	done, err := gate.enter()
	if err != nil {
		return err
	}
	if a.tries == 0 {
		gate.earn()
	}
	begun := false
	begin := func(outcome error) {
		if !begun {
			begun = true
			done(outcome)
		}
	}
	defer begin(errUnfinished) // a panic says nothing of the upstream
	a.count(way)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for e, err := range invoke(ctx, cancel) {
		if err != nil {
			a.x.charge(err)
			if !begun {
				begin(err)
				return err
			}
		}
		begin(nil)
		if !yield(e, err) || e.Type == messages.MessageStop {
			return nil
		}
	}
	return nil
}

// name takes down who is asked.
func (a *attempts) name(way Way) {
	a.x.record.Upstream, a.x.record.UpstreamModel = way.Upstream, way.Model
	a.x.w.Header().Set("X-Dragoman-Upstream", way.Upstream)
}

// invocation sends a request, once it is ranged over. It is given up with cancel.
type invocation func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error]

// prepare makes the request of a way, and returns what sends it.
func (a *attempts) prepare(way Way) (invocation, error) {
	x, via, asked := a.x, a.x.s.upstreams[way.Via()], a.asked
	if native, ok := via.(NativeUpstream); ok && way.native(asked) {
		if native.Passes(asked) {
			return a.native(way, native)
		}
		if way.Tools == ToolsNative {
			return nil, invalid("model: " + clip(way.Model) + " has no tool API that a request could go through to; ask it with tools: xml")
		}
	}
	if a.req == nil {
		req, err := x.decode(a.body)
		if err != nil {
			return nil, err
		}
		a.req = req
	}
	x.leftOut(a.req.Dropped)
	prompt, err := x.render(a.req, way, asked)
	if err != nil {
		return nil, err
	}
	a.tokens = prompt.MaxTokens
	fit := newFitting(a.req, way.Repair > 0, func(field string) { x.leaveOut(field, true) })
	if x.s.strict && len(x.record.Dropped) > 0 {
		return nil, &messages.InvalidRequestError{Path: x.record.Dropped[0], Message: "the schema cannot be understood, or takes too much work to check"}
	}
	return func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error] {
		ask := func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
			if p != prompt { // the model is to go on, or to answer again
				x.record.Attempts = append(x.record.Attempts, metrics.Attempt{Upstream: way.Upstream})
			}
			return attend(ctx, x, cancel, via.Invoke(ctx, asked, p), tellChunk)
		}
		events := translate.Events(a.req, prompt, ask)
		if fit == nil {
			return events
		}
		x.collects = true
		return fit.answer(a.req, events, func(again *messages.Request) (*messages.Message, error) {
			corrected, err := x.render(again, way, asked)
			if err != nil {
				return nil, err
			}
			return messages.Collect(translate.Events(again, corrected, ask))
		})
	}, nil
}

// native is prepare for a model with tools of its own.
func (a *attempts) native(way Way, via NativeUpstream) (invocation, error) {
	x, asked := a.x, a.asked
	req, err := a.body.Native(x.r.Context())
	if err != nil {
		return nil, reason(x.r.Context(), err)
	}
	req.ID = newID("msg_")
	x.leftOut(nil)
	a.asked.Can &= upstream.Tools // nothing else was left out that could be
	a.tokens = 0
	return func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error] {
		events := via.Pass(ctx, asked, x.dialect.native(x.r.Header, a.body))
		events = attend(ctx, x, cancel, events, tellEvent)
		if way.Rescue {
			events = translate.Rescue(req, way.Target(asked), events)
		}
		return events
	}, nil
}

// count takes down a call of the way's upstream.
func (a *attempts) count(way Way) {
	a.tries++
	r := &a.x.record
	r.Attempts = append(r.Attempts, metrics.Attempt{Upstream: way.Upstream, InPlaceOf: a.left})
	a.left = ""
	a.x.w.Header().Set("X-Dragoman-Attempts", strconv.Itoa(len(r.Attempts)))
}

// again decides what follows on a failure. It returns nil if there is to be
// another try, or what the client is told.
func (a *attempts) again(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return reason(ctx, err)
	}
	if a.unlearn(err) {
		a.x.passOver(err)
		a.tries-- // it was not the upstream that failed
		return nil
	}
	good := recoverable(err)
	if good && a.tries > 0 {
		a.failed++
	}
	switch {
	case good && a.retries(err):
		a.x.passOver(err)
		return a.wait(ctx, err)
	case len(a.ways) > 1 && (good || a.first != nil):
		a.next(err)
		return nil
	case a.first != nil && !good:
		a.x.passOver(err)
		a.name(a.first.way)
		err = a.first.err
	}
	return a.final(err)
}

// final is the error as the client is told, once nothing is left to try. One that
// goes on where we gave up multiplies the load.
func (a *attempts) final(err error) error {
	var failed *upstream.Error
	if a.failed < 2 || !recoverable(err) || !errors.As(err, &failed) {
		return err
	}
	final := *failed
	final.Final = true
	return &final
}

// unlearn takes down that the model refuses a feature that it was asked for, or so
// many tokens: that it says once, or it is not to be believed.
func (a *attempts) unlearn(err error) bool {
	var failed *upstream.Error
	if !errors.As(err, &failed) {
		return false
	}
	refused := failed.Refuses&a.asked.Can != 0
	exceeded := failed.MaxTokens > 0 && failed.MaxTokens < a.tokens && !a.limited
	if !refused && !exceeded {
		return false
	}
	a.limited = a.limited || exceeded
	a.x.s.lessons.learn(a.ways[0], taught{failed.Refuses, failed.MaxTokens})
	return true
}

// recoverable tells whether another upstream may do better.
func recoverable(err error) bool {
	var (
		failed *upstream.Error
		late   *timeoutError
	)
	switch {
	case errors.As(err, &failed):
		return failed.Status == http.StatusTooManyRequests || failed.Status >= http.StatusInternalServerError
	case errors.As(err, &late):
		return late.name == firstByteTimeout
	}
	return false
}

// retries tells whether the same upstream is worth another try: soon, and within
// what the budget allows.
func (a *attempts) retries(err error) bool {
	var failed *upstream.Error
	if !errors.As(err, &failed) || failed.Final || a.tries == 0 || a.tries >= a.x.s.attempts {
		return false
	}
	longest := patience
	if len(a.ways) > 1 {
		longest = impatience
	}
	return failed.RetryAfter <= longest && a.x.s.gates[a.ways[0].Upstream].spend()
}

// wait lets the time pass that the upstream asked for, or some of our own.
func (a *attempts) wait(ctx context.Context, err error) error {
	var failed *upstream.Error
	pause := a.backoff.NextBackOff()
	if errors.As(err, &failed) {
		pause = max(pause, failed.RetryAfter)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return reason(ctx, nil)
	}
}

// next leaves a way for the one after it.
func (a *attempts) next(err error) {
	a.x.passOver(err)
	if a.first == nil {
		a.first = &passed{a.ways[0], err}
	}
	a.left = describe(err).typ
	a.ways, a.tries, a.limited = a.ways[1:], 0, false
	a.backoff.Reset()
}
