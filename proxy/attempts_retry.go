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

// When a call to a model fails, this file decides what follows:
//
//	failure before the first event           Dragoman then asks                       if nobody is left, the client gets
//	the model refuses a feature, its         the same model without it, at once;      the error
//	limit of max_tokens or a tried prefill   this does not count as a try
//	max_tokens exceed the context window     the same model, with what fits, once;    the error
//	                                         nobody under compat: strict
//	429, 5xx, no connection                  the same model after a pause, up to      the last error; after two calls with
//	                                         limits.attempts times and within its     x-should-retry: false
//	                                         retry budget; then the fallbacks
//	the model is still being loaded          the fallbacks; then the same model       the error, with retry-after
//	(attempts_cold_start.go)                 for timeouts.model_ready; this does
//	                                         not count as a try
//	429 or 5xx that is Final: a quota, a     the fallbacks                            the last error, with
//	time limit, Dragoman's credentials                                                x-should-retry: false
//	no answer within timeouts.first_byte     the fallbacks                            504
//	the circuit breaker is open              the fallbacks                            529, with retry-after
//	another 4xx: the request is wrong        nobody                                   the error
//	another 4xx, from a fallback             the next fallback                        the error of the first model
//	tool_choice unmet, compat: strict        nobody                                   502, with x-should-retry: false
//	the client left, or Dragoman cut the     nobody                                   nothing; 504 for timeouts.total,
//	exchange                                                                          or 529 for a shutdown
//
//	failure after the first event            nobody                                   an error frame
//
// Two other packages also repeat requests, but this file does not see those failures:
//
//   - Package translate asks a model again to continue its answer, or to correct it: translate/answer/ask_again.go.
//   - Package upstream repeats a call once if new credentials or the upstream's clock can fix it: onceMore for
//     Bedrock, bearerTransport for Vertex AI. net/http repeats a call whose idle connection was dead: replayable.
//
// Dragoman asks for a count of tokens only once.

// The longest pauses before another try of the same model. If the wait would be longer, the client is told its length
// and decides itself whether it has the time.
const (
	longestPause       = 10 * time.Second
	pauseWithFallbacks = 500 * time.Millisecond // asking the next model is faster
)

// attempts asks the models of a route, in order, until one of them answers.
type attempts struct {
	attempt                   // the current model
	fallbacks []UpstreamModel // models not asked yet
	first     *failedModel    // the first model, after a fallback has replaced it

	limitNoted bool // the current model has refused max_tokens once, and reported its limit
	start      coldStart
	failures   int // failed calls of all models that were not the request's fault
	backoff    *backoff.ExponentialBackOff
}

// failedModel is a model and the error that ended its attempt.
type failedModel struct {
	model UpstreamModel
	err   error
}

// askModels returns the events of the answer, which can be ranged over once. It asks the models in order until the
// client's context ends. ctx is the context of the calls, and may outlive the client's.
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

// afterFailure decides what follows a try that failed with err. It returns nil when it is time for another try, and
// otherwise the error for the client.
func (a *attempts) afterFailure(ctx context.Context, err error) error {
	if apply := a.remedyFor(err); apply != nil {
		a.x.record.logPassedOver(err)
		apply()
		a.tries-- // does not count against Options.Attempts, because the upstream works
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
	case a.first != nil && !mayRecover: // the client asked for the first model, so it gets that model's error
		a.x.record.logPassedOver(err)
		a.recordModel(a.first.model)
		err = a.first.err
	}
	return a.final(err)
}

// final returns the error for the client when no try is left. After two failed calls, it marks the error as not worth
// retrying: a client that retries again would multiply the load of an upstream in trouble.
func (a *attempts) final(err error) error {
	var upstreamErr *upstream.Error
	if a.failures < 2 || !recoverable(err) || !errors.As(err, &upstreamErr) {
		return err
	}
	return &exhaustedError{err}
}

// remedyFor returns what to change so that the same model can be tried without the feature or the number of tokens that
// it refused; nil if nothing can be changed. All exchanges remember the refusal. remedyFor does not believe a model
// that refuses a feature it was not asked for, or max_tokens a second time: such retries would never end. Servers
// report a prefill that they cannot continue in words of their own, some with a 500 about the template; after any such
// failure they are asked without a prefill.
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
	refused := upstreamErr.Refuses&(a.spec.Can|a.spec.Tries|upstream.BodyMembers&^a.spec.Lacks) != 0
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

// remedyForOverflow is [attempts.remedyFor] for a request whose prompt leaves only room tokens of the context window.
// It lowers max_tokens, once for each model. The limit depends on the prompt, so it is not remembered. Under compat:
// strict there is no remedy: the answer must not be shorter than the client asked for.
func (a *attempts) remedyForOverflow(room int) (apply func()) {
	if a.room > 0 || a.x.s.strict || room <= 0 || room >= a.maxTokens {
		return nil
	}
	return func() { a.room = room }
}

// recoverable reports whether another try, or another upstream, may succeed.
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

// mayRetry reports whether the number of tries and the pause that the upstream wants allow another try of the same
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

// pause waits as long as err asks for, and at least for the backoff. It returns an error if nobody waits for the answer
// any more.
func (a *attempts) pause(ctx context.Context, err error) error {
	var upstreamErr *upstream.Error
	pause := a.backoff.NextBackOff()
	if errors.As(err, &upstreamErr) {
		pause = max(pause, upstreamErr.RetryAfter)
	}
	return a.wait(ctx, pause)
}

// wait waits for the pause. It returns an error if nobody waits for the answer any more.
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

// fallBack replaces the model, which failed with err, by the next one.
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
