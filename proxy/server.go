// Package proxy serves the APIs of clients over HTTP: it reads a request in a
// client's dialect, has translate and an upstream answer it, and writes the
// answer in that dialect, streamed or whole.
//
// There is one pipeline ([exchange.ask]). What is particular to a client API is
// in one value of type dialect.
package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"dragoman/metrics"
)

// Options says what a [Server] serves and how.
type Options struct {
	Routes    []Route             // first match wins
	Upstreams map[string]Upstream // by [Model.Via]
	Keys      []string            // that clients may present; none: no authentication
	Strict    bool                // refuse what a text model cannot do, rather than leave it out
	BodyBytes int64               // most bytes of a request's body, unpacked; 0 for 32 MiB
	Timeouts  Timeouts
	Attempts  int           // most tries of one upstream for a request, before its first event; 0 for 2
	Ping      time.Duration // silence towards a client before a ping; 0 for 10 s
	Log       zerolog.Logger
	Metrics   *metrics.Metrics // nil for some that nobody else sees
}

// Server answers clients. From one request to the next it keeps nothing of theirs,
// only what it has seen of the upstreams.
type Server struct {
	routes    routes
	upstreams map[string]Upstream
	keys      keyring
	strict    bool
	bodyBytes int64
	timeouts  Timeouts
	maxTries  int
	breakers  map[string]*breaker // by the name of the upstream
	refusals  refusals
	ping      time.Duration
	log       zerolog.Logger
	metrics   *metrics.Metrics
	draining  context.Context // ends with Drain
	drain     context.CancelFunc
}

// New returns a server. It is an error if no model or a model without an
// upstream is configured.
func New(opt Options) (*Server, error) {
	if len(opt.Routes) == 0 {
		return nil, errors.New("no models: nothing could be served")
	}
	gates := map[string]*breaker{}
	for _, m := range opt.Routes {
		for _, w := range m.UpstreamModels() {
			if opt.Upstreams[w.UpstreamKey()] == nil {
				return nil, fmt.Errorf("model %q: there is no upstream %q", m.Name, w.UpstreamKey())
			}
			if _, ok := opt.Upstreams[w.UpstreamKey()].(NativeUpstream); !ok && w.Tools != "" && w.Tools != ToolsXML {
				return nil, fmt.Errorf("model %q: the upstream %q has no tool API", m.Name, w.UpstreamKey())
			}
			gates[w.Upstream] = newBreaker()
		}
	}
	s := &Server{
		routes:    opt.Routes,
		upstreams: opt.Upstreams,
		strict:    opt.Strict,
		bodyBytes: cmp.Or(opt.BodyBytes, 32<<20),
		timeouts: Timeouts{
			FirstByte:  cmp.Or(opt.Timeouts.FirstByte, 10*time.Minute),
			Idle:       cmp.Or(opt.Timeouts.Idle, 5*time.Minute),
			Total:      cmp.Or(opt.Timeouts.Total, time.Hour),
			WriteStall: cmp.Or(opt.Timeouts.WriteStall, time.Minute),
		},
		maxTries: cmp.Or(opt.Attempts, 2),
		breakers: gates,
		ping:     cmp.Or(opt.Ping, 10*time.Second),
		log:      opt.Log,
		metrics:  opt.Metrics,
	}
	if s.metrics == nil {
		s.metrics = metrics.New("")
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	for _, k := range opt.Keys {
		if k == "" {
			return nil, errors.New("an empty key would let everybody in")
		}
		s.keys = append(s.keys, newKey(k))
	}
	return s, nil
}

// Drain makes /readyz answer 503 from now on. Requests are still answered, if they
// arrive soon.
func (s *Server) Drain() { s.drain() }
