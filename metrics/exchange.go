package metrics

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dragoman/translate/messages"
)

// Exchange is the record of one request and its answer. Metrics and the log are made only from it. It therefore holds
// no body, prompt, credential or header value, except ids that are meant for the log.
type Exchange struct {
	RequestID         string // made by the proxy
	ClientRequestID   string // "" if the client sent no id
	TraceID           string // 32 hexadecimal digits (W3C Trace Context), or ""
	UpstreamRequestID string // "" if the upstream sent no id
	KeyID             string // the id of the client's key; "" without authentication

	Dialect       string // "" if the path belongs to no dialect
	Model         string // the name that the client asked for
	Pattern       string // the name of the matching route; "" if no route matches
	Upstream      string // its name in the configuration
	UpstreamModel string // the id that the upstream knows
	Format        string // the format of the last attempt; "" if the upstream used its own tools API, or was not called
	Variant       string // the variant of the format; "" if it has no variants
	FormatReason  string // why the proxy chose the format

	Shape       string // the URL's path without the client's own words: see package proxy
	InvalidPath string // the path of the rejected field, as [Path] returns it; "" if no field was rejected

	Status      int    // the HTTP status; 499 if the client left before the answer began
	ErrorType   string // error.type of the Messages API; "" if there was no error
	Error       string // why the exchange failed, only in the proxy's own words; "" if there was no error
	ErrorReason string // why a request was rejected with 400: a fixed word; meaningless with any other status
	Panicked    bool   // a programming error ended the exchange
	Stream      bool   // the client asked for a stream
	StreamBegan bool   // the status line of a stream has been written
	Terminal    Terminal
	Attempts    []Attempt // all calls to upstreams, in order

	FirstEvent time.Duration // from the request to the first event; 0 if there was no event
	Duration   time.Duration // from the request to the end
	// Decode, Render, Parse and Encode are the time that the proxy's own work took. A stream encodes its frames while
	// it parses, so Parse includes that time. Encode covers whole messages only.
	Decode, Render, Parse, Encode time.Duration

	BytesIn, BytesOut int64 // lengths of the bodies on the wire
	InputTokens       int
	OutputTokens      int
	CacheReadTokens   int
	CacheWriteTokens  int
	UsageEstimated    bool // the proxy estimated some of these counts, because the upstream did not report them
	StopReason        string
	// UnknownStop is the upstream's stop reason, if the proxy does not know it; "other" if it is not a single word.
	UnknownStop string
	ToolCalls   []ToolCall // also one for each answer without text and without a call
	Dropped     []string   // names of the fields that the proxy left out of the prompt
	// Constraint is what happened to the constraint on the answer: held, ignored, refused or skipped; "" without a
	// constraint.
	Constraint string
	Unmet      []string // names of the fields whose demand the answer does not meet, such as tool_choice
}

// ToolCall is how the proxy read one tool call that the model attempted.
type ToolCall struct {
	Outcome    string // one of [messages.OutcomeKinds]
	Reason     messages.Reason
	FromServer bool // the model's server read the call; false: the proxy read it from the text
}

// ToolCallOutcomes returns the outcome of each call.
func (e *Exchange) ToolCallOutcomes() []string {
	outcomes := make([]string, len(e.ToolCalls))
	for i, c := range e.ToolCalls {
		outcomes[i] = c.Outcome
	}
	return outcomes
}

// CountToolCalls returns the number of calls.
func (e *Exchange) CountToolCalls() (n int) {
	for _, c := range e.ToolCalls {
		if c.Outcome != string(messages.OutcomeEmpty) {
			n++
		}
	}
	return n
}

// ToolCallSource returns who read the calls: "text" if the proxy read them from the model's text, "server" if the
// model's server did, "both", or "" without calls.
func (e *Exchange) ToolCallSource() string {
	source := ""
	for _, c := range e.ToolCalls {
		if c.Outcome == string(messages.OutcomeEmpty) {
			continue
		}
		from := "text"
		if c.FromServer {
			from = "server"
		}
		if source != "" && source != from {
			return "both"
		}
		source = from
	}
	return source
}

