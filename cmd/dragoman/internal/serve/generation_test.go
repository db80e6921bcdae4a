package serve

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/upstream/simulated"
)

// closable is a simulated upstream that counts how often it is closed.
type closable struct {
	proxy.Upstream
	name   string
	closed map[string]int
}

func (c closable) Close() { c.closed[c.name]++ }

// An upstream is closed exactly once, when neither the current generation nor one with an open request uses it.
func TestUpstreamsAreClosed(t *testing.T) {
	closed := map[string]int{}
	members := Upstreams{}
	for _, name := range []string{"a", "b", "c"} {
		members[name] = &member{upstream: closable{simulated.New(), name, closed}}
	}
	p := process{metrics: metrics.New(""), log: zerolog.Nop()}
	made := func(names string) *generation {
		all := Upstreams{}
		for name := range strings.SplitSeq(names, " ") {
			all[name] = members[name]
		}
		cfg := &config.Config{Models: []proxy.Route{{Name: "*", UpstreamModel: proxy.UpstreamModel{Upstream: names[:1]}}}}
		server, err := proxy.New(p.options(cfg, all))
		if err != nil {
			t.Fatal(err)
		}
		return &generation{cfg: cfg, server: server, upstreams: all, operators: server.Admin()}
	}
	check := func(when string, want ...string) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(closed)); !slices.Equal(got, want) {
			t.Errorf("%s: %q are closed, want %q", when, got, want)
		}
		for name, times := range closed {
			if times > 1 {
				t.Errorf("%s: %s is closed %d times", when, name, times)
			}
		}
	}

	var l generations
	l.swap(made("a b"))
	first, again := l.enter(), l.enter()
	l.swap(made("b c"))
	second := l.enter()
	l.swap(made("c"))
	check("with requests of all generations")
	l.leave(first)
	check("with one request of the first")
	l.leave(again)
	check("without requests of the first", "a")
	l.leave(second)
	check("without requests of the second", "a", "b")
	w := httptest.NewRecorder()
	l.answering(func(g *generation) http.Handler { return g.operators }).ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
	if check("after a request to the third", "a", "b"); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
	l.closeAll()
	check("at the end", "a", "b", "c")
}
