package telemetry

import (
	"crypto/tls"
	"time"
)

// Config is what the variables of OpenTelemetry ask for: see [Read].
type Config struct {
	Traces  Signal
	Metrics Signal

	Resource  []Attribute   // of this process; the first of a name counts
	Sampler   sampler       // of traces
	Propagate bool          // traceparent is read from clients and sent to upstreams
	Latest    bool          // the names of generation B
	Content   bool          // spans have what clients and models say
	Queue     int           // spans that may wait
	Batch     int           // spans of one request
	Delay     time.Duration // between requests
	Interval  time.Duration // between requests of metrics
}

// Signal is where spans or metrics go. The zero value is nowhere.
type Signal struct {
	URL     string
	Headers map[string]string
	Timeout time.Duration
	Gzip    bool
	TLS     *tls.Config // nil for the system's authorities
}

// On reports whether the signal goes anywhere.
func (s Signal) On() bool { return s.URL != "" }

// On reports whether there is anything to do.
func (c *Config) On() bool { return c.Traces.On() || c.Metrics.On() }

// Attribute is an attribute of the resource.
type Attribute struct{ Key, Value string }

// Problem is what is wrong with a variable. Value may be a secret, and is not in it.
type Problem struct{ Variable, Cause, Fix string }

// resource returns the attributes of the resource as they are exported.
func (c *Config) resource(version string) []attribute {
	all := make([]attribute, 0, len(c.Resource)+5)
	has := map[string]bool{}
	add := func(key, value string) {
		if !has[key] && value != "" {
			has[key] = true
			all = append(all, attribute{key, value})
		}
	}
	for _, a := range c.Resource {
		add(a.Key, a.Value)
	}
	add("service.name", "dragoman")
	add("service.version", version)
	add("service.instance.id", newTraceID().String())
	add("telemetry.sdk.name", "dragoman")
	add("telemetry.sdk.language", "go")
	add("telemetry.sdk.version", version)
	return all
}
