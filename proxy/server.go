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
	"iter"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Upstream is a way to reach models; see package upstream. Invoke asks one of its
// models. The sequence is lazy; its one error comes
// last; when ctx ends, so does the sequence, with ctx's cause; leaving the range
// cancels the call and releases all it held.
type Upstream interface {
	Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error]
}

// NativeUpstream is an upstream whose models may have a tool API of their own,
// that of the Messages API. Pass is to such models what Invoke is to others; the
// events have a Raw, valid until the next event.
type NativeUpstream interface {
	Upstream
	Passes(m upstream.Model) bool // whether the model is asked over the Messages API
	Pass(ctx context.Context, m upstream.Model, n upstream.Native) iter.Seq2[messages.Event, error]
	CountNative(ctx context.Context, m upstream.Model, n upstream.Native) (tokens int, err error)
}

// Counter is an upstream that counts the tokens of a prompt.
type Counter interface {
	Count(ctx context.Context, m upstream.Model, p *translate.Prompt) (tokens int, err error)
}

// Timeouts bound the parts of an exchange. A zero takes the default.
type Timeouts struct {
	FirstByte  time.Duration // from asking the upstream until it accepts; 10 min
	Idle       time.Duration // between two chunks of the upstream; 5 min
	Total      time.Duration // from asking the upstream until the end; 60 min
	WriteStall time.Duration // for the client to take what was written; 60 s
}

// Options says what a [Server] serves and how.
type Options struct {
	Models    []Model             // first match wins
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
	models    []Model
	upstreams map[string]Upstream
	keys      []key
	strict    bool
	bodyBytes int64
	timeouts  Timeouts
	attempts  int
	gates     map[string]*gate // by the name of the upstream
	lessons   lessons
	ping      time.Duration
	log       zerolog.Logger
	metrics   *metrics.Metrics
	draining  context.Context // ends with Drain
	drain     context.CancelFunc
}

// New returns a server. It is an error if no model or a model without an
// upstream is configured.
func New(opt Options) (*Server, error) {
	if len(opt.Models) == 0 {
		return nil, errors.New("no models: nothing could be served")
	}
	gates := map[string]*gate{}
	for _, m := range opt.Models {
		for _, w := range m.Ways() {
			if opt.Upstreams[w.Via()] == nil {
				return nil, fmt.Errorf("model %q: there is no upstream %q", m.Name, w.Via())
			}
			if _, ok := opt.Upstreams[w.Via()].(NativeUpstream); !ok && w.Tools != "" && w.Tools != ToolsXML {
				return nil, fmt.Errorf("model %q: the upstream %q has no tool API", m.Name, w.Via())
			}
			gates[w.Upstream] = newGate()
		}
	}
	s := &Server{
		models:    opt.Models,
		upstreams: opt.Upstreams,
		strict:    opt.Strict,
		bodyBytes: cmp.Or(opt.BodyBytes, 32<<20),
		timeouts: Timeouts{
			FirstByte:  cmp.Or(opt.Timeouts.FirstByte, 10*time.Minute),
			Idle:       cmp.Or(opt.Timeouts.Idle, 5*time.Minute),
			Total:      cmp.Or(opt.Timeouts.Total, time.Hour),
			WriteStall: cmp.Or(opt.Timeouts.WriteStall, time.Minute),
		},
		attempts: cmp.Or(opt.Attempts, 2),
		gates:    gates,
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

// serve answers requests in a dialect: whatever becomes of one, it is
// authenticated, counted and logged, and a panic stays in it.
func (s *Server) serve(d *dialect, answer func(*exchange) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.metrics.Inflight.Inc()
		defer s.metrics.Inflight.Dec()
		x := s.begin(d, w, r)
		err := x.contain(func() error {
			if err := x.authenticate(); err != nil {
				return err
			}
			return answer(x)
		})
		if err != nil {
			x.fail(err)
		}
		x.end()
	}
}
