package proxy

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/upstream"
)

// fleet is an upstream with many models. fail returns the error of a model; nil means an answer. The fleet counts the
// calls of each model.
type fleet struct {
	fail func(model string) error

	mu    sync.Mutex
	calls map[string]int
}

func newFleet(fail func(model string) error) *fleet {
	return &fleet{fail: fail, calls: map[string]int{}}
}

func (f *fleet) Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[m.ID]++
	if err := f.fail(m.ID); err != nil {
		return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
	}
	return completing(endOfTurn, "hi").Invoke(ctx, m, p)
}

// total returns the number of calls to all models.
func (f *fleet) total() (n int) {
	for _, calls := range f.calls {
		n += calls
	}
	return n
}

// askFor returns the question, for another model.
func askFor(model string) string { return strings.Replace(question, "claude-2.1", model, 1) }

// failing503 returns a function that fails with 503 for all models with this prefix.
func failing503(prefix string) func(string) error {
	return func(model string) error {
		if strings.HasPrefix(model, prefix) {
			return busy
		}
		return nil
	}
}

// leftAlone reports whether the server's breaker keeps calls from the model.
func leftAlone(s *Server, f *fleet, model string) bool {
	before := f.calls[model]
	got := see(post(s, askFor(model)))
	return got.status == 529 && got.retryAfter != "" && f.calls[model] == before
}

// entries configures these models before the wildcard.
func entries(models ...string) func(*Options) {
	return func(o *Options) {
		wild := o.Routes[0]
		o.Routes = nil
		for _, name := range models {
			o.Routes = append(o.Routes, Route{Name: name, UpstreamModel: wild.UpstreamModel})
		}
		o.Routes = append(o.Routes, wild)
	}
}

// The breaker stops calls to a failing model, but not to other models of the same upstream.
func TestBadModelHasNeighbours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(failing503("claude-bad"))
		s := newServer(t, f, entries("claude-bad"))
		for i := range 3 * tripAfter {
			post(s, askFor("claude-bad"))
			if i < tripAfter/2 || i > tripAfter { // the neighbour's successes do not count for the model
				if got := see(post(s, askFor("claude-good"))); got.status != 200 {
					t.Fatalf("the neighbour: %+v", got)
				}
			}
		}
		if f.calls["claude-bad"] != tripAfter || !leftAlone(s, f, "claude-bad") {
			t.Errorf("the model was asked %d times", f.calls["claude-bad"])
		}
		f.fail = failing503("none")
		time.Sleep(openFor)
		if got := see(post(s, askFor("claude-bad"))); got.status != 200 {
			t.Errorf("once it is well: %+v", got)
		}
	})
}

// All names under a wildcard share one circuit, so names that clients make up use no memory.
func TestMadeUpNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(failing503("claude-x"))
		s := newServer(t, f)
		for i := range 10 * tripAfter {
			post(s, askFor(fmt.Sprintf("claude-x%d", i)))
		}
		if f.total() != tripAfter || !leftAlone(s, f, "claude-good") {
			t.Errorf("%d calls", f.total())
		}
		if n := len(s.breakers["east"].models); n != 1 {
			t.Errorf("%d models are remembered", n)
		}
	})
}

// The breaker stops calls to an unreachable upstream, for all its models.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := &upstream.Error{Status: 502, Type: "api_error", Message: "no connection", Unreachable: true}
		f := newFleet(func(string) error { return gone })
		s := newServer(t, f)
		for i := range tripAfter {
			post(s, askFor(fmt.Sprintf("claude-%d", i)))
		}
		if !leftAlone(s, f, "claude-new") {
			t.Error("the upstream is asked on")
		}
		f.fail = failing503("none")
		time.Sleep(openFor)
		if got := see(post(s, askFor("claude-new"))); got.status != 200 {
			t.Errorf("once it is back: %+v", got)
		}
	})
}

