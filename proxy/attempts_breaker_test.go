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

// fleet is an upstream with many models. The function says what a model fails with; nil is an
// answer. The calls of each model are counted.
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

// total is the number of calls of all models.
func (f *fleet) total() (n int) {
	for _, calls := range f.calls {
		n += calls
	}
	return n
}

// askFor is the question to another model.
func askFor(model string) string { return strings.Replace(question, "claude-2.1", model, 1) }

// failing503 is an error for the models that begin so.
func failing503(prefix string) func(string) error {
	return func(model string) error {
		if strings.HasPrefix(model, prefix) {
			return busy
		}
		return nil
	}
}

// leftAlone reports whether the server refuses to ask the model.
func leftAlone(s *Server, f *fleet, model string) bool {
	before := f.calls[model]
	got := see(post(s, askFor(model)))
	return got.status == 529 && got.retryAfter != "" && f.calls[model] == before
}

// entries configures models beside the wildcard.
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

// A model that fails is left alone; its neighbours at the same upstream are asked.
func TestBadModelHasNeighbours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(failing503("claude-bad"))
		s := newServer(t, f, entries("claude-bad"))
		for i := range 3 * tripAfter {
			post(s, askFor("claude-bad"))
			if i < tripAfter/2 || i > tripAfter { // a success of the neighbour's is none of its own
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

// Names under a wildcard are one model: what clients make up takes no memory.
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

// An upstream that cannot be reached is left alone, whichever models are asked for.
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

// Credentials of ours that are missing or refused are told each client in the same words, at once.
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

// A token that was refused is fetched anew for another try. If that is refused too, or has
// to be saved, the client is told not to try.
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

// A failing model uses up its own retries, and not those of its neighbours.
func TestNeighboursKeepTheirRetries(t *testing.T) {
	for name, bad := range map[string]error{"fails": busy, "throttled": failure5(429, "rate_limit_error", 0)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stumbles := false // the neighbour fails once
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

// Whoever makes up names gets no more retries than whoever asks for one model.
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

// A model that fails half of the time is remembered between its failures: its retries stay its own.
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

// What was long ago is forgotten.
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
