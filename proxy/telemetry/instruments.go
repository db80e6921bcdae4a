package telemetry

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"dragoman/proxy"
)

// mostModels limits the names of models that clients can choose through a wildcard: the first ones that answer get
// their own label, and later ones are _OTHER.
const mostModels = 100

// instruments are the metrics of one generation, in a registry of their own.
type instruments struct {
	registry   *prometheus.Registry
	generation *generation
	histograms map[*instrument]*prometheus.HistogramVec
	counters   map[*instrument]*prometheus.CounterVec
	vectors    []*prometheus.MetricVec // all of these
	units      map[string]string

	bounds sync.RWMutex // write-locked while series are deleted, read-locked while series are created
	named  map[string]bool
	many   []proxy.Route // entries with a wildcard

	mu     sync.Mutex
	models map[string]string // models under wildcards that have answered
}

func newInstruments(g *generation) *instruments {
	is := &instruments{
		registry:   prometheus.NewRegistry(),
		generation: g,
		histograms: map[*instrument]*prometheus.HistogramVec{},
		counters:   map[*instrument]*prometheus.CounterVec{},
		units:      map[string]string{},
		models:     map[string]string{},
	}
	for _, i := range g.instruments() {
		labels := base
		if i.more != "" {
			labels = append(base[:len(base):len(base)], i.more)
		}
		switch i.kind {
		case histogram:
			v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: i.name, Help: i.help, Buckets: i.buckets}, labels)
			is.registry.MustRegister(v)
			is.histograms[i], is.vectors = v, append(is.vectors, v.MetricVec)
		case counter:
			v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: i.name, Help: i.help}, labels)
			is.registry.MustRegister(v)
			is.counters[i], is.vectors = v, append(is.vectors, v.MetricVec)
		}
		is.units[i.name] = i.unit
	}
	return is
}

// bound replaces the models that labels may have. The series of removed models end, and their remaining answers count
// as _OTHER, so that repeated reloads do not pile up series.
func (is *instruments) bound(routes []proxy.Route) {
	is.bounds.Lock()
	defer is.bounds.Unlock()
	before := is.named
	is.named, is.many = map[string]bool{}, nil
	for _, r := range routes {
		for _, m := range r.UpstreamModels() {
			if m.Model == "" && strings.Contains(r.Name, "*") {
				is.many = append(is.many, r)
			} else {
				is.named[m.For(r.Name).Model] = true
			}
		}
	}
	is.mu.Lock()
	defer is.mu.Unlock()
	for name := range is.models {
		before[name] = true
	}
	for name := range before {
		if is.named[name] || is.isOneOfMany(name) {
			continue
		}
		delete(is.models, name)
		for _, v := range is.vectors {
			v.DeletePartialMatch(prometheus.Labels{attrRequestModel: name})
		}
	}
}

// isOneOfMany reports whether a wildcard entry matches the name.
func (is *instruments) isOneOfMany(name string) bool {
	return slices.ContainsFunc(is.many, func(r proxy.Route) bool { return r.Matches(name) })
}

// model returns the name of a model as a label value. fixed: the configuration names the model, or did so when it was
// asked. answered: the model has answered. The caller holds the read lock of bounds.
func (is *instruments) model(name string, fixed, answered bool) string {
	if fixed && is.named[name] {
		return name
	}
	is.mu.Lock()
	defer is.mu.Unlock()
	if is.models[name] == "" && answered && len(is.models) < mostModels && is.isOneOfMany(name) {
		name = strings.Clone(name) // the name may be a slice of a whole body
		is.models[name] = name
	}
	return cmp.Or(is.models[name], other)
}

// observe adds a value to a histogram, if the generation has it.
func (is *instruments) observe(i *instrument, labels []string, more string, value float64) {
	if v := is.histograms[i]; v != nil {
		if i.more != "" {
			labels = append(labels[:len(labels):len(labels)], more)
		}
		v.WithLabelValues(labels...).Observe(value)
	}
}

// add adds to a total of tokens, if the generation has it. No upstream reports the modality of tokens.
func (is *instruments) add(i *instrument, labels []string, tokens int) {
	if v := is.counters[i]; v != nil {
		v.WithLabelValues(append(labels[:len(labels):len(labels)], "unknown")...).Add(float64(tokens))
	}
}

