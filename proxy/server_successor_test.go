package proxy

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/upstream"
)

// succeed returns a successor of s with the same upstreams.
func succeed(t *testing.T, s *Server, up any, change ...func(*Options)) *Server {
	t.Helper()
	next, err := s.Successor(optionsFor(up, change...), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// The successor keeps what is known about an upstream: the state of its breaker, what its models refused, and whether
// its credentials fail. If another upstream has the name, all of that is forgotten.
func TestSuccessorOfUpstreams(t *testing.T) {
	busy := failing(&upstream.Error{Status: 503, Type: "api_error"})
	both := func(o *Options) {
		o.Routes = []Route{
			{Name: "a", UpstreamModel: UpstreamModel{Upstream: "east"}},
			{Name: "b", UpstreamModel: UpstreamModel{Upstream: "west"}},
		}
		o.Upstreams = playAll(map[string]any{"east": busy, "west": busy})
	}
	before := newServer(t, nil, both)
	for _, model := range []string{"a", "b"} {
		for range tripAfter {
			post(before, strings.Replace(question, "claude-2.1", model, 1))
		}
		route, err := before.routes.find(model)
		if err != nil {
			t.Fatal(err)
		}
		before.refusals.add(route.UpstreamModel, refusal{maxTokens: 7})
	}
	next, err := before.Successor(optionsFor(nil, both), func(name string) bool { return name == "east" })
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		model, name string
		open, most  int
	}{{"a", "east", 1, 7}, {"b", "west", 0, 0}} {
		route, err := next.routes.find(tt.model)
		if err != nil {
			t.Fatal(err)
		}
		if open, most := next.breakers[tt.name].open(), next.refusals.applyTo(route.UpstreamModel).MaxTokens; open != tt.open || most != tt.most {
			t.Errorf("%s: %d circuits are open, and the limit is %d", tt.name, open, most)
		}
	}
}

// An exchange in progress counts for the successor, under the successor's limits, and otherwise continues under its own
// server. When both have ended, nothing stays taken.
func TestSuccessorCountsWhatIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			if yield(translate.Chunk{Text: "It "}, nil) {
				<-hold
				yield(endOfTurn, nil)
			}
		})
		limited := func(most int64) func(*Options) {
			return func(o *Options) { o.MaxConcurrent, o.MaxInflightBytes = most, 1<<20 }
		}
		first := newServer(t, up, limited(2))
		open := func(s *Server) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			go answerTo(s, w, newRequest("POST", "/v1/messages", streamed(question)))
			synctest.Wait()
			return w
		}
		one := open(first)
		second := succeed(t, first, up, limited(1))
		if w := post(second, question); w.Code != 529 {
			t.Errorf("status %d, with one exchange open before the limit was one", w.Code)
		}
		if want := "\ndragoman_max_concurrent 1\n"; !strings.Contains(scrape(t, second), want) {
			t.Errorf("the metrics lack %s", want)
		}
		third := succeed(t, second, up, limited(2), func(o *Options) {
			o.Routes = []Route{{Name: "other", UpstreamModel: UpstreamModel{Upstream: "east"}}}
		})
		if w := post(third, question); w.Code != 404 {
			t.Errorf("status %d for a model that has gone", w.Code)
		}
		fourth := succeed(t, third, up, limited(2))
		two := open(fourth)
		if w := post(fourth, question); w.Code != 529 {
			t.Errorf("status %d with two exchanges open of two", w.Code)
		}
		close(hold)
		synctest.Wait()
		for _, w := range []*httptest.ResponseRecorder{one, two} {
			if !strings.Contains(w.Body.String(), "message_stop") {
				t.Errorf("a stream that was open ended so:\n%s", w.Body)
			}
		}
		if fourth.concurrent.taken.Load() != 0 || fourth.inflightBytes.taken.Load() != 0 {
			t.Errorf("%d exchanges and %d bytes are still taken", fourth.concurrent.taken.Load(), fourth.inflightBytes.taken.Load())
		}
	})
}

// Drain and Cut affect both servers, whichever of them is called.
func TestSuccessorDrains(t *testing.T) {
	up := completing(endOfTurn, "hi")
	first := newServer(t, up, func(o *Options) { o.Config = "abc" })
	second := succeed(t, first, up, func(o *Options) { o.Config = "def" })
	for s, want := range map[*Server]string{first: "ready\nconfig abc\n", second: "ready\nconfig def\n"} {
		w := httptest.NewRecorder()
		s.Admin().ServeHTTP(w, newRequest("GET", "/readyz", ""))
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("/readyz says %d %s", w.Code, w.Body)
		}
	}
	second.Drain()
	w := httptest.NewRecorder()
	first.Admin().ServeHTTP(w, newRequest("GET", "/readyz", ""))
	if w.Code != 503 {
		t.Errorf("/readyz says %d %s", w.Code, w.Body)
	}
	first.Cut()
	if second.Base().Err() == nil {
		t.Error("the exchanges of the second server go on")
	}
}

// However often models and upstreams are renamed, the number of series stays the same.
func TestSuccessorsBoundSeries(t *testing.T) {
	up, counts := completing(endOfTurn, "hi"), metrics.New("")
	named := func(name string) func(*Options) {
		return func(o *Options) {
			o.Metrics = counts
			o.Routes = []Route{{Name: name, UpstreamModel: UpstreamModel{Upstream: name}}}
			o.Upstreams = playAll(map[string]any{name: up})
			o.Keys = []Key{{Sum: NewKey("key-" + name).Sum, Name: name}}
		}
	}
	scrape := func(s *Server) int {
		w := httptest.NewRecorder()
		s.Admin().ServeHTTP(w, newRequest("GET", "/metrics", ""))
		return strings.Count(w.Body.String(), "\ndragoman_")
	}
	s, lines := newServer(t, up, named("m0")), 0
	for n := range 5 {
		name := "m" + string(rune('0'+n))
		if n > 0 {
			s = succeed(t, s, up, named(name))
		}
		if w := post(s, strings.Replace(question, "claude-2.1", name, 1), "x-api-key", "key-"+name); w.Code != 200 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if now := scrape(s); n > 0 && now != lines {
			t.Errorf("%d lines became %d", lines, now)
		} else {
			lines = now
		}
	}
}

// The list of an upstream's models stays with the upstream, and is not requested again.
func TestSuccessorOfLists(t *testing.T) {
	up := &listing{answer: func(context.Context, int64) ([]string, error) { return []string{"claude-a"}, nil }}
	before := newServer(t, up)
	next := succeed(t, before, up)
	for _, s := range []*Server{before, next} {
		if names, _ := listed(t, s); names != "claude-a" {
			t.Errorf("listed %q", names)
		}
	}
	if calls := up.calls.Load(); calls != 1 {
		t.Errorf("the upstream was asked %d times", calls)
	}
}
