package proxy

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// breaker decides for all exchanges whether a model of an upstream may be called, and whether it may be retried. Each
// configured model has a circuit of its own, so a failing model does not block its neighbours; all names under one
// wildcard share a circuit. If the upstream is unreachable, that counts for all its models.
type breaker struct {
	mu     sync.Mutex
	reach  circuit
	models map[way]*modelState // keyed as configured: see [UpstreamModel.configured]

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

// model returns the state of a configured model.
func (b *breaker) model(w way) *modelState {
	m := b.models[w]
	if m == nil {
		m = &modelState{retries: maxRetryBudget}
		b.models[w] = m
	}
	return m
}

// allow returns an *upstream.Error if the model should not be called now. Otherwise the caller must call report once:
// with nil as soon as the model begins to answer, or with the error of the call.
func (b *breaker) allow(w way) (report func(error), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, m := time.Now(), b.model(w)
	if wait := b.reach.wait(now); wait > 0 {
		return nil, refused("the upstream was unreachable many times in a row, so Dragoman pauses calls to it: try again in a few seconds", wait)
	}
	if wait := m.wait(now); wait > 0 {
		return nil, refused("the model failed many times in a row, so Dragoman pauses calls to it: try again in a few seconds", wait)
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

// judge returns what a call shows about the model, and about the connection to the upstream. Rejected credentials of
// the proxy count against neither.
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
	case upstreamErr.NotReady: // the model will be ready later
		return unknown, works
	case upstreamErr.Status >= http.StatusInternalServerError && !upstreamErr.Final && upstreamErr.Credentials == "":
		return fails, works
	}
	return works, works
}

// refused returns the error for a call that the breaker does not allow.
func refused(message string, wait time.Duration) error {
	return &upstream.Error{
		Status:     529,
		Type:       messages.ErrorOverloaded,
		Message:    message,
		RetryAfter: max(time.Second, wait),
	}
}

// trouble returns what is wrong with the proxy's own credentials, or "" if no call has shown a problem.
func (b *breaker) trouble() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.credentials.String()
}

// open returns the number of open circuits, of models and of the upstream itself.
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

// addRetryShare adds one request's share to the model's retry budget.
func (b *breaker) addRetryShare(w way) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model(w).retries.add()
}

// takeRetry reports whether the model's retry budget allows another call, and if so, takes that call from the budget.
func (b *breaker) takeRetry(w way) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.model(w).retries.take()
}

const (
	// Each request adds retryShare to its model's retry budget, up to maxRetryBudget. Each retry takes 1 from it. With
	// five or more requests, a model that is down therefore gets at most 1.2 calls for each request.
	retryShare     = .11
	maxRetryBudget = 1
)

// retryBudget is the number of retries that are available.
type retryBudget float64

// add adds one request's share.
func (b *retryBudget) add() { *b = min(*b+retryShare, maxRetryBudget) }

// take takes a retry, and reports whether one was available.
func (b *retryBudget) take() bool {
	if *b < 1 {
		return false
	}
	*b--
	return true
}

const (
	// After tripAfter failed calls in a row, a model or an upstream gets no calls for openFor. Then the breaker allows
	// one probe. If the probe succeeds, it allows all calls again. While the probe runs, it rejects other calls, but
	// for openFor at most: a slow answer is not a failure.
	tripAfter = 20
	openFor   = 5 * time.Second

	// forgetAfter is the time without a failure after which older failures no longer count.
	forgetAfter = time.Minute
)

// circuit is the failure history of a model, or of an upstream as a whole.
type circuit struct {
	failures int       // in a row
	last     time.Time // the time of the last failure
	reopens  time.Time // when the breaker allows a probe, after tripAfter failures
	probing  bool      // the probe is in progress
}

// outcome is what a call shows about a model or an upstream.
type outcome int

const (
	unknown outcome = iota
	works
	fails
)

// recent returns how many calls have failed in a row, or 0 if the last failure is long ago.
func (c *circuit) recent(now time.Time) int {
	if now.Sub(c.last) >= forgetAfter {
		return 0
	}
	return c.failures
}

// isOpen reports whether too many calls have failed in a row to allow all calls.
func (c *circuit) isOpen(now time.Time) bool { return c.recent(now) >= tripAfter }

// wait returns how long until the circuit allows a call; 0 means now.
func (c *circuit) wait(now time.Time) time.Duration {
	if !c.isOpen(now) {
		return 0
	}
	return max(0, c.reopens.Sub(now))
}

// begin records a call that wait has allowed. It reports whether the call is the probe of an open circuit.
func (c *circuit) begin(now time.Time) (probe bool) {
	if !c.isOpen(now) || c.probing {
		return false
	}
	c.probing, c.reopens = true, now.Add(openFor)
	return true
}

// end records the outcome of a call. If a probe ends with an unknown outcome, the next call becomes the probe.
func (c *circuit) end(o outcome, probe bool, now time.Time) {
	switch o {
	case works:
		*c = circuit{}
	case fails:
		c.failures, c.last = c.recent(now)+1, now
		if probe || c.failures == tripAfter {
			c.reopens, c.probing = now.Add(openFor), false
		}
	case unknown:
		if probe {
			c.reopens, c.probing = now, false
		}
	}
}

// credentials is what calls to an upstream have shown about the proxy's own credentials there. They count as good until
// a call fails because of them, and again after the next answer.
type credentials struct {
	fault upstream.CredentialsFault // "" while the credentials are good
	since time.Time                 // the time of the first failure
}

// learn updates the state with the outcome of a call: nil, or its error.
func (c *credentials) learn(err error, now time.Time) {
	var upstreamErr *upstream.Error
	switch {
	case err == nil:
		*c = credentials{}
	case errors.As(err, &upstreamErr) && upstreamErr.Credentials != "":
		if c.fault == "" {
			c.since = now
		}
		c.fault = upstreamErr.Credentials
	}
}

// String returns what is wrong with the credentials, and since when; "" while they are good.
func (c *credentials) String() string {
	if c.fault == "" {
		return ""
	}
	return fmt.Sprintf("credentials %s since %s", c.fault, c.since.UTC().Format(time.RFC3339))
}

// trouble returns a line for each upstream whose credentials fail.
func (s *Server) trouble() string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.breakers)) {
		if trouble := s.breakers[name].trouble(); trouble != "" {
			fmt.Fprintf(&lines, "upstream %s: %s\n", name, trouble)
		}
	}
	return lines.String()
}

// measureUpstreams updates the metrics of all upstreams. It runs at each scrape, because circuits close with time, too.
func (s *Server) measureUpstreams() {
	for name, b := range s.breakers {
		s.metrics.MeasureUpstream(name, b.trouble() == "", b.open())
	}
}
