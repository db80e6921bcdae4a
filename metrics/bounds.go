package metrics

import (
	"maps"

	"github.com/prometheus/client_golang/prometheus"
)

// SetLabels replaces the names that labels may have. Metrics count every other name as "other". The series of removed
// names end, so that repeated reloads of the configuration do not pile up series.
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

// endSeries deletes the series of every label value that is in before but not in now.
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

// within returns name if the configuration has it, and "other" if not. A reload may have removed the name during the
// exchange.
func within(names map[string]bool, name string) string {
	if names[name] {
		return name
	}
	return other
}

// MeasureUpstream sets the state of an upstream: whether the proxy's own credentials work there, and how many of its
// circuits are open. Each model has a circuit, and so does the upstream itself. Package proxy calls it before each
// scrape.
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

// ConfigServes reports that the configuration with this hash serves from now on.
func (m *Metrics) ConfigServes(hash string) {
	m.configLoaded.Set(1)
	m.configTime.SetToCurrentTime()
	m.config.Reset()
	m.config.WithLabelValues(hash).Set(1)
}

// ConfigRefused reports that the latest configuration was rejected, so the previous one goes on serving.
func (m *Metrics) ConfigRefused() { m.configLoaded.Set(0) }
