package proxy

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// When a call of a model fails, this file decides what follows:
//
//	failure before the first event          Dragoman asks                          if nobody is left, the client gets
//	a feature, max_tokens or a prefill      the same model without it, at once:    the error
//	that was tried is refused               this counts as no try
//	max_tokens, beyond the context window   the same model with what fits, once;   the error
//	                                        nobody in compat: strict
//	429, 5xx, no connection                 the same model after a pause, up to    the last error; after two calls with
//	                                        limits.attempts times and within its   x-should-retry: false
//	                                        budget of retries; then the fallbacks
//	the model is not ready: it is loaded    the fallbacks; then the same model     the error, with retry-after
//	                                        for timeouts.model_ready, which counts
//	                                        as no try: attempts_cold_start.go
//	429 or 5xx that is Final: a quota, a    the fallbacks                          the last error, with
//	time limit, our own credentials                                                x-should-retry: false
//	no answer in timeouts.first_byte        the fallbacks                          504
//	the circuit breaker is open             the fallbacks                          529, with retry-after
//	another 4xx: the request is wrong       nobody                                 the error
//	another 4xx, of a fallback              the next fallback                      the error of the first model
//	tool_choice unmet in compat: strict     nobody                                 502, with x-should-retry: false
//	the client left, or Dragoman cut the    nobody                                 nothing, 504 for timeouts.total,
//	exchange                                                                       or 529 for a shutdown
//
//	failure after the first event           nobody                                 an error frame
//
// Other layers send more, but not after a failure that this file sees:
//
//   - Package translate asks a model again to go on with its answer, or to correct it: translate/answer/again.go.
//   - Package upstream sends a call once more that new credentials or the upstream's clock can mend: onceMore for
//     Bedrock, bearerTransport for Vertex AI. net/http sends one again whose idle connection was dead: replayable.
//
// Dragoman asks for a count of tokens once.

// The longest pauses before another try of the same model. A client that would have to
// wait longer is told so, and decides itself whether it has the time.
const (
	longestPause       = 10 * time.Second
	pauseWithFallbacks = 500 * time.Millisecond // asking the next model is faster
)

// attempts asks the models of a route, in order, until one of them answers.
type attempts struct {
	attempt                   // of the model that is asked now
	fallbacks []UpstreamModel // models that have not been asked
	first     *failedModel    // the first model, once another one is asked in its place

	limitNoted bool // the model that is asked now has refused max_tokens once, and named its limit
	start      coldStart
	failures   int // calls of all models that failed through no fault of the request
	backoff    *backoff.ExponentialBackOff
}

// failedModel is a model with the error that ended the attempt to ask it.
type failedModel struct {
	model UpstreamModel
	err   error
}

// askModels returns the events of the answer, which can be ranged over once. The models are asked in
// their order, while the context of the client goes on; ctx is that of the calls, which may go on without it.
func (x *exchange) askModels(ctx, client context.Context, body *messages.Body, models []UpstreamModel) iter.Seq2[messages.Event, error] {
	a := &attempts{attempt: attempt{x: x, client: client, body: body, model: models[0]}, fallbacks: models[1:], backoff: newBackoff()}
	return func(yield func(messages.Event, error) bool) {
		err := a.ended(ctx)
		for err == nil {
			failed := a.try(ctx, yield)
			if failed == nil {
				return
			}
			if err = a.ended(ctx); err == nil {
				err = a.afterFailure(ctx, failed)
			}
		}
		yield(messages.Event{}, err)
	}
}

func newBackoff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 200 * time.Millisecond
	b.MaxInterval = longestPause
	return b
}

// afterFailure decides what follows a try that failed with err. It returns nil when it is
// time for another try, and else the error for the client.
func (a *attempts) afterFailure(ctx context.Context, err error) error {
	if apply := a.remedyFor(err); apply != nil {
		a.x.record.logPassedOver(err)
		apply()
		a.tries-- // it does not count against Options.Attempts: the upstream works
		return nil
	}
	if notReady(err) {
		return a.awaitModel(ctx, err)
	}
	mayRecover := recoverable(err)
	if mayRecover && a.tries > 0 {
		a.failures++
	}
	switch {
	case mayRecover && a.mayRetry(err) && a.x.s.breakers[a.model.Upstream].takeRetry(a.model.configured()):
		a.x.record.logPassedOver(err)
		return a.pause(ctx, err)
	case len(a.fallbacks) > 0 && (mayRecover || a.first != nil):
		a.fallBack(err)
		return nil
	case a.first != nil && !mayRecover: // the client asked for the first model, and gets its error
		a.x.record.logPassedOver(err)
		a.recordModel(a.first.model)
		err = a.first.err
	}
	return a.final(err)
}