// If Dragoman's credentials are missing or rejected, every client gets the same error at once, and no circuit opens.
func TestCredentialsTripNothing(t *testing.T) {
	for _, fault := range []upstream.CredentialsFault{upstream.CredentialsMissing, upstream.CredentialsRefused} {
		told := &upstream.Error{Status: 502, Type: "api_error", Message: "our credentials", Credentials: fault, Final: true}
		f := newFleet(func(string) error { return told })
		s := newServer(t, f, twice)
		for range 3 * tripAfter {
			w := post(s, question)
			if got := see(w); got != (seen{502, "api_error", "east", "1", "", "false"}) || !strings.Contains(w.Body.String(), "our credentials") {
				t.Fatalf("%s: %+v %s", fault, got, w.Body)
			}
		}
	}
}

// If the upstream rejects a token, Dragoman fetches a new one and tries again. If that token is rejected as well, or
// the retry budget is empty, the client is told not to retry.
func TestTokenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stale := &upstream.Error{Status: 502, Type: "api_error", Message: "our token", Credentials: upstream.CredentialsRefused}
		east := &flaky{name: "east", errs: []error{stale}}
		s := newServer(t, east, twice)
		if got := see(post(s, question)); got.status != 200 || got.attempts != "2" {
			t.Errorf("a new token: %+v", got)
		}
		east.always = stale
		for range 3 * tripAfter {
			if got := see(post(s, question)); got.status != 502 || got.shouldNotTry != "false" {
				t.Fatalf("%+v", got)
			}
		}
	})
}

// A failing model uses its own retry budget, not that of its neighbours.
func TestNeighboursKeepTheirRetries(t *testing.T) {
	for name, bad := range map[string]error{"fails": busy, "throttled": failure5(429, "rate_limit_error", 0)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stumbles := false // the neighbour failed once
				f := newFleet(func(model string) error {
					if model == "claude-bad" {
						return bad
					}
					if stumbles {
						stumbles = false
						return busy
					}
					return nil
				})
				s := newServer(t, f, twice, entries("claude-bad"))
				post(s, askFor("claude-bad"))
				for range 10 {
					post(s, askFor("claude-good"))
				}
				for range 100 {
					post(s, askFor("claude-bad"))
				}
				stumbles = true
				if got := see(post(s, askFor("claude-good"))); got.status != 200 || got.attempts != "2" {
					t.Errorf("the neighbour: %+v", got)
				}
			})
		})
	}
}

// Made-up names under a wildcard share one retry budget.
func TestMadeUpNamesShareRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(failing503("claude-x"))
		s := newServer(t, f, twice)
		for requests := 1; requests <= 5*tripAfter; requests++ {
			post(s, askFor(fmt.Sprintf("claude-x%d", requests)))
			if n := f.total(); requests >= 5 && float64(n) > 1.2*float64(requests) {
				t.Fatalf("%d calls for %d requests", n, requests)
			}
		}
	})
}

// A model that fails half of the time keeps its own budget between failures.
func TestFlakyModelKeepsToItsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		odd, stumbles := false, false
		f := newFleet(func(model string) error {
			if model == "claude-flaky" {
				if odd = !odd; odd {
					return busy
				}
				return nil
			}
			if stumbles {
				stumbles = false
				return busy
			}
			return nil
		})
		s := newServer(t, f, twice, entries("claude-flaky"))
		post(s, askFor("claude-flaky"))
		for range 10 {
			post(s, askFor("claude-good"))
		}
		for range 50 {
			post(s, askFor("claude-flaky"))
		}
		stumbles = true
		if got := see(post(s, askFor("claude-good"))); got.status != 200 || got.attempts != "2" {
			t.Errorf("the neighbour: %+v", got)
		}
	})
}

// Old failures are forgotten.
func TestFailuresForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(failing503("claude-bad"))
		s := newServer(t, f)
		for range 3 {
			for range tripAfter - 1 {
				post(s, askFor("claude-bad"))
			}
			time.Sleep(forgetAfter)
		}
		if f.calls["claude-bad"] != 3*(tripAfter-1) {
			t.Errorf("%d calls", f.calls["claude-bad"])
		}
	})
}
