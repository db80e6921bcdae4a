package proxy

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"dragoman/upstream"
)

const (
	// tripAfter is how many calls in a row have to fail until an upstream is left
	// alone, and openFor for how long; then one call tries whether it is
	// back, and the others wait for it as long again.
	tripAfter = 20
	openFor   = 5 * time.Second

	// Each request adds retryShare of a retry to what may be spent, up to one. An
	// upstream that is dead, or dies, sees at most 1.2 times as many calls as there
	// are requests, as soon as there are five.
	retryShare     = .11
	maxRetryBudget = 1
)

// errUnfinished is the outcome of a call that did not come to one.
var errUnfinished = errors.New("the call was not finished")

// gate stands before an upstream, for all exchanges: a circuit breaker, and the
// budget of retries, which is a bucket that requests fill.
type breaker struct {
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]

	mu          sync.Mutex
	retryBudget float64   // that may be spent
	reopensAt   time.Time // when the upstream is asked again, if it is left alone
}

func newBreaker() *breaker {
	g := &breaker{retryBudget: maxRetryBudget}
	g.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:      openFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !isDown(err) },
		IsExcluded:   func(err error) bool { return errors.Is(err, errClientGone) || errors.Is(err, errUnfinished) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.reopensAt = time.Now().Add(openFor)
			}
		},
	})
	return g
}

// enter asks for a call of the upstream. The caller has to say how it began: with
// nil as soon as the upstream has answered.
func (g *breaker) allow() (done func(error), err error) {
	if done, err = g.circuit.Allow(); err == nil {
		return done, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if errors.Is(err, gobreaker.ErrTooManyRequests) && time.Since(g.reopensAt) > openFor {
		// The call that tries whether the upstream is back takes its time. That alone
		// shuts nobody out.
		return func(error) {}, nil
	}
	return nil, &upstream.Error{
		Status:     529,
		Type:       "overloaded_error",
		Message:    "the upstream has failed many times in a row and is left alone for a few seconds",
		RetryAfter: max(time.Second, time.Until(g.reopensAt)),
	}
}

// earn adds a request's share to the budget.
func (g *breaker) addRetryShare() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retryBudget = min(g.retryBudget+retryShare, maxRetryBudget)
}

// spend takes a retry out of the budget, if there is one left.
func (g *breaker) takeRetry() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retryBudget < 1 {
		return false
	}
	g.retryBudget--
	return true
}

// down tells a failure of an upstream that may be down from one that is about the
// request, about a quota, or about the proxy's credentials.
func isDown(err error) bool {
	var (
		failed *upstream.Error
		late   *timeoutError
	)
	switch {
	case errors.As(err, &failed):
		return failed.Status >= http.StatusInternalServerError && !failed.Final
	case errors.As(err, &late):
		return true
	}
	return false
}
