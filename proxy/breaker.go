package proxy

import (
	"errors"
	"hash/maphash"
	"net/http"
	"sync"
	"time"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// maxFailing bounds the models of an upstream whose failures are remembered: where a route
// has a wildcard, clients can make up ids.
const maxFailing = 512

// breaker decides for all exchanges whether a model of an upstream may be called, and
// whether it may be called again. What a model answers counts for that model alone: clients
// choose the names under a wildcard, and one that fails must not shut out its neighbours.
// That the upstream cannot be reached counts for all of its models.
type breaker struct {
	mu      sync.Mutex
	reach   circuit
	retries retryBudget              // of the models that do not fail
	failing map[uint64]*failingModel // by the hash of its way, since ids can be long
	seed    maphash.Seed

	credentials credentials // of the proxy's own, at this upstream
}

// failingModel is a model that has failed, or had no room for a request. It is one until its
// place is needed for another.
type failingModel struct {
	circuit
	seen    time.Time // its last failure
	retries retryBudget
}

// errUnfinished is the outcome of a call of which nothing is known: it counts neither as
// a success nor as a failure.
var errUnfinished = errors.New("the call was not finished")

func newBreaker() *breaker {
	return &breaker{retries: maxRetryBudget, failing: map[uint64]*failingModel{}, seed: maphash.MakeSeed()}
}

// allow returns an *upstream.Error if the model is not to be called now. Else the caller
// has to call report once: with nil as soon as the model has begun to answer, or with the
// error of the call.
func (b *breaker) allow(w way) (report func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, key := time.Now(), maphash.Comparable(b.seed, w)
	if wait := b.reach.wait(now); wait > 0 {
		return nil, refused("the upstream could not be reached many times in a row and is left alone for a few seconds", wait)
	}
	probesModel := false
	if m := b.failing[key]; m != nil {
		if wait := m.wait(now); wait > 0 {
			return nil, refused("the model has failed many times in a row and is left alone for a few seconds", wait)
		}
		probesModel = m.begin(now)
	}
	probesReach := b.reach.begin(now)
	return func(err error) { b.report(key, err, probesModel, probesReach) }, nil
}

// report takes note of what a call has come to.
func (b *breaker) report(key uint64, err error, probesModel, probesReach bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.credentials.learn(err, now)
	model, reach := judge(err)
	b.reach.end(reach, probesReach, now)
	if model == fails || isThrottled(err) {
		b.remember(key, now)
	}
	if m := b.failing[key]; m != nil {
		m.end(model, probesModel, now)
	}
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

// isThrottled reports whether the model had no more room for requests: that is no failure,
// but it is called again for it.
func isThrottled(err error) bool {
	var upstreamErr *upstream.Error
	return errors.As(err, &upstreamErr) && upstreamErr.Status == http.StatusTooManyRequests
}

// remember puts a model that has just failed among those that fail, if there is room. It
// takes a retry with it, if the others have one left: after that it has only those that it
// earns.
func (b *breaker) remember(key uint64, now time.Time) {
	m := b.failing[key]
	if m == nil {
		if len(b.failing) >= maxFailing && !b.forgetOne(now) {
			return
		}
		m = new(failingModel)
		if b.retries.take() {
			m.retries = 1
		}
		b.failing[key] = m
	}
	m.seen = now
}

// forgetOne forgets the model with the fewest failures in a row, the oldest of them. It
// reports whether there was one: a model that is left alone is never forgotten, so made-up
// names have to fail many times each to be in the way of others.
func (b *breaker) forgetOne(now time.Time) bool {
	var (
		least uint64
		found *failingModel
	)
	for key, m := range b.failing {
		switch {
		case m.isOpen(now):
		case found == nil || m.recent(now) < found.recent(now) || m.recent(now) == found.recent(now) && m.seen.Before(found.seen):
			least, found = key, m
		}
	}
	delete(b.failing, least)
	return found != nil
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
	for _, m := range b.failing {
		if m.isOpen(now) {
			n++
		}
	}
	if b.reach.isOpen(now) {
		n++
	}
	return n
}

// addRetryShare adds to the budget of retries what one request to the model is worth.
func (b *breaker) addRetryShare(w way) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.budget(w).add()
}

// takeRetry reports whether the budget allows another call of the model, and takes it out
// of the budget.
func (b *breaker) takeRetry(w way) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.budget(w).take()
}

// budget returns the budget of a model's retries: its own while it fails, so that it does
// not use up those of its neighbours, and else the one that they share.
func (b *breaker) budget(w way) *retryBudget {
	if m := b.failing[maphash.Comparable(b.seed, w)]; m != nil {
		return &m.retries
	}
	return &b.retries
}
