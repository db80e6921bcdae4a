package proxy

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// breaker decides for all exchanges whether a model of an upstream may be called, and
// whether it may be called again. What a model answers counts for the model that is
// configured alone, so one that fails does not shut out its neighbours; all names under a
// wildcard are one. That the upstream cannot be reached counts for all of its models.
type breaker struct {
	mu     sync.Mutex
	reach  circuit
	models map[way]*modelState // as configured: see [UpstreamModel.configured]

	credentials credentials // of the proxy's own, at this upstream
}

// modelState is what is known of a configured model.
type modelState struct {
	circuit
	retries retryBudget
}

// errUnfinished is the outcome of a call of which nothing is known: it counts neither as
// a success nor as a failure.
var errUnfinished = errors.New("the call was not finished")

func newBreaker() *breaker { return &breaker{models: map[way]*modelState{}} }

// model returns what is known of a configured model.
func (b *breaker) model(w way) *modelState {
	m := b.models[w]
	if m == nil {
		m = &modelState{retries: maxRetryBudget}
		b.models[w] = m
	}
	return m
}

// allow returns an *upstream.Error if the model is not to be called now. Else the caller
// has to call report once: with nil as soon as the model has begun to answer, or with the
// error of the call.
func (b *breaker) allow(w way) (report func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, m := time.Now(), b.model(w)
	if wait := b.reach.wait(now); wait > 0 {
		return nil, refused("the upstream could not be reached many times in a row and is left alone for a few seconds", wait)
	}
	if wait := m.wait(now); wait > 0 {
		return nil, refused("the model has failed many times in a row and is left alone for a few seconds", wait)
	}
	probesModel, probesReach := m.begin(now), b.reach.begin(now)
	return func(err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		now := time.Now()
		b.credentials.learn(err, now)
		model, reach := judge(err)
		b.reach.end(reach, probesReach, now)
		m.end(model, probesModel, now)
	}, nil
}

// judge returns what the outcome of a call says of the model, and of the way to the
// upstream. Credentials of the proxy's own that are refused are the failure of neither.
func judge(err error) (model, reach outcome) {
	var (
		upstreamErr *upstream.Error
		timeout     *timeoutError
	)
	switch {
	case err == nil:
		return works, works
	case errors.As(err, &timeout):
		return fails, unknown
	case !errors.As(err, &upstreamErr) || upstreamErr.Credentials == upstream.CredentialsMissing:
		return unknown, unknown
	case upstreamErr.Unreachable:
		return unknown, fails
	case upstreamErr.Status >= http.StatusInternalServerError && !upstreamErr.Final && upstreamErr.Credentials == "":
		return fails, works
	}
	return works, works
}

// refused returns the error for a call that is not made.
func refused(message string, wait time.Duration) error {
	return &upstream.Error{
		Status:     529,
		Type:       messages.ErrorOverloaded,
		Message:    message,
		RetryAfter: max(time.Second, wait),
	}
}

// trouble returns what is wrong with the proxy's own credentials, "" if nothing is known to
// be.
func (b *breaker) trouble() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.credentials.String()
}

// open returns how many circuits are open: those of models, and that of the upstream.
func (b *breaker) open() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for _, m := range b.models {
		if m.isOpen(now) {
			n++
		}
	}
	if b.reach.isOpen(now) {
		n++
	}
	return n
}

// addRetryShare adds to the model's budget of retries what one request is worth.
func (b *breaker) addRetryShare(w way) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model(w).retries.add()
}

// takeRetry reports whether the model's budget allows another call, and takes it out of the
// budget.
func (b *breaker) takeRetry(w way) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.model(w).retries.take()
}

const (
	// Each request adds retryShare to the budget of its model's retries, up to maxRetryBudget,
	// and each retry takes 1 out of it. A configured model that is down sees at most 1.2 calls
	// for each of five or more requests.
	retryShare     = .11
	maxRetryBudget = 1
)

// retryBudget is how many retries may be done.
type retryBudget float64

// add adds what one request is worth.
func (b *retryBudget) add() { *b = min(*b+retryShare, maxRetryBudget) }

// take reports whether there is a retry left, and takes it.
func (b *retryBudget) take() bool {
	if *b < 1 {
		return false
	}
	*b--
	return true
}
