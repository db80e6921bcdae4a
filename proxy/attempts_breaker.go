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
	case upstreamErr.NotReady: // it will be
		return unknown, works
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

const (
	// After tripAfter failed calls in a row a model, or an upstream, is not called for
	// openFor. Then one call is let through; if it succeeds, all are. While it lasts the
	// others are refused, but for no longer than openFor: a slow answer is no failure.
	tripAfter = 20
	openFor   = 5 * time.Second

	// forgetAfter is how long after the last failure those before it still count.
	forgetAfter = time.Minute
)

// circuit is what is known of the failures of a model, or of an upstream as a whole.
type circuit struct {
	failures int       // in a row
	last     time.Time // when the last of them was
	reopens  time.Time // when a call is let through, once there are tripAfter
	probing  bool      // that call is under way
}

// outcome is what a call says of a model, or of an upstream.
type outcome int

const (
	unknown outcome = iota
	works
	fails
)

// recent returns how many calls have failed in a row, if that is not long ago.
func (c *circuit) recent(now time.Time) int {
	if now.Sub(c.last) >= forgetAfter {
		return 0
	}
	return c.failures
}

// isOpen reports whether the calls have failed too often for all of them to be let through.
func (c *circuit) isOpen(now time.Time) bool { return c.recent(now) >= tripAfter }

// wait returns how long no call is let through; 0 if one may be made now.
func (c *circuit) wait(now time.Time) time.Duration {
	if !c.isOpen(now) {
		return 0
	}
	return max(0, c.reopens.Sub(now))
}

// begin takes note of a call that wait lets through. It reports whether that call tries for
// all others whether the circuit can be closed.
func (c *circuit) begin(now time.Time) (probe bool) {
	if !c.isOpen(now) || c.probing {
		return false
	}
	c.probing, c.reopens = true, now.Add(openFor)
	return true
}

// end takes note of what a call has come to. A call that has said nothing leaves it to the
// next one to try.
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

// credentials is what the calls of an upstream have shown of the proxy's own credentials
// there. They count as good until a call says otherwise, and again from the next answer on.
type credentials struct {
	fault upstream.CredentialsFault // "" while they are good
	since time.Time                 // that they are not
}

// learn takes note of the outcome of a call: nil, or its error.
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

// String says what is wrong with the credentials and since when; it is "" if nothing is.
func (c *credentials) String() string {
	if c.fault == "" {
		return ""
	}
	return fmt.Sprintf("credentials %s since %s", c.fault, c.since.UTC().Format(time.RFC3339))
}

// trouble returns a line for each upstream whose credentials are not good.
func (s *Server) trouble() string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.breakers)) {
		if trouble := s.breakers[name].trouble(); trouble != "" {
			fmt.Fprintf(&lines, "upstream %s: %s\n", name, trouble)
		}
	}
	return lines.String()
}

// measureUpstreams sets the metrics of what is known of the upstreams. It is called when they
// are read: what is known ends with time, too.
func (s *Server) measureUpstreams() {
	for name, b := range s.breakers {
		s.metrics.MeasureUpstream(name, b.trouble() == "", b.open())
	}
}