// final returns the error for the client when no try is left. After two failed calls it
// says that trying again is of no use: clients that retry what has been retried here
// would multiply the load of an upstream that is in trouble.
func (a *attempts) final(err error) error {
	var upstreamErr *upstream.Error
	if a.failures < 2 || !recoverable(err) || !errors.As(err, &upstreamErr) {
		return err
	}
	return &exhaustedError{err}
}

// remedyFor returns what to do so that another try of the same model can do without what the model refused, a feature
// or a number of tokens; nil if there is nothing. The refusal is remembered for all exchanges. A model that refuses
// what it was not asked for, or max_tokens for the second time, is not believed: it would be asked again without end.
// With a prefill that is tried many servers fail in their own words, and some with 500 over the template: they are
// asked without one.
func (a *attempts) remedyFor(err error) (apply func()) {
	var upstreamErr *upstream.Error
	if !errors.As(err, &upstreamErr) {
		return nil
	}
	if upstreamErr.Overflow != nil {
		return a.remedyForOverflow(upstreamErr.Overflow.Room())
	}
	if upstreamErr.Refuses.Has(upstream.Guided) && a.model.Constrain == ConstrainRequire {
		return nil
	}
	refused := upstreamErr.Refuses&(a.spec.Can|a.spec.Tries) != 0
	exceeded := upstreamErr.MaxTokens > 0 && upstreamErr.MaxTokens < a.maxTokens && !a.limitNoted
	switch {
	case refused || exceeded:
		return func() {
			a.limitNoted = a.limitNoted || exceeded
			if upstreamErr.Refuses.Has(upstream.Guided) {
				a.x.record.Constraint = constraintRefused
			}
			a.x.s.refusals.add(a.model, refusal{features: upstreamErr.Refuses, maxTokens: upstreamErr.MaxTokens})
		}
	case a.prefill.on && (upstreamErr.Status == http.StatusBadRequest || upstreamErr.Status == http.StatusInternalServerError):
		return func() { a.prefill = prefillTrial{rejected: true} }
	}
	return nil
}

// remedyForOverflow is [attempts.remedyFor] a request that leaves so much room for the answer in the context window of
// the model: a lower max_tokens, once for a model. The limit is that of the prompt, and is not remembered for others.
// A strict server gives no shorter answer than the client asked for.
func (a *attempts) remedyForOverflow(room int) (apply func()) {
	if a.room > 0 || a.x.s.strict || room <= 0 || room >= a.maxTokens {
		return nil
	}
	return func() { a.room = room }
}

// recoverable reports whether another try, or another upstream, may do better.
func recoverable(err error) bool {
	var (
		upstreamErr *upstream.Error
		timeout     *timeoutError
	)
	switch {
	case errors.As(err, &upstreamErr):
		return upstreamErr.Status == http.StatusTooManyRequests || upstreamErr.Status >= http.StatusInternalServerError
	case errors.As(err, &timeout):
		return timeout.name == firstByteTimeout
	}
	return false
}

// mayRetry reports whether the number of tries, and the pause that the upstream wants, allow another try of the same
// model.
func (a *attempts) mayRetry(err error) bool {
	var upstreamErr *upstream.Error
	if !errors.As(err, &upstreamErr) || upstreamErr.Final || a.tries == 0 || a.tries >= a.x.s.maxTries {
		return false
	}
	longest := longestPause
	if len(a.fallbacks) > 0 {
		longest = pauseWithFallbacks
	}
	return upstreamErr.RetryAfter <= longest
}

// pause waits as long as the upstream asked for in err, and at least for the backoff. It
// returns an error if nobody waits for the answer any more.
func (a *attempts) pause(ctx context.Context, err error) error {
	var upstreamErr *upstream.Error
	pause := a.backoff.NextBackOff()
	if errors.As(err, &upstreamErr) {
		pause = max(pause, upstreamErr.RetryAfter)
	}
	return a.wait(ctx, pause)
}

// wait waits. It returns an error if nobody waits for the answer any more.
func (a *attempts) wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-a.client.Done():
	}
	return a.ended(ctx)
}

// fallBack gives up the model, which failed with err, for the next one.
func (a *attempts) fallBack(err error) {
	a.x.record.logPassedOver(err)
	if a.first == nil {
		a.first = &failedModel{a.model, err}
	}
	a.inPlaceOf = failureFor(err).typ
	a.model, a.fallbacks = a.fallbacks[0], a.fallbacks[1:]
	a.tries, a.limitNoted, a.room, a.prefill, a.start.since = 0, false, 0, prefillTrial{}, time.Time{}
	a.backoff.Reset()
}
