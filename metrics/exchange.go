package metrics

import (
	"strconv"
	"time"
)

// Exchange is the record of one request and all that came of it: what is
// counted, and what the log says of it. It never holds a body, a prompt, a
// credential or a header's value, but for the ids that are meant for a log.
type Exchange struct {
	RequestID         string // of ours
	ClientRequestID   string // "" if the client gave none
	TraceID           string // 32 hexadecimal digits (W3C Trace Context), or ""
	UpstreamRequestID string // "" if the upstream gave none
	KeyID             string // of the client's key; "" without authentication

	Dialect       string // "" if the path is of none
	Model         string // the name that the client asked for
	Pattern       string // the configured name that covers it; "" if none does
	Upstream      string // its name in the configuration
	UpstreamModel string // the id that the upstream knows

	Status      int    // of HTTP; 499 if the client left before there was one
	ErrorType   string // error.type of the Messages API; "" if all went well
	Panicked    bool
	Stream      bool // the client asked for a stream
	StreamBegan bool // and its first event went out
	Terminal    Terminal
	Attempts    []Attempt // calls of an upstream, in order

	FirstEvent time.Duration // since the request; 0 if there was no event
	Duration   time.Duration // since the request
	// Decode, Render, Parse and Encode are the time spent on our own work. The
	// frames of a stream are encoded while it is parsed, which is all in Parse;
	// Encode is for whole messages.
	Decode, Render, Parse, Encode time.Duration

	BytesIn, BytesOut int64 // of bodies; what came in is counted before it is unpacked
	InputTokens       int
	OutputTokens      int
	CacheReadTokens   int
	CacheWriteTokens  int
	StopReason        string
	ToolCalls         []string // the outcome of each
	Dropped           []string // names of fields that were left out
}

// Attempt is one call of an upstream.
type Attempt struct {
	Upstream  string // its name in the configuration
	ErrorType string // what it failed with; "" if it did not
	InPlaceOf string // what the upstream before failed with, if this one is a fallback; else ""
}

// Terminal is how an exchange ended.
type Terminal string

// The ways to end.
const (
	Complete    Terminal = "complete"
	Failed      Terminal = "error"
	ClientGone  Terminal = "client_gone"
	IdleTimeout Terminal = "idle_timeout"
	Drained     Terminal = "drain" // the server went down
)

// Overhead is the time spent on our own work.
func (e *Exchange) Overhead() time.Duration { return e.Decode + e.Render + e.Parse + e.Encode }

// Observe counts an exchange that has ended.
func (m *Metrics) Observe(e *Exchange) {
	model, upstream := orOther(e.Pattern), orOther(e.Upstream)
	labels := []string{oneOf(dialects, e.Dialect), model, upstream, strconv.FormatBool(e.Stream), statusClass(e.Status)}
	m.requests.WithLabelValues(labels...).Inc()
	m.duration.WithLabelValues(labels...).Observe(e.Duration.Seconds())
	if e.FirstEvent > 0 {
		m.firstEvent.WithLabelValues(labels...).Observe(e.FirstEvent.Seconds())
	}
	m.observeStages(e)
	m.observeAttempts(e)
	if e.StreamBegan {
		m.streamsTerminated.WithLabelValues(string(e.Terminal)).Inc()
	}
	for _, outcome := range e.ToolCalls {
		m.toolCalls.WithLabelValues(model, oneOf(outcomes, outcome)).Inc()
	}
	for _, field := range e.Dropped {
		m.droppedFields.WithLabelValues(Field(field)).Inc()
	}
	m.addTokens(model, "input", e.InputTokens)
	m.addTokens(model, "output", e.OutputTokens)
	m.addTokens(model, "cache_read", e.CacheReadTokens)
	m.addTokens(model, "cache_write", e.CacheWriteTokens)
	if e.Panicked {
		m.panics.Inc()
	}
}

// observeStages observes the stages that the exchange came to.
func (m *Metrics) observeStages(e *Exchange) {
	for _, stage := range []struct {
		name string
		time time.Duration
	}{{"decode", e.Decode}, {"render", e.Render}, {"parse", e.Parse}, {"encode", e.Encode}} {
		if stage.time > 0 {
			m.overhead.WithLabelValues(stage.name).Observe(stage.time.Seconds())
		}
	}
}

func (m *Metrics) observeAttempts(e *Exchange) {
	for _, a := range e.Attempts {
		errorType := "none"
		if a.ErrorType != "" {
			errorType = oneOf(errorTypes, a.ErrorType)
			m.upstreamErrors.WithLabelValues(a.Upstream, errorType).Inc()
		}
		m.attempts.WithLabelValues(a.Upstream, errorType).Inc()
		if a.InPlaceOf != "" {
			m.fallbacks.WithLabelValues(a.Upstream, oneOf(errorTypes, a.InPlaceOf)).Inc()
		}
	}
}

func (m *Metrics) addTokens(model, kind string, n int) {
	if n > 0 {
		m.tokens.WithLabelValues(model, kind).Add(float64(n))
	}
}
