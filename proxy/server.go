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
)

// The defaults of Options.
const (
	DefaultBodyBytes = 32 << 20
	DefaultAttempts  = 2
)

// Options are what a [Server] serves and how. Routes and Upstreams are required.
type Options struct {
	Routes    []Route             // the first one that matches the requested name is used
	Upstreams map[string]Upstream // by name
	Keys      []Key               // of clients; none: no authentication
	Strict    bool                // reject a field that a text model cannot use, instead of dropping it
	BodyBytes int64               // limit of a request's body, uncompressed; 0: 32 MiB
	Timeouts  Timeouts
	Attempts  int              // limit of calls to one model for a request, before its first event; 0: 2
	Ping      time.Duration    // silence in a stream before a ping; 0: 10 s
	Log       zerolog.Logger   // the zero Logger logs nothing
	Metrics   *metrics.Metrics // nil: metrics that nobody else sees
	Observe   []Observe        // the observers of exchanges
	Inspector http.Handler     // served at /inspector/ of the admin listener; nil: none
	Config    string           // a hash of the configuration, for /readyz; "": none

	// ListModels decides which upstreams are asked for their models, by name; those that are missing are.
	ListModels map[string]bool

	// FinishAbandoned reads an upstream's answer to its end after the client has left, so that its tokens are counted.
	// This may use up to a quarter of MaxConcurrent. Without FinishAbandoned, the call is cancelled.
	FinishAbandoned bool

	// A listener without keys rejects requests that a page of another origin sends through a browser. On loopback it
	// also rejects requests for another host: see guard.
	Hosts         []string // the server's names other than loopback: "dragoman.example", "*.example"
	Origins       []string // of pages that may call the client API: "https://app.example"
	Loopback      bool     // clients are on this machine
	AdminLoopback bool     // operators are on this machine

	// MaxConcurrent limits the exchanges in progress, and MaxInflightBytes the total uncompressed length of their
	// bodies. Above a limit, requests get a 529 at once. A single body above MaxInflightBytes is too large. 0 means no
	// limit.
	MaxConcurrent, MaxInflightBytes int64

	// MaxConnectionAge limits the age of a client's connection, give or take a tenth. The first request after that is
	// the last one on its connection; a stream still runs to its end. 0 means no limit. It applies to connections with
	// the context of [WithConnection].
	MaxConnectionAge time.Duration
}

// Server answers clients: see [Server.Handler]. Between requests it remembers only the usage of clients' keys, whether
// upstreams work, and what their models refuse.
type Server struct {
	routes    routes
	upstreams map[string]Upstream
	keys      keyring
	strict    bool
	bodyBytes int64
	timeouts  Timeouts
	maxTries  int
	breakers  map[string]*breaker // keyed by the upstream's name
	refusals  refusals
	lists     map[string]*modelList // keyed by the upstream's name; only upstreams that are asked for a list
	pingAfter time.Duration
	log       zerolog.Logger
	metrics   *metrics.Metrics
	observers []Observe
	inspector http.Handler
	config    string
	finishes  bool // see Options.FinishAbandoned

	clients, operators *guard   // of their listeners; clients: nil if there are keys
	origins            []string // of pages that may call the client API

	maxAge time.Duration // of connections: see isTooOld

	concurrent, inflightBytes gate
	abandoned                 gate // exchanges whose client has left: see callContext

	*shared
}

// New returns a server. It returns an error if there is no route, if a model's upstream is not in Upstreams or lacks a
// tools API that the model needs, if a key is empty, or if two keys have the same secret or the same ID.
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
		return errors.New("there are no models to serve")
	}
	for _, r := range opt.Routes {
		for _, m := range r.UpstreamModels() {
			up := opt.Upstreams[m.Upstream]
			if up == nil {
				return fmt.Errorf("model %q: there is no upstream %q", r.Name, m.Upstream)
			}
			if m.Tools != "" && m.Tools != ToolsXML && !m.MayTakeTools() {
				return fmt.Errorf("model %q: the upstream %q has no tool API", r.Name, m.UpstreamKey())
			}
		}
	}
	return checkKeys(opt.Keys)
}

