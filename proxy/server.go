package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"dragoman/metrics"
)

// Options says what a [Server] serves and how. Routes and Upstreams are needed.
type Options struct {
	Routes    []Route             // the first that matches the name in a request counts
	Upstreams map[string]Upstream // by [UpstreamModel.UpstreamKey]
	Keys      []Key               // that clients may present; none: no authentication
	Strict    bool                // refuse a field that a text model has no use for, rather than drop it
	BodyBytes int64               // the most bytes of a request's body, unpacked; 0 for 32 MiB
	Timeouts  Timeouts
	Attempts  int              // the most calls of one model for a request, before its first event; 0 for 2
	Ping      time.Duration    // silence towards a client of a stream before a ping; 0 for 10 s
	Log       zerolog.Logger   // the zero Logger logs nothing
	Metrics   *metrics.Metrics // nil for metrics that nobody else sees
	Observe   []Observe        // who watches the exchanges
	Inspector http.Handler     // at /inspector/ of the admin listener; nil for none

	// FinishAbandoned goes on to read an upstream's answer when the client has left, so that its
	// tokens are counted, for up to a quarter of MaxConcurrent. Without it the call is cancelled.
	FinishAbandoned bool

	// A listener without keys refuses what pages of other origins have a browser send, and on
	// loopback what is addressed to another host: see guard.
	Hosts         []string // names of the server besides those of loopback: "dragoman.example", "*.example"
	Origins       []string // of pages that may call the API of clients: "https://app.example"
	Loopback      bool     // clients are on this machine
	AdminLoopback bool     // operators are on this machine

	// MaxConcurrent is the most exchanges that are answered at once, and MaxInflightBytes the
	// most bytes that the bodies of their requests have together, unpacked. What is beyond is
	// refused at once, with 529. A body that is longer than MaxInflightBytes alone is too
	// large. 0 is no limit.
	MaxConcurrent, MaxInflightBytes int64
}

// Server answers clients: [Server.Handler]. From one request to the next it keeps of the
// clients only what they have taken of their keys, and besides whether upstreams work and
// what their models refuse.
type Server struct {
	routes    routes
	upstreams map[string]Upstream
	keys      atomic.Pointer[keyring]
	strict    bool
	bodyBytes int64
	timeouts  Timeouts
	maxTries  int
	breakers  map[string]*breaker // by the name of the upstream
	refusals  refusals
	kept      kept
	advice    toolAdvice
	pingAfter time.Duration
	log       zerolog.Logger
	metrics   *metrics.Metrics
	observers []Observe
	inspector http.Handler
	finishes  bool            // see Options.FinishAbandoned
	draining  context.Context // ends with Drain
	drain     context.CancelFunc
	base      context.Context // ends with Cut
	cut       context.CancelCauseFunc

	clients, operators *guard   // of their listeners; that of clients where there are no keys
	origins            []string // of pages that may call the API of clients

	settingKeys sync.Mutex // held by SetKeys

	concurrent, inflightBytes gate
	abandoned                 gate // exchanges whose client has left: see callContext
}

// New returns a server. It is an error if there is no route, if a model names an upstream
// that is not in Upstreams or has no tool API although the model needs one, or if the keys
// are none for [Server.SetKeys].
func New(opt Options) (*Server, error) {
	if len(opt.Routes) == 0 {
		return nil, errors.New("no models: nothing could be served")
	}
	breakers := map[string]*breaker{}
	for _, r := range opt.Routes {
		for _, m := range r.UpstreamModels() {
			up := opt.Upstreams[m.UpstreamKey()]
			if up == nil {
				return nil, fmt.Errorf("model %q: there is no upstream %q", r.Name, m.UpstreamKey())
			}
			if _, ok := up.(NativeUpstream); !ok && m.Tools != "" && m.Tools != ToolsXML {
				return nil, fmt.Errorf("model %q: the upstream %q has no tool API", r.Name, m.UpstreamKey())
			}
			breakers[m.Upstream] = newBreaker()
		}
	}
	s := &Server{
		routes:    opt.Routes,
		upstreams: opt.Upstreams,
		clients:   newGuard(opt.Loopback, opt.Hosts, opt.Origins),
		operators: newGuard(opt.AdminLoopback, opt.Hosts, nil),
		origins:   opt.Origins,
		strict:    opt.Strict,
		bodyBytes: longestBody(opt),
		timeouts:  opt.Timeouts.withDefaults(),
		maxTries:  cmp.Or(opt.Attempts, 2),
		breakers:  breakers,
		kept:      newKept(),
		pingAfter: cmp.Or(opt.Ping, 10*time.Second),
		finishes:  opt.FinishAbandoned,
		log:       opt.Log,
		metrics:   opt.Metrics,
		observers: opt.Observe,
		inspector: opt.Inspector,
	}
	if s.metrics == nil {
		s.metrics = metrics.New("")
	}
	s.concurrent.most, s.inflightBytes.most = opt.MaxConcurrent, opt.MaxInflightBytes
	if opt.MaxConcurrent > 0 {
		s.abandoned.most = max(1, opt.MaxConcurrent/4)
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	s.base, s.cut = context.WithCancelCause(context.Background())
	if err := s.SetKeys(opt.Keys); err != nil {
		return nil, err
	}
	return s, nil
}

// longestBody returns the most bytes that the body of a request may have.
func longestBody(opt Options) int64 {
	longest := cmp.Or(opt.BodyBytes, 32<<20)
	if opt.MaxInflightBytes > 0 {
		longest = min(longest, opt.MaxInflightBytes)
	}
	return longest
}

// Drain makes /readyz answer 503 from now on, so that no new clients are sent here.
// Requests are still answered, but a body has to arrive within seconds, and the answer is the
// last on its connection.
func (s *Server) Drain() { s.drain() }

// Draining reports whether Drain has been called.
func (s *Server) Draining() bool { return s.draining.Err() != nil }

// Base returns the context in which requests have to be served for Cut to end them: it is for
// [http.Server.BaseContext].
func (s *Server) Base() context.Context { return s.base }

// Cut ends all exchanges. Their clients are told that the server shuts down.
func (s *Server) Cut() { s.cut(errShutDown) }
