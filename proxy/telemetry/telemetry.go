package telemetry

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"dragoman/proxy"
)

// Telemetry exports traces and metrics to collectors, from Start to Close.
type Telemetry struct {
	cfg         *Config
	generation  *generation
	version     string
	resource    []attribute
	queue       *queue       // nil without traces
	instruments *instruments // nil without metrics

	traces, metrics *exporter
	began           time.Time
	closing         chan struct{}
	cancel          context.CancelFunc // of exports
	running         sync.WaitGroup
}

// complainEvery is how often the log says that telemetry is lost.
const complainEvery = time.Minute

// New returns the telemetry that a configuration asks for, of a program of this version. It exports
// nothing before Start.
func New(cfg *Config, version string, log zerolog.Logger) *Telemetry {
	t := &Telemetry{cfg: cfg, generation: &generationA, version: version, resource: cfg.resource(version), began: time.Now(), closing: make(chan struct{})}
	if cfg.Latest {
		t.generation = &generationB
	}
	if cfg.Traces.On() {
		lost := &complaints{log: log, what: "traces", every: complainEvery}
		t.traces = newExporter(cfg.Traces, lost)
		t.queue = &queue{
			mostSpans: cfg.Queue, batch: cfg.Batch, delay: cfg.Delay, ready: make(chan struct{}, 1),
			export: func(ctx context.Context, spans []*span) {
				if n := t.queue.overflowed(); n > 0 {
					lost.lost(n, "the queue is full")
				}
				t.traces.export(ctx, encodeSpans(t.resource, version, spans), len(spans))
			},
		}
	}
	if cfg.Metrics.On() {
		t.metrics = newExporter(cfg.Metrics, &complaints{log: log, what: "metrics", every: complainEvery})
		t.instruments = newInstruments(t.generation)
	}
	return t
}

// Serve says which routes answer from now on: their models alone have series of their own.
func (t *Telemetry) Serve(routes []proxy.Route) {
	if t.instruments != nil {
		t.instruments.bound(routes)
	}
}

// Start begins to export. What these registries hold is exported with our own metrics.
func (t *Telemetry) Start(registries ...prometheus.Gatherer) {
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(context.Background())
	if t.queue != nil {
		t.running.Go(func() { t.queue.run(ctx, t.closing) })
	}
	if t.metrics != nil {
		t.running.Go(func() { t.exportMetrics(ctx, registries) })
	}
}

// exportMetrics exports all metrics now and then, and once more at the end.
func (t *Telemetry) exportMetrics(ctx context.Context, registries []prometheus.Gatherer) {
	tick := time.NewTicker(t.cfg.Interval)
	defer tick.Stop()
	for open := true; open; {
		select {
		case <-tick.C:
		case <-t.closing:
			open = false
		}
		families, err := t.instruments.gather(registries...)
		if err != nil {
			t.metrics.log.lost(1, "a metric cannot be gathered")
		}
		t.metrics.export(ctx, encodeMetrics(t.resource, t.version, families, t.began, time.Now()), len(families))
	}
}

// Close exports what is left, until ctx ends. It is called once, after Start and when no exchange is
// open any more.
func (t *Telemetry) Close(ctx context.Context) {
	stop := context.AfterFunc(ctx, t.cancel)
	defer stop()
	close(t.closing)
	t.running.Wait()
	t.cancel()
	for _, e := range []*exporter{t.traces, t.metrics} {
		if e != nil {
			e.client.CloseIdleConnections()
		}
	}
}

// clip returns a text that others chose as it may stand in an attribute: 256 bytes of it, without
// control characters.
func clip(s string) string {
	const longest = 256
	return strings.Clone(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, valid(s[:min(len(s), longest)]))) // it may be a piece of a body
}

// valid returns a text without what is not UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "") }

// id returns a header's value, if it looks like an id: of a session, say.
func id(h http.Header, name string) string {
	value := h.Get(name)
	if len(value) > 128 || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'<>\`, r) }) {
		return ""
	}
	return value
}
