// Package metrics counts exchanges for Prometheus. The proxy records each exchange in one flat [Exchange], and
// [Metrics.Observe] is the only place that counts it.
//
// All label values are bounded, by the configuration or by a set in labels.go. Any other value counts as "other".
package metrics

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// Metrics holds the metrics of one server, in a registry of its own.
type Metrics struct {
	// Inflight counts the requests in progress. OpenStreams counts those whose stream has begun. Both change during an
	// exchange, so package proxy sets them. MaxConcurrent is the limit of Inflight; 0 means no limit.
	Inflight, OpenStreams, MaxConcurrent prometheus.Gauge
	// InflightBodyBytes is the total length of the uncompressed bodies of these requests. Overload counts rejected
	// requests and connections, by the gate that rejected them.
	InflightBodyBytes prometheus.Gauge
	Overload          *prometheus.CounterVec

	requests          *prometheus.CounterVec
	duration          *prometheus.HistogramVec
	firstEvent        *prometheus.HistogramVec
	overhead          *prometheus.HistogramVec
	attempts          *prometheus.CounterVec
	upstreamErrors    *prometheus.CounterVec
	fallbacks         *prometheus.CounterVec
	streamsTerminated *prometheus.CounterVec
	toolCalls         *prometheus.CounterVec
	constraints       *prometheus.CounterVec
	droppedFields     *prometheus.CounterVec
	unknownStops      *prometheus.CounterVec
	tokens            *prometheus.CounterVec
	keyRequests       *prometheus.CounterVec
	keyTokens         *prometheus.CounterVec
	panics            prometheus.Counter

	credentialExpiry, credentialsOK, circuitOpen *prometheus.GaugeVec // labelled with the upstream's name

	configLoaded, configTime prometheus.Gauge
	config                   *prometheus.GaugeVec

	bounds sync.RWMutex // write-locked while series are deleted, read-locked while series are created
	labels Labels

	registry *prometheus.Registry
}

// Labels are the label values that the configuration allows: ids of client keys, names of models as in the routes, and
// names of upstreams.
type Labels struct{ Keys, Models, Upstreams map[string]bool }

// Buckets, in seconds. A model may answer for an hour, the default of timeouts.total. The proxy's own work takes
// microseconds.
var (
	answerBuckets   = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 3600}
	overheadBuckets = []float64{10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3, .25, 1}
)

// New returns the metrics of a server of the given version. It registers all metrics, even if this configuration never
// uses some of them.
func New(version string) *Metrics {
	exchange := []string{"dialect", "model", "upstream", "stream", "status_class"}
	attempt := []string{"upstream", "error_type"}
	registry := prometheus.NewRegistry()
	r := registrar{promauto.With(registry)}
	m := &Metrics{
		Inflight:         r.gauge("inflight_requests", "Requests in progress."),
		OpenStreams:      r.gauge("open_streams", "Streams that have begun and not ended."),
		MaxConcurrent:    r.gauge("max_concurrent", "Limit of requests in progress; 0 means no limit."),
		credentialExpiry: r.gauges("credential_expiry_timestamp_seconds", "Unix time at which the upstream's credentials expire.", "upstream"),
		credentialsOK:    r.gauges("upstream_credentials_ok", "0 after the upstream rejected Dragoman's credentials or there were none, until a call succeeds; else 1.", "upstream"),
		circuitOpen:      r.gauges("circuit_open", "Models that Dragoman does not call because calls failed, plus 1 while the upstream is unreachable.", "upstream"),
		configLoaded:     r.gauge("config_last_reload_success", "1 if the latest configuration serves, 0 if Dragoman rejected it."),
		configTime:       r.gauge("config_last_reload_timestamp_seconds", "Unix time at which the current configuration began to serve."),
		config:           r.gauges("config_info", "Always 1, labelled with the hash of the current configuration.", "hash"),

		InflightBodyBytes: r.gauge("inflight_body_bytes", "Uncompressed length of the bodies of the requests in progress."),
		Overload:          r.counters("overload_total", "Requests and connections rejected because of a limit, by the gate that rejected them.", "gate"),

		requests:          r.counters("requests_total", "Finished exchanges.", exchange...),
		duration:          r.histograms("request_duration_seconds", "Time from a request to the end of its answer.", answerBuckets, exchange...),
		firstEvent:        r.histograms("time_to_first_event_seconds", "Time from a request to the first event of its answer.", answerBuckets, exchange...),
		overhead:          r.histograms("overhead_seconds", "Dragoman's own work for one exchange, by stage. The parse stage includes encoding the events of a stream.", overheadBuckets, "stage"),
		attempts:          r.counters("upstream_attempts_total", "Calls to upstreams, by error_type: \"none\" if the call succeeded.", attempt...),
		upstreamErrors:    r.counters("upstream_errors_total", "Failed calls to upstreams.", attempt...),
		fallbacks:         r.counters("fallbacks_total", "Calls to a fallback upstream, by the error of the call that it replaces.", attempt...),
		streamsTerminated: r.counters("stream_terminations_total", "Finished streams, by how they ended.", "outcome"),
		constraints:       r.counters("constraints_total", "Answers that a server had to constrain, by result.", "model", "result"),
		toolCalls:         r.counters("tool_calls_total", "Tool calls that models attempted, by how Dragoman read them and why not cleanly.", "model", "outcome", "reason"),
		droppedFields:     r.counters("dropped_fields_total", "Requests with a field that Dragoman dropped or could not enforce, by field.", "field"),
		unknownStops:      r.counters("unknown_stop_reasons_total", "Answers with a stop reason that Dragoman does not know.", "upstream"),
		tokens:            r.counters("tokens_total", "Tokens, as counted by the upstreams.", "model", "type"),
		keyRequests:       r.counters("key_requests_total", "Finished exchanges, by the client's key.", "key_id", "status_class"),
		keyTokens:         r.counters("key_tokens_total", "Tokens, as counted by the upstreams, by the client's key.", "key_id", "type"),
		panics:            r.counter("panics_total", "Exchanges that a bug in Dragoman ended (a panic)."),

		registry: registry,
	}
	r.gauges("build_info", "Always 1, labelled with the version.", "version").WithLabelValues(version).Set(1)
	for _, gate := range []string{GateConcurrent, GateBytes, GateConnections} {
		m.Overload.WithLabelValues(gate) // start at 0, so that the first rejection is an increase, too
	}
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves all metrics in the exposition format that the scraper asks for.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Gather returns all metrics, for exporters other than Handler.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) { return m.registry.Gather() }

// The gates that reject load above a limit. These are values of a label.
const (
	GateConcurrent  = "concurrent"
	GateBytes       = "bytes"
	GateConnections = "connections"
)

const namespace = "dragoman"

// registrar creates metrics and registers them. A duplicate name panics.
type registrar struct{ promauto.Factory }

func (r registrar) gauge(name, help string) prometheus.Gauge {
	return r.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
}

func (r registrar) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return r.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func (r registrar) counter(name, help string) prometheus.Counter {
	return r.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func (r registrar) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return r.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func (r registrar) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return r.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}
