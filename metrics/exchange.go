package metrics

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dragoman/translate/messages"
)

// Exchange is the record of one request and all that came of it. Metrics and log are
// made from nothing else. So it never holds a body, a prompt, a credential or the value of
// a header, but for the ids that are meant for a log.
type Exchange struct {
	RequestID         string // given by the proxy
	ClientRequestID   string // "" if the client gave none
	TraceID           string // 32 hexadecimal digits (W3C Trace Context), or ""
	UpstreamRequestID string // "" if the upstream gave none
	KeyID             string // of the client's key; "" without authentication

	Dialect       string // "" if the path is of no dialect
	Model         string // the name that the client asked for
	Pattern       string // the name of the route that matches it; "" if none does
	Upstream      string // its name in the configuration
	UpstreamModel string // the id that the upstream knows
	Format        string // in which it was asked last; "" over its own tool API, and where it was not asked
	Variant       string // of the format; "" for none
	FormatReason  string // why it was asked in the format

	Shape       string // of the URL's path, without the client's own words: see proxy
	InvalidPath string // of the field for which the request was refused, as of [Path]; "" for none

	Status      int    // of HTTP; 499 if the client left before there was one
	ErrorType   string // error.type of the Messages API; "" if there was no error
	Error       string // why it failed, in our own words alone; "" if there was no error
	ErrorReason string // why a request is refused with 400: a fixed word; it says nothing with another status
	Panicked    bool   // a programming error ended the exchange
	Stream      bool   // the client asked for a stream
	StreamBegan bool   // the status line of a stream has been written
	Terminal    Terminal
	Attempts    []Attempt // all calls of upstreams, in order

	FirstEvent time.Duration // from the request to the first event; 0 if there was none
	Duration   time.Duration // from the request to the end
	// Decode, Render, Parse and Encode are the time that the proxy's own work took. The
	// frames of a stream are encoded between the pieces that are parsed, so the time for
	// them is in Parse; Encode is for whole messages.
	Decode, Render, Parse, Encode time.Duration

	BytesIn, BytesOut int64 // of bodies, as they are on the wire
	InputTokens       int
	OutputTokens      int
	CacheReadTokens   int
	CacheWriteTokens  int
	UsageEstimated    bool // the upstream has not told all of these tokens
	StopReason        string
	UnknownStop       string // the upstream's word for it, if it is not known what the word means; "other" if it is no word
	ToolCalls         []ToolCall
	Dropped           []string // names of the fields that did not reach the model
	Constraint        string   // what became of the constraint that the answer was to be held to: held, ignored, refused or skipped; "" for none
	Unmet             []string // names of the fields that force what the answer does not do
}

// ToolCall is how one call of a tool was read, that the model attempted.
type ToolCall struct {
	Outcome    string // a kind of [messages.OutcomeKinds]
	Reason     string // one of [messages.Reasons]
	FromServer bool   // the server of the model has read the call, and not the proxy from the text
}

// ToolCallOutcomes returns the outcome of each call.
func (e *Exchange) ToolCallOutcomes() []string {
	outcomes := make([]string, len(e.ToolCalls))
	for i, c := range e.ToolCalls {
		outcomes[i] = c.Outcome
	}
	return outcomes
}

// ToolCallSource says who has read the calls: "text" for the proxy, from what the model wrote, "server" for the server of
// the model, or "both"; "" where there is no call.
func (e *Exchange) ToolCallSource() string {
	source := ""
	for _, c := range e.ToolCalls {
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
		reasons[i] = oneOf(messages.Reasons, c.Reason)
	}
	return reasons
}

// Attempt is one call of an upstream.
type Attempt struct {
	Upstream  string // its name in the configuration
	ErrorType string // error.type of its failure, or [ErrorNotReady]; "" if it did not fail
	InPlaceOf string // error.type of the failure of another upstream that this call makes good; else ""
}

// Terminal is how an exchange ended.
type Terminal string

// The ways in which an exchange ends. They are values of a label.
const (
	Complete    Terminal = "complete"
	Failed      Terminal = "error"
	ClientGone  Terminal = "client_gone"
	IdleTimeout Terminal = "idle_timeout"
	Drained     Terminal = "drain" // the server shut down before the end
)

// Overhead returns the time that the proxy's own work took.
func (e *Exchange) Overhead() time.Duration { return e.Decode + e.Render + e.Parse + e.Encode }

// Observe counts an exchange that has ended. It is called once for each.
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
		m.toolCalls.WithLabelValues(model, oneOf(outcomes, c.Outcome), oneOf(messages.Reasons, c.Reason)).Inc()
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

// observeStages counts the time of those stages of the work that the exchange reached.
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

// observeAttempts counts the calls of upstreams, their failures and the fallbacks.
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

// observeKey counts an exchange for the key of its client, if it had one.
func (m *Metrics) observeKey(e *Exchange) {
	if e.KeyID != "" {
		id := within(m.labels.Keys, e.KeyID)
		m.keyRequests.WithLabelValues(id, statusClass(e.Status)).Inc()
		addTokens(m.keyTokens, id, e)
	}
}

// addTokens counts the tokens of an exchange under the label by. A series begins with the
// first token of its type.
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
