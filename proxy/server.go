package proxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/rs/zerolog"

	"dragoman/metrics"
	"dragoman/proxy/check"
	"dragoman/translate"
	"dragoman/upstream"
)

// What counts where Options says nothing.
const (
	DefaultBodyBytes = 32 << 20
	DefaultAttempts  = 2
)

// Options says what a [Server] serves and how. Routes and Upstreams are needed.
type Options struct {
	Routes    []Route             // the first that matches the name in a request counts
	Upstreams map[string]Upstream // by name
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
	Config    string           // stands for the configuration at /readyz; "" for nothing

	// Unlisted are the upstreams that are not asked which models they have, by their names.
	Unlisted map[string]bool

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

	// MaxConnectionAge is how old a client's connection may be, give or take a tenth. The answer to the
	// first request after that ends the connection, in good order: a stream goes on to its end. 0 is no
	// limit. It holds for connections with the context of [WithConnection].
	MaxConnectionAge time.Duration
}

// Server answers clients: [Server.Handler]. From one request to the next it keeps of the
// clients only what they have taken of their keys, and besides whether upstreams work and
// what their models refuse.
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
	lists     map[string]*modelList // by the name of the upstream; of those that are asked for one
	pingAfter time.Duration
	log       zerolog.Logger
	metrics   *metrics.Metrics
	observers []Observe
	inspector http.Handler
	config    string
	finishes  bool // see Options.FinishAbandoned

	clients, operators *guard   // of their listeners; that of clients where there are no keys
	origins            []string // of pages that may call the API of clients

	maxAge time.Duration // of connections: see isTooOld

	concurrent, inflightBytes gate
	abandoned                 gate // exchanges whose client has left: see callContext

	*shared
}

// New returns a server. It is an error if there is no route, if a model names an upstream
// that is not in Upstreams or has no tool API although the model needs one, if a key is empty,
// or if two keys have the same secret or the same ID.
func New(opt Options) (*Server, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	s := newServerWith(opt, newShared())
	s.learn(opt, nil, nil)
	return s, nil
}

// check returns the error of [New].
func (opt Options) check() error {
	if len(opt.Routes) == 0 {
		return errors.New("no models: nothing could be served")
	}
	for _, r := range opt.Routes {
		for _, m := range r.UpstreamModels() {
			up := opt.Upstreams[m.Upstream]
			if up == nil {
				return fmt.Errorf("model %q: there is no upstream %q", r.Name, m.Upstream)
			}
			if m.Tools != "" && m.Tools != ToolsXML && !hasToolAPI(up, upstream.Model{Wire: m.Wire}) {
				return fmt.Errorf("model %q: the upstream %q has no tool API", r.Name, m.UpstreamKey())
			}
		}
	}
	return checkKeys(opt.Keys)
}

// hasToolAPI reports whether a model of the upstream can be given tools over a tool API.
func hasToolAPI(up Upstream, m upstream.Model) bool { return up.Passes(m) || up.TakesTools(m) }

// newServerWith returns a server that has learnt nothing, and has this in common with others.
func newServerWith(opt Options, common *shared) *Server {
	s := &Server{
		routes:    opt.Routes,
		upstreams: opt.Upstreams,
		clients:   newGuard(opt.Loopback, opt.Hosts, opt.Origins),
		operators: newGuard(opt.AdminLoopback, opt.Hosts, nil),
		origins:   opt.Origins,
		strict:    opt.Strict,
		bodyBytes: longestBody(opt),
		timeouts:  opt.Timeouts.withDefaults(),
		maxTries:  cmp.Or(opt.Attempts, DefaultAttempts),
		pingAfter: cmp.Or(opt.Ping, 10*time.Second),
		finishes:  opt.FinishAbandoned,
		log:       opt.Log,
		metrics:   opt.Metrics,
		observers: opt.Observe,
		inspector: opt.Inspector,
		config:    opt.Config,
		maxAge:    opt.MaxConnectionAge,

		concurrent:    gate{opt.MaxConcurrent, &common.concurrentTaken},
		inflightBytes: gate{opt.MaxInflightBytes, &common.bytesTaken},
		abandoned:     gate{shareOfAbandoned(opt.MaxConcurrent), &common.abandonedTaken},
		shared:        common,
	}
	if s.metrics == nil {
		s.metrics = metrics.New("")
	}
	return s
}

