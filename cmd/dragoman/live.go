package main

import (
	"net/http"
	"slices"
	"sync"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy"
)

// live is the proxy of a process: the server that new requests come to. Another can take its place at
// any time; what a server is answering stays with it.
type live struct {
	mu    sync.Mutex
	now   *generation
	inUse []*generation // now, and those before it that are not done
}

// generation is a server, and what it was made of.
type generation struct {
	cfg       *config.Config
	server    *proxy.Server
	upstreams fleet

	clients, operators http.Handler
	open               int // requests that it is answering
}

// newLive returns a proxy that begins with this server.
func newLive(cfg *config.Config, server *proxy.Server, upstreams fleet) *live {
	l := &live{}
	l.swap(cfg, server, upstreams)
	return l
}

// swap has new requests come to another server. Upstreams that nobody uses any more are closed, once
// the requests that may be using them are over.
func (l *live) swap(cfg *config.Config, server *proxy.Server, upstreams fleet) {
	next := &generation{cfg: cfg, server: server, upstreams: upstreams, clients: server.Handler(), operators: server.Admin()}
	l.mu.Lock()
	before := l.now
	l.now, l.inUse = next, append(l.inUse, next)
	l.mu.Unlock()
	if before != nil {
		l.retire(before)
	}
}

// current returns the configuration in effect, and its server.
func (l *live) current() (*config.Config, *proxy.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now.cfg, l.now.server
}

// fleet returns the upstreams in effect.
func (l *live) fleet() fleet {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now.upstreams
}

// handler returns the handler for clients, which is that of the server in effect.
func (l *live) handler() http.Handler {
	return l.answering(func(g *generation) http.Handler { return g.clients })
}

// admin returns the handler for operators.
func (l *live) admin() http.Handler {
	return l.answering(func(g *generation) http.Handler { return g.operators })
}

func (l *live) answering(handler func(*generation) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := l.enter()
		defer l.leave(g)
		handler(g).ServeHTTP(w, r)
	})
}

func (l *live) enter() *generation {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.open++
	return l.now
}

func (l *live) leave(g *generation) {
	l.mu.Lock()
	g.open--
	done := g.open == 0 && g != l.now
	l.mu.Unlock()
	if done {
		l.retire(g)
	}
}

// retire closes the upstreams that g alone has, if g is done: it is not in effect, and answers nothing.
func (l *live) retire(g *generation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.inUse, g)
	if g == l.now || g.open > 0 || i < 0 {
		return
	}
	l.inUse = slices.Delete(l.inUse, i, i+1)
	var used []fleet
	for _, other := range l.inUse {
		used = append(used, other.upstreams)
	}
	g.upstreams.closeBut(used...)
}

// close closes the upstreams of a proxy that has no requests, and gets none any more.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.inUse {
		g.upstreams.closeBut()
	}
}
