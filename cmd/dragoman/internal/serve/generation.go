// Package serve answers clients and operators as a configuration says. Its one idea is the generation: a configuration,
// with the proxy and the upstreams made from it. The current generation answers new requests. When the configuration
// changes, the next generation replaces it, and the old one finishes its requests. At the end the server drains: no
// generation follows, and all of them finish.
package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"

	dto "github.com/prometheus/client_model/go"
	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/proxy/inspector"
	"dragoman/proxy/telemetry"
)

// generation is a configuration, and everything made from it.
type generation struct {
	cfg       *config.Config
	server    *proxy.Server
	upstreams Upstreams

	clients, operators http.Handler
	open               int // requests in progress
}

// process is what all generations have in common.
type process struct {
	metrics   *metrics.Metrics
	telemetry *telemetry.Telemetry // nil for none
	inspector *inspector.Inspector // nil for none
	observe   []proxy.Observe      // further observers of exchanges
	log       zerolog.Logger
}

// generation returns the generation of a configuration. It takes upstreams that stay the same from the generation
// before, which is nil for the first. The error is config.Problems; after an error, nothing has changed.
func (p *process) generation(ctx context.Context, cfg *config.Config, before *generation) (*generation, error) {
	var kept Upstreams
	if before != nil {
		kept = before.upstreams
	}
	upstreams, err := p.upstreams(ctx, cfg, kept)
	if err != nil {
		return nil, err
	}
	var server *proxy.Server
	if opt := p.options(cfg, upstreams); before == nil {
		server, err = proxy.New(opt)
	} else {
		stays := func(name string) bool { return kept[name] != nil && kept[name] == upstreams[name] }
		server, err = before.server.Successor(opt, stays)
	}
	if err != nil {
		upstreams.closeBut(kept)
		return nil, config.Problems{{Where: cfg.File, Cause: err.Error()}}
	}
	return &generation{cfg: cfg, server: server, upstreams: upstreams, clients: server.Handler(), operators: server.Admin()}, nil
}

// options returns the options of the proxy for a configuration.
func (p *process) options(cfg *config.Config, upstreams Upstreams) proxy.Options {
	opt := proxy.Options{
		Routes:    cfg.Models,
		Upstreams: upstreams.ByName(),
		Keys:      cfg.Keys,
		Strict:    cfg.Strict(),
		BodyBytes: cfg.BodyBytes,
		Attempts:  int(cfg.Attempts),
		Timeouts:  cfg.Timeouts.Proxy(),
		Log:       p.log,
		Metrics:   p.metrics,
		Config:    cfg.Hash(),
		Observe:   p.observers(cfg),

		ListModels:       map[string]bool{},
		FinishAbandoned:  cfg.OnDisconnect == "drain",
		MaxConcurrent:    cfg.MaxConcurrent,
		MaxInflightBytes: cfg.MaxInflightBytes,
		MaxConnectionAge: cfg.MaxConnectionAge,
		Hosts:            cfg.Hosts,
		Origins:          cfg.Origins,
		Loopback:         cfg.Loopback,
		AdminLoopback:    cfg.AdminLoopback,
	}
	for _, u := range cfg.Upstreams {
		opt.ListModels[u.Name] = u.ListsModels()
	}
	if p.inspector != nil {
		opt.Inspector = p.inspector
	}
	return opt
}

// Try makes the first generation of a configuration, like [Start], and returns its upstreams, which the caller must
// close. The error is config.Problems.
func Try(ctx context.Context, cfg *config.Config) (Upstreams, error) {
	p := process{metrics: metrics.New(""), log: zerolog.Nop()}
	g, err := p.generation(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	return g.upstreams, nil
}

// generations are the current generation, and earlier ones that still answer requests.
type generations struct {
	mu    sync.Mutex
	now   *generation
	inUse []*generation // the current generation, and earlier ones that are not done
}

// swap sends new requests to another generation. It closes upstreams that no generation uses any more, after the
// requests that may use them.
func (l *generations) swap(next *generation) {
	l.mu.Lock()
	before := l.now
	l.now, l.inUse = next, append(l.inUse, next)
	l.mu.Unlock()
	if before != nil {
		l.retire(before)
	}
}

// current returns the current generation.
func (l *generations) current() *generation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Gather returns the metrics of the current generation.
func (l *generations) Gather() ([]*dto.MetricFamily, error) { return l.current().server.Gather() }

// answering returns a handler that passes each request to a handler of the current generation.
func (l *generations) answering(handler func(*generation) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := l.enter()
		defer l.leave(g)
		handler(g).ServeHTTP(w, r)
	})
}

func (l *generations) enter() *generation {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.open++
	return l.now
}

func (l *generations) leave(g *generation) {
	l.mu.Lock()
	g.open--
	done := g.open == 0 && g != l.now
	l.mu.Unlock()
	if done {
		l.retire(g)
	}
}

// retire closes the upstreams that only g uses, if g is done: it is not the current generation and has no requests.
func (l *generations) retire(g *generation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.inUse, g)
	if g == l.now || g.open > 0 || i < 0 {
		return
	}
	l.inUse = slices.Delete(l.inUse, i, i+1)
	var used []Upstreams
	for _, other := range l.inUse {
		used = append(used, other.upstreams)
	}
	g.upstreams.closeBut(used...)
}

// closeAll closes the upstreams of all generations, when there are no more requests.
func (l *generations) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.inUse {
		g.upstreams.closeBut()
	}
}
