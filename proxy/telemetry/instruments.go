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

// mostModels bounds the names of models that clients choose, where an entry of the configuration is for
// many: those that answered first are told apart, and what follows is _OTHER.
const mostModels = 100

// instruments are the metrics of a generation, and the registry that has them and nothing else.
type instruments struct {
	registry   *prometheus.Registry
	generation *generation
	histograms map[*instrument]*prometheus.HistogramVec
	counters   map[*instrument]*prometheus.CounterVec
	vectors    []*prometheus.MetricVec // all of these
	units      map[string]string

	bounds sync.RWMutex // held while series are ended, and shared by whoever makes some
	named  map[string]bool
	many   []proxy.Route // entries for many models

	mu     sync.Mutex
	models map[string]string // that have answered, of entries for many: each by itself
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

// bound says which models there are from now on. The series of others end, and what they still answer
// counts as _OTHER, so that a configuration which is replaced again and again leaves none behind.
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

// isOneOfMany reports whether an entry for many models is for the one of a name.
func (is *instruments) isOneOfMany(name string) bool {
	return slices.ContainsFunc(is.many, func(r proxy.Route) bool { return r.Matches(name) })
}

// model returns the name of a model as it may stand in a label. fixed says that the configuration names
// it, or did when it was asked, and answered that the model has. The bounds are shared.
func (is *instruments) model(name string, fixed, answered bool) string {
	if fixed && is.named[name] {
		return name
	}
	is.mu.Lock()
	defer is.mu.Unlock()
	if is.models[name] == "" && answered && len(is.models) < mostModels && is.isOneOfMany(name) {
		name = strings.Clone(name) // it may be a piece of a body
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

// add adds to a total of tokens, if the generation has it. No upstream says of which modality they are.
func (is *instruments) add(i *instrument, labels []string, tokens int) {
	if v := is.counters[i]; v != nil {
		v.WithLabelValues(append(labels[:len(labels):len(labels)], "unknown")...).Add(float64(tokens))
	}
}

// labels returns the values of base for a call. answered says that its model has. The bounds are shared.
func (is *instruments) labels(c *call, answered bool) []string {
	labels := []string{operation, c.provider, is.model(c.model.Model, c.fixed, answered), "", ""}
	if s := c.server.Load(); s != nil {
		labels[3], labels[4] = s.address, strconv.Itoa(s.port)
	}
	return labels
}

// perChunk returns what observes the time between the pieces of a call's answer, which has begun.
func (is *instruments) perChunk(c *call) prometheus.Observer {
	is.bounds.RLock()
	defer is.bounds.RUnlock()
	return is.histograms[&is.generation.perChunk].WithLabelValues(is.labels(c, true)...)
}

// record counts a call that has ended.
func (is *instruments) record(c *call) {
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

// producer returns what produces the metrics counted here and by others.
func (is *instruments) producer(version string, others ...prometheus.Gatherer) metric.Producer {
	gather := append(prometheus.Gatherers{is.registry}, others...)
	return &producer{bridge.NewMetricProducer(bridge.WithGatherer(gather)), is.units, version}
}

// producer is the SDK's bridge to Prometheus, and adds what Prometheus has no place for.
type producer struct {
	metric.Producer
	units   map[string]string
	version string
}

func (p *producer) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	scopes, err := p.Producer.Produce(ctx)
	for i := range scopes {
		scopes[i].Scope = instrumentation.Scope{Name: scopeName, Version: p.version}
		// The exporter for Prometheus refuses a summary, and all with it. Go's collector has one, of pauses,
		// which its histograms have too.
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

// typed makes attributes of labels: an empty label is none, as Prometheus means it, and a port is a number.
func typed(labels *attribute.Set) {
	all := slices.DeleteFunc(labels.ToSlice(), func(a attribute.KeyValue) bool { return a.Value.AsString() == "" })
	for i, a := range all {
		if port, err := strconv.Atoi(a.Value.AsString()); err == nil && a.Key == attrServerPort {
			all[i] = attribute.Int(attrServerPort, port)
		}
	}
	*labels = attribute.NewSet(all...)
}
