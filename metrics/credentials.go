package metrics

import "time"

// Credentials are those of one upstream. When they end is a metric, as long as the upstream has its name.
type Credentials struct {
	metrics  *Metrics
	upstream string
	replaced bool // guarded by the bounds
}

// NewCredentials returns the credentials of an upstream, by its name, with no end.
func (m *Metrics) NewCredentials(upstream string) *Credentials {
	return &Credentials{metrics: m, upstream: upstream}
}

// EndAt says when they end.
func (c *Credentials) EndAt(at time.Time) {
	m := c.metrics
	m.bounds.RLock()
	defer m.bounds.RUnlock()
	if m.labels.Upstreams[c.upstream] && !c.replaced {
		m.credentialExpiry.WithLabelValues(c.upstream).Set(float64(at.Unix()))
	}
}

// Replace says that the name is that of another upstream from now on, or of none. Its credentials may have
// no end, and an alert would go on for ever; the one before may still renew its own, for answers that are
// not over.
func (c *Credentials) Replace() {
	c.metrics.bounds.Lock()
	defer c.metrics.bounds.Unlock()
	c.replaced = true
	c.metrics.credentialExpiry.DeleteLabelValues(c.upstream)
}
