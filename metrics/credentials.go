package metrics

import "time"

// Credentials is the metric of when the credentials of one upstream expire. It exists as long as this upstream has its
// name.
type Credentials struct {
	metrics  *Metrics
	upstream string
	replaced bool // guarded by Metrics.bounds
}

// NewCredentials returns the metric for the credentials of the named upstream. It has no sample until EndAt is called.
func (m *Metrics) NewCredentials(upstream string) *Credentials {
	return &Credentials{metrics: m, upstream: upstream}
}

// EndAt sets when the credentials expire.
func (c *Credentials) EndAt(at time.Time) {
	m := c.metrics
	m.bounds.RLock()
	defer m.bounds.RUnlock()
	if m.labels.Upstreams[c.upstream] && !c.replaced {
		m.credentialExpiry.WithLabelValues(c.upstream).Set(float64(at.Unix()))
	}
}

// Replace ends this metric, because the upstream was removed or another one now has its name. The new credentials may
// never expire, and then an alert about the old ones would never stop. The old upstream may still renew its credentials
// for answers in progress: EndAt then does nothing.
func (c *Credentials) Replace() {
	c.metrics.bounds.Lock()
	defer c.metrics.bounds.Unlock()
	c.replaced = true
	c.metrics.credentialExpiry.DeleteLabelValues(c.upstream)
}