// ToolCallReasons returns the reason of each call, in the order of ToolCalls.
func (e *Exchange) ToolCallReasons() []string {
	reasons := make([]string, len(e.ToolCalls))
	for i, c := range e.ToolCalls {
		reasons[i] = c.Reason.String()
	}
	return reasons
}

// Attempt is one call to an upstream.
type Attempt struct {
	Upstream  string // its name in the configuration
	ErrorType string // error.type of the failure, or [ErrorNotReady]; "" if the call succeeded
	InPlaceOf string // for a fallback: error.type of the failed call that this call replaces; else ""
}

// Terminal is how an exchange ended.
type Terminal string

// How an exchange can end. These are values of a label.
const (
	Complete    Terminal = "complete"
	Failed      Terminal = "error"
	ClientGone  Terminal = "client_gone"
	IdleTimeout Terminal = "idle_timeout"
	Drained     Terminal = "drain" // the server shut down before the answer ended
)

// Overhead returns the time that the proxy's own work took.
func (e *Exchange) Overhead() time.Duration { return e.Decode + e.Render + e.Parse + e.Encode }

// Observe counts an exchange that has ended. Call it once for each exchange.
func (m *Metrics) Observe(e *Exchange) {
	m.bounds.RLock()
	defer m.bounds.RUnlock()
	model, upstream := within(m.labels.Models, e.Pattern), within(m.labels.Upstreams, e.Upstream)
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
	for _, c := range e.ToolCalls {
		m.toolCalls.WithLabelValues(model, oneOf(outcomes, c.Outcome), c.Reason.String()).Inc()
	}
	if e.Constraint != "" {
		m.constraints.WithLabelValues(model, oneOf(constraintResults, e.Constraint)).Inc()
	}
	for _, field := range slices.Concat(e.Dropped, e.Unmet) {
		m.droppedFields.WithLabelValues(Field(field)).Inc()
	}
	if e.UnknownStop != "" {
		m.unknownStops.WithLabelValues(upstream).Inc()
	}
	addTokens(m.tokens, model, e)
	m.observeKey(e)
	if e.Panicked {
		m.panics.Inc()
	}
}

// observeStages counts the time of each stage that the exchange reached.
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

// observeAttempts counts the calls to upstreams, their failures and the fallbacks.
func (m *Metrics) observeAttempts(e *Exchange) {
	for _, a := range e.Attempts {
		errorType, upstream := "none", within(m.labels.Upstreams, a.Upstream)
		if a.ErrorType != "" {
			errorType = oneOf(errorTypes, a.ErrorType)
			m.upstreamErrors.WithLabelValues(upstream, errorType).Inc()
		}
		m.attempts.WithLabelValues(upstream, errorType).Inc()
		if a.InPlaceOf != "" {
			m.fallbacks.WithLabelValues(upstream, oneOf(errorTypes, a.InPlaceOf)).Inc()
		}
	}
}

// observeKey counts an exchange for the client's key, if the client has a key.
func (m *Metrics) observeKey(e *Exchange) {
	if e.KeyID != "" {
		id := within(m.labels.Keys, e.KeyID)
		m.keyRequests.WithLabelValues(id, statusClass(e.Status)).Inc()
		addTokens(m.keyTokens, id, e)
	}
}

// addTokens adds the tokens of an exchange to the series labelled by. A series appears with the first token of its
// type.
func addTokens(tokens *prometheus.CounterVec, by string, e *Exchange) {
	for _, t := range []struct {
		kind string
		n    int
	}{{"input", e.InputTokens}, {"output", e.OutputTokens}, {"cache_read", e.CacheReadTokens}, {"cache_write", e.CacheWriteTokens}} {
		if t.n > 0 {
			tokens.WithLabelValues(by, t.kind).Add(float64(t.n))
		}
	}
}