// shareOfAbandoned returns how many exchanges at once may go on without their client; 0 for all.
func shareOfAbandoned(mostConcurrent int64) int64 {
	if mostConcurrent == 0 {
		return 0
	}
	return max(1, mostConcurrent/4)
}

// longestBody returns the most bytes that the body of a request may have.
func longestBody(opt Options) int64 {
	longest := cmp.Or(opt.BodyBytes, DefaultBodyBytes)
	if opt.MaxInflightBytes > 0 {
		longest = min(longest, opt.MaxInflightBytes)
	}
	return longest
}

// shared is what a server has in common with those that take its place: what becomes of the process,
// what all exchanges together have taken, and what depends on no configuration.
type shared struct {
	draining context.Context // ends with Drain
	drain    context.CancelFunc
	base     context.Context // ends with Cut
	cut      context.CancelCauseFunc

	concurrentTaken, bytesTaken, abandonedTaken atomic.Int64 // of the gates

	kept    kept
	advice  once[way]    // models that were asked with more tools than is advised: see adviseTools
	aliases once[string] // of paths
}

func newShared() *shared {
	c := &shared{kept: newKept(), advice: once[way]{most: maxRefusals}, aliases: once[string]{most: maxAliases}}
	c.draining, c.drain = context.WithCancel(context.Background())
	c.base, c.cut = context.WithCancelCause(context.Background())
	return c
}

// Successor returns a server that is to take the place of s for new requests; those that s is
// answering go on as they began. stays reports whether an upstream is the one that s has under this
// name: what is known of it goes on to count. So does what clients have taken of a key that stays,
// and what all requests together have taken of the limits. [Server.Drain] and [Server.Cut] of either
// server are for both. The errors are those of [New]; then nothing has changed.
func (s *Server) Successor(opt Options, stays func(upstream string) bool) (*Server, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	next := newServerWith(opt, s.shared)
	next.learn(opt, s, stays)
	return next, nil
}

// learn gives a new server what the one before it, if there is one, knows of upstreams that stay and
// of keys, and bounds the labels of the metrics by its options.
func (s *Server) learn(opt Options, before *Server, stays func(upstream string) bool) {
	models, upstreams := map[string]bool{}, map[string]bool{}
	s.breakers, s.refusals, s.lists = map[string]*breaker{}, refusals{}, s.newModelLists(opt.Unlisted)
	for _, r := range opt.Routes {
		models[r.Name] = true
		for _, m := range r.UpstreamModels() {
			upstreams[m.Upstream] = true
		}
	}
	for name := range upstreams {
		s.breakers[name], s.refusals[name] = newBreaker(), new(upstreamRefusals)
		if before == nil || before.breakers[name] == nil || !stays(name) {
			continue
		}
		s.breakers[name], s.refusals[name] = before.breakers[name], before.refusals[name]
		if s.lists[name] != nil && before.lists[name] != nil {
			s.lists[name] = before.lists[name]
		}
	}
	held := map[[sha256.Size]byte]*heldKey{}
	if before != nil {
		for _, k := range before.keys {
			held[k.Sum] = k
		}
	}
	ids := map[string]bool{}
	for _, k := range opt.Keys {
		s.keys, ids[k.ID()] = append(s.keys, held[k.Sum].as(k)), true
	}
	s.metrics.MaxConcurrent.Set(float64(opt.MaxConcurrent))
	s.metrics.SetLabels(metrics.Labels{Keys: ids, Models: models, Upstreams: upstreams})
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

// kept is what a server keeps of tools and schemas for the requests that send the same again. None of
// it changes an answer. The zero value keeps nothing.
type kept struct {
	tools  *translate.Memo
	checks *check.Schemas
	faults *check.Faults
}

// of returns what is kept of one key's requests.
func (k kept) of(key *heldKey) kept {
	if key == nil {
		return k
	}
	return kept{k.tools.Of(key.ID()), k.checks.Of(key.ID()), k.faults.Of(key.ID())}
}

func newKept() kept { return kept{translate.NewMemo(), check.NewSchemas(), check.NewFaults()} }

// Gather returns the metrics as /metrics of the admin listener has them.
func (s *Server) Gather() ([]*dto.MetricFamily, error) {
	s.measureUpstreams()
	return s.metrics.Gather()
}
