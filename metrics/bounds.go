package metrics

import (
	"maps"

	"github.com/prometheus/client_golang/prometheus"
)

// SetLabels says which names there are from now on. All others are counted as "other", and the
// series of names that are gone end, so that a configuration which is replaced again and again
// leaves none behind.
func (m *Metrics) SetLabels(l Labels) {
	m.bounds.Lock()
	defer m.bounds.Unlock()
	exchange := []*prometheus.MetricVec{m.requests.MetricVec, m.duration.MetricVec, m.firstEvent.MetricVec}
	endSeries("key_id", m.labels.Keys, l.Keys, m.keyRequests.MetricVec, m.keyTokens.MetricVec)
	endSeries("model", m.labels.Models, l.Models, append(exchange, m.toolCalls.MetricVec, m.constraints.MetricVec, m.tokens.MetricVec)...)
	endSeries("upstream", m.labels.Upstreams, l.Upstreams, append(exchange,
		m.attempts.MetricVec, m.upstreamErrors.MetricVec, m.fallbacks.MetricVec, m.unknownStops.MetricVec,
		m.credentialExpiry.MetricVec, m.credentialsOK.MetricVec, m.circuitOpen.MetricVec)...)
	m.labels = Labels{maps.Clone(l.Keys), maps.Clone(l.Models), maps.Clone(l.Upstreams)}
}

// endSeries ends the series whose label has a value that was there before and is not now.
func endSeries(label string, before, now map[string]bool, vectors ...*prometheus.MetricVec) {
	for value := range before {
		if now[value] {
			continue
		}
		for _, v := range vectors {
			v.DeletePartialMatch(prometheus.Labels{label: value})
		}
	}
}

// within returns a name as it may stand in a label: it may have been taken out of the
// configuration since.
func within(names map[string]bool, name string) string {
	if names[name] {
		return name
	}
	return other
}

// MeasureUpstream says what is known of an upstream: whether the proxy's own credentials there are
// good, and how many of its circuits are open: those of models, and one of the upstream itself.
// Package proxy says so before the metrics are read.
func (m *Metrics) MeasureUpstream(upstream string, credentialsOK bool, circuitsOpen int) {
	m.bounds.RLock()
	defer m.bounds.RUnlock()
	if !m.labels.Upstreams[upstream] {
		return
	}
	good := 0.
	if credentialsOK {
		good = 1
	}
	m.credentialsOK.WithLabelValues(upstream).Set(good)
	m.circuitOpen.WithLabelValues(upstream).Set(float64(circuitsOpen))
}

// ConfigServes says that a configuration with this hash serves from now on.
func (m *Metrics) ConfigServes(hash string) {
	m.configLoaded.Set(1)
	m.configTime.SetToCurrentTime()
	m.config.Reset()
	m.config.WithLabelValues(hash).Set(1)
}

// ConfigRefused says that the configuration that was read last does not serve.
func (m *Metrics) ConfigRefused() { m.configLoaded.Set(0) }