// newServerWith returns a server that has learnt nothing yet and uses common together with other servers.
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

// shareOfAbandoned returns how many exchanges may continue without their client at the same time; 0: all.
func shareOfAbandoned(mostConcurrent int64) int64 {
	if mostConcurrent == 0 {
		return 0
	}
	return max(1, mostConcurrent/4)
}

// longestBody returns the limit of a request's body, in bytes.
func longestBody(opt Options) int64 {
	longest := cmp.Or(opt.BodyBytes, DefaultBodyBytes)
	if opt.MaxInflightBytes > 0 {
		longest = min(longest, opt.MaxInflightBytes)
	}
	return longest
}

// shared is what a server has in common with its successors: the state of the process, what all exchanges together have
// taken, and everything that depends on no configuration.
type shared struct {
	draining context.Context // ends with Drain
	drain    context.CancelFunc
	base     context.Context // ends with Cut
	cut      context.CancelCauseFunc

	concurrentTaken, bytesTaken, abandonedTaken atomic.Int64 // of the gates

	kept    kept
	advice  once[way]    // models that were offered more tools than advised: see adviseTools
	aliases once[string] // of paths
	unknown once[string] // upstreams that were asked for a model that they do not list: see withOnlyModel
	stuck   stuckCounts
}

func newShared() *shared {
	c := &shared{kept: newKept(), advice: once[way]{most: maxRefusals}, aliases: once[string]{most: maxAliases}, unknown: once[string]{most: maxAliases}}
	c.draining, c.drain = context.WithCancel(context.Background())
	c.base, c.cut = context.WithCancelCause(context.Background())
	return c
}

// Successor returns a server that replaces s for new requests; s still answers the requests in progress. stays reports
// whether the upstream of this name is the same as in s. The successor then keeps what s knows about the upstream. It
// also keeps the usage of keys that stay, and what all requests together have taken from the limits. [Server.Drain] and
// [Server.Cut] of either server affect both. The errors are those of [New]; after an error, nothing has changed.
func (s *Server) Successor(opt Options, stays func(upstream string) bool) (*Server, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	next := newServerWith(opt, s.shared)
	next.learn(opt, s, stays)
	return next, nil
}

// learn gives a new server what its predecessor, if any, knows about keys and about upstreams that stay. It also limits
// the labels of the metrics to the new options.
func (s *Server) learn(opt Options, before *Server, stays func(upstream string) bool) {
	models, upstreams := map[string]bool{}, map[string]bool{}
	s.breakers, s.refusals, s.lists = map[string]*breaker{}, refusals{}, s.newModelLists(opt.ListModels)
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

// Drain makes /readyz answer 503 from now on, so that load balancers send no new clients. The server still answers
// requests, but a body must arrive within seconds, and each answer is the last on its connection.
func (s *Server) Drain() { s.drain() }

// Draining reports whether Drain has been called.
func (s *Server) Draining() bool { return s.draining.Err() != nil }

// Base returns a context for [http.Server.BaseContext]. Cut ends the requests that are served in it.
func (s *Server) Base() context.Context { return s.base }

// Cut ends all exchanges. Their clients get an error that says that the server is shutting down.
func (s *Server) Cut() { s.cut(errShutDown) }

// kept caches tools and schemas for requests that send the same ones again. It never changes an answer. The zero value
// keeps nothing.
type kept struct {
	tools  *translate.Memo
	checks *check.Schemas
	faults *check.Faults
}

// of returns the cache for one key's requests.
func (k kept) of(key *heldKey) kept {
	if key == nil {
		return k
	}
	return kept{k.tools.Of(key.ID()), k.checks.Of(key.ID()), k.faults.Of(key.ID())}
}

func newKept() kept { return kept{translate.NewMemo(), check.NewSchemas(), check.NewFaults()} }

// Gather returns the metrics, as in /metrics of the admin listener.
func (s *Server) Gather() ([]*dto.MetricFamily, error) {
	s.measureUpstreams()
	return s.metrics.Gather()
}
