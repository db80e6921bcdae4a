// Package metrics counts exchanges for Prometheus. Every exchange becomes one flat
// [Exchange], and [Metrics.Observe] is the only place that counts it.
//
// The values of all labels are bounded: by the configuration, or by a set in labels.go.
// What is in neither is counted as "other".
package metrics

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// Metrics holds the vectors of one server, in a registry of its own.
type Metrics struct {
	// Inflight counts the requests that are being answered, and OpenStreams those of them
	// whose stream has begun. They change during an exchange, so package proxy sets them.
	// MaxConcurrent is the limit of Inflight, 0 for none.
	Inflight, OpenStreams, MaxConcurrent prometheus.Gauge
	// InflightBodyBytes is how long the bodies of those requests are, unpacked. Overload counts
	// what a gate refused, by the gate.
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

	credentialExpiry, credentialsOK, circuitOpen *prometheus.GaugeVec // by the name of the upstream

	configLoaded, configTime prometheus.Gauge
	config                   *prometheus.GaugeVec

	bounds sync.RWMutex // held while series are ended, and shared by whoever makes some
	labels Labels

	registry *prometheus.Registry
}

// Labels are the values of labels that the configuration bounds: the ids of the keys of clients, the
// names of models as the routes have them, and those of upstreams.
type Labels struct{ Keys, Models, Upstreams map[string]bool }

// Buckets, in seconds. The answer of a model takes up to an hour, the default of
// timeouts.total; the proxy's own work takes microseconds.
var (
	answerBuckets   = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 3600}
	overheadBuckets = []float64{10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3, .25, 1}
)

// New returns the metrics of a server of the given version. All metrics are registered at
// once, also those that stay empty in some configurations.
func New(version string) *Metrics {
	exchange := []string{"dialect", "model", "upstream", "stream", "status_class"}
	attempt := []string{"upstream", "error_type"}
	r := registrar{prometheus.NewRegistry()}
	m := &Metrics{
		Inflight:         r.gauge("inflight_requests", "Requests that are being answered."),
		OpenStreams:      r.gauge("open_streams", "Streams that have begun and not ended."),
		MaxConcurrent:    r.gauge("max_concurrent", "The most requests that are answered at once; 0 is no limit."),
		credentialExpiry: r.gauges("credential_expiry_timestamp_seconds", "When the credentials of an upstream end, in Unix time.", "upstream"),
		credentialsOK:    r.gauges("upstream_credentials_ok", "0 if the proxy's own credentials are missing or were refused, until a call succeeds; else 1.", "upstream"),
		circuitOpen:      r.gauges("circuit_open", "Models that are left alone because their calls failed, and 1 more while the upstream cannot be reached.", "upstream"),
		configLoaded:     r.gauge("config_last_reload_success", "1 if the configuration that was read last serves, 0 if it was refused."),
		configTime:       r.gauge("config_last_reload_timestamp_seconds", "Since when the configuration serves, in Unix time."),
		config:           r.gauges("config_info", "1, labelled with the hash of the configuration that serves.", "hash"),

		InflightBodyBytes: r.gauge("inflight_body_bytes", "Bytes of the bodies of the requests that are being answered, unpacked."),
		Overload:          r.counters("overload_total", "Requests and connections that were refused because there were too many, by the gate.", "gate"),

		requests:          r.counters("requests_total", "Exchanges that have ended.", exchange...),
		duration:          r.histograms("request_duration_seconds", "Time from a request to the end of its answer.", answerBuckets, exchange...),
		firstEvent:        r.histograms("time_to_first_event_seconds", "Time from a request to the first event of its answer.", answerBuckets, exchange...),
		overhead:          r.histograms("overhead_seconds", "Own work for one exchange, by stage. Parsing includes the encoding of a stream's events.", overheadBuckets, "stage"),
		attempts:          r.counters("upstream_attempts_total", "Calls of an upstream, by what they failed with, if they did.", attempt...),
		upstreamErrors:    r.counters("upstream_errors_total", "Calls of an upstream that failed.", attempt...),
		fallbacks:         r.counters("fallbacks_total", "Calls of an upstream in place of one that failed, by what it failed with.", attempt...),
		streamsTerminated: r.counters("stream_terminations_total", "Streams that have ended, by how.", "outcome"),
		constraints:       r.counters("constraints_total", "Answers that a server was to hold to a constraint, by what came of it.", "model", "result"),
		toolCalls:         r.counters("tool_calls_total", "Attempts of a model to call a tool, by how they could be read and why not as they should be.", "model", "outcome", "reason"),
		droppedFields:     r.counters("dropped_fields_total", "Requests from which a field was left out, by its name.", "field"),
		unknownStops:      r.counters("unknown_stop_reasons_total", "Answers that ended for a reason that is not known.", "upstream"),
		tokens:            r.counters("tokens_total", "Tokens as the upstreams count them.", "model", "type"),
		keyRequests:       r.counters("key_requests_total", "Exchanges that have ended, by the key of the client.", "key_id", "status_class"),
		keyTokens:         r.counters("key_tokens_total", "Tokens as the upstreams count them, by the key of the client.", "key_id", "type"),
		panics:            r.counter("panics_total", "Exchanges that a programming error ended."),

		registry: r.Registry,
	}
	r.gauges("build_info", "1, labelled with the version.", "version").WithLabelValues(version).Set(1)
	for _, gate := range []string{GateConcurrent, GateBytes, GateConnections} {
		m.Overload.WithLabelValues(gate) // from 0 on: the first that is refused is an increase, too
	}
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers with all metrics in the exposition format that the scraper asks for.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Gather returns all metrics, for other forms than that of Handler.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) { return m.registry.Gather() }

// The gates that refuse what is too much: values of a label.
const (
	GateConcurrent  = "concurrent"
	GateBytes       = "bytes"
	GateConnections = "connections"
)

const namespace = "dragoman"

// registrar makes metrics and registers them. A name that is used twice panics.
type registrar struct{ *prometheus.Registry }

func (r registrar) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	r.MustRegister(g)
	return g
}

func (r registrar) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	r.MustRegister(g)
	return g
}

func (r registrar) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	r.MustRegister(c)
	return c
}

func (r registrar) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	r.MustRegister(c)
	return c
}

func (r registrar) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	r.MustRegister(h)
	return h
}