// labels returns the values of base for a call. answered: its model has answered. The caller holds the read lock of
// bounds.
func (is *instruments) labels(c *trackedCall, answered bool) []string {
	labels := []string{operation, c.provider, is.model(c.model.Model, c.fixed, answered), "", ""}
	if s := c.server.Load(); s != nil {
		labels[3], labels[4] = s.address, strconv.Itoa(s.port)
	}
	return labels
}

// perChunk returns the observer of the time between pieces, for a call whose answer has begun.
func (is *instruments) perChunk(c *trackedCall) prometheus.Observer {
	is.bounds.RLock()
	defer is.bounds.RUnlock()
	return is.histograms[&is.generation.perChunk].WithLabelValues(is.labels(c, true)...)
}

// record counts a finished call.
func (is *instruments) record(c *trackedCall) {
	is.bounds.RLock()
	defer is.bounds.RUnlock()
	g, labels := is.generation, is.labels(c, c.errorType == "")
	is.observe(&g.duration, labels, c.errorType, c.end.Sub(c.start).Seconds())
	if c.streams && !c.first.IsZero() {
		is.observe(&g.firstChunk, labels, "", c.first.Sub(c.start).Seconds())
	}
	input, output := c.inputTokens(), c.usage.OutputTokens
	if input > 0 {
		is.observe(&g.tokens, labels, "input", float64(input))
	}
	if output > 0 {
		is.observe(&g.tokens, labels, "output", float64(output))
	}
	is.observe(&g.inputPerCall, labels, c.errorType, float64(input))
	is.observe(&g.outputPerCall, labels, c.errorType, float64(output))
	is.add(&g.inputTokens, labels, input)
	is.add(&g.outputTokens, labels, output)
	is.add(&g.cacheReadTokens, labels, c.usage.CacheReadInputTokens)
	is.add(&g.cacheWriteTokens, labels, c.usage.CacheCreationInputTokens)
}

// producer returns the producer of our metrics and of others' metrics.
func (is *instruments) producer(version string, others ...prometheus.Gatherer) metric.Producer {
	gather := append(prometheus.Gatherers{is.registry}, others...)
	return &producer{bridge.NewMetricProducer(bridge.WithGatherer(gather)), is.units, version}
}

// producer is the SDK's bridge to Prometheus, with additions that Prometheus has no place for.
type producer struct {
	metric.Producer
	units   map[string]string
	version string
}

func (p *producer) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	scopes, err := p.Producer.Produce(ctx)
	for i := range scopes {
		scopes[i].Scope = instrumentation.Scope{Name: scopeName, Version: p.version}
		// The exporter for Prometheus fails on a summary, and exports nothing at all. Go's collector has one, of
		// pauses, and also has pauses as histograms.
		scopes[i].Metrics = slices.DeleteFunc(scopes[i].Metrics, func(m metricdata.Metrics) bool {
			_, isSummary := m.Data.(metricdata.Summary)
			return isSummary
		})
		for j := range scopes[i].Metrics {
			m := &scopes[i].Metrics[j]
			m.Unit = p.units[m.Name]
			switch data := m.Data.(type) {
			case metricdata.Sum[float64]:
				for k := range data.DataPoints {
					typed(&data.DataPoints[k].Attributes)
				}
			case metricdata.Gauge[float64]:
				for k := range data.DataPoints {
					typed(&data.DataPoints[k].Attributes)
				}
			case metricdata.Histogram[float64]:
				for k := range data.DataPoints {
					typed(&data.DataPoints[k].Attributes)
				}
			}
		}
	}
	return scopes, err
}

// typed turns labels into attributes: it omits an empty label, as Prometheus does, and makes a port a number.
func typed(labels *attribute.Set) {
	all := slices.DeleteFunc(labels.ToSlice(), func(a attribute.KeyValue) bool { return a.Value.AsString() == "" })
	for i, a := range all {
		if port, err := strconv.Atoi(a.Value.AsString()); err == nil && a.Key == attrServerPort {
			all[i] = attribute.Int(attrServerPort, port)
		}
	}
	*labels = attribute.NewSet(all...)
}
