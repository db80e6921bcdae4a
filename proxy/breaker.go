package proxy

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

const (
	// After tripAfter failed calls in a row an upstream is not called for openFor. Then
	// one call is let through; if it succeeds, all are. While it lasts the others are
	// refused, but for no longer than openFor.
	tripAfter = 20
	openFor   = 5 * time.Second

	// Each request adds retryShare to the budget of retries, up to maxRetryBudget, and
	// each retry takes 1 out of it. With five or more requests, an upstream that is down
	// sees at most 1.2 calls for each of them.
	retryShare     = .11
	maxRetryBudget = 1
)

// breaker decides for all exchanges whether an upstream may be called: it is a circuit
// breaker with a budget of retries.
type breaker struct {
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]

	mu          sync.Mutex
	retryBudget float64   // retries that may be done
	reopensAt   time.Time // when the first call is let through, after the breaker has tripped
}

// errUnfinished is the outcome of a call of which nothing is known: it counts neither as
// a success nor as a failure.
var errUnfinished = errors.New("the call was not finished")

func newBreaker() *breaker {
	b := &breaker{retryBudget: maxRetryBudget}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:      openFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !isDown(err) },
		IsExcluded:   func(err error) bool { return errors.Is(err, errClientGone) || errors.Is(err, errUnfinished) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.reopensAt = time.Now().Add(openFor)
			}
		},
	})
	return b
}

// allow returns an *upstream.Error if the upstream is not to be called now. Else the
// caller has to call report once: with nil as soon as the upstream has begun to answer,
// or with the error of the call.
func (b *breaker) allow() (report func(error), err error) {
	if report, err = b.circuit.Allow(); err == nil {
		return report, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(err, gobreaker.ErrTooManyRequests) && time.Since(b.reopensAt) > openFor {
		// The call that was let through has not ended. A slow answer is no failure, and
		// must not shut out all other requests for as long as it takes.
		return func(error) {}, nil
	}
	return nil, &upstream.Error{
		Status:     529,
		Type:       messages.ErrorOverloaded,
		Message:    "the upstream has failed many times in a row and is left alone for a few seconds",
		RetryAfter: max(time.Second, time.Until(b.reopensAt)),
	}
}

// addRetryShare adds to the budget of retries what one request is worth.
func (b *breaker) addRetryShare() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.retryBudget = min(b.retryBudget+retryShare, maxRetryBudget)
}

// takeRetry reports whether the budget allows a retry, and takes it out of the budget.
func (b *breaker) takeRetry() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.retryBudget < 1 {
		return false
	}
	b.retryBudget--
	return true
}

// isDown reports whether an error speaks against the upstream as a whole: not one about
// the request, about a quota, or about the proxy's credentials.
func isDown(err error) bool {
	var (
		upstreamErr *upstream.Error
		timeout     *timeoutError
	)
	switch {
	case errors.As(err, &upstreamErr):
		return upstreamErr.Status >= http.StatusInternalServerError && !upstreamErr.Final
	case errors.As(err, &timeout):
		return true
	}
	return false
}
