package telemetry

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// trackedExchange is the state of an exchange in progress.
type trackedExchange struct {
	t      *Telemetry
	record *metrics.Exchange

	providers map[string]string // of upstreams, keyed by name

	server span   // none without traces
	route  string // of its path; "" if the path is not served

	session, agent, parentAgent string // under the client's names

	rendered time.Duration // the part of record.Render that a span covers
	asked    request       // the next request to a model
	contents *contents     // of the request, if contents are captured and it was rendered
	call     *trackedCall  // the current or last call
	first    time.Time     // when the first piece of an answer arrived
	last     time.Time     // when the last piece arrived
	parses   bool          // the answer is text that is parsed
}

// Observer returns the observer of exchanges. providers maps each upstream to the provider of its models, under the
// conventions' names. If the client sent a valid trace, the exchange joins it. The trace id in the log is the span's.
func (t *Telemetry) Observer(providers map[string]string) proxy.Observe {
	return func(r *http.Request, record *metrics.Exchange) *proxy.Observation {
		return t.observe(r, record, providers)
	}
}

func (t *Telemetry) observe(r *http.Request, record *metrics.Exchange, providers map[string]string) *proxy.Observation {
	x := &trackedExchange{t: t, record: record, providers: providers, session: id(r.Header, "X-Claude-Code-Session-Id")}
	if t.tracer != nil {
		x.begin(r)
	}
	return &proxy.Observation{
		Rendered: x.renders,
		Passed:   x.passes,
		Calling:  x.calling,
		Called:   x.called,
		Chunk:    x.chunk,
		Event:    x.event,
		Ended:    func(*metrics.Exchange) { x.ended() },
	}
}

// begin starts the span of the exchange.
func (x *trackedExchange) begin(r *http.Request) {
	ctx := context.Background()
	read := x.t.cfg.Propagator.Extract(ctx, propagation.HeaderCarrier(r.Header))
	if parent := trace.SpanContextFromContext(read); parent.IsValid() { // take only the span from the client, no baggage
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
	}
	method := methodOf(r)
	x.route = routeOf(r)
	s := x.t.startSpan(ctx, strings.TrimSpace(method+" "+x.route), trace.SpanKindServer, time.Now())
	x.server, x.record.TraceID = s, s.SpanContext().TraceID().String()
	if !s.recorded() {
		return
	}
	s.set(attrMethod, method)
	s.set(attrRoute, x.route)
	s.set(attrScheme, schemeOf(r))
	s.set(attrProtocolVersion, versionOf(r))
	s.set(attrUserAgent, clip(r.UserAgent()))
	if x.route != "" {
		s.set(attrPath, clip(r.URL.Path))
	}
	x.agent, x.parentAgent = id(r.Header, "X-Claude-Code-Agent-Id"), id(r.Header, "X-Claude-Code-Parent-Agent-Id")
}

// ended ends the span of the exchange, and spans inside it that are still open.
func (x *trackedExchange) ended() {
	x.finishCall()
	s, r := x.server, x.record
	if !s.recorded() {
		return
	}
	now := time.Now()
	x.renderSpan(now, nil) // if a request could not be rendered
	x.parseSpan()
	if x.route == "" {
		s.set(attrPath, r.Shape) // an unserved path is the client's own text
	}
	s.set(attrStatus, r.Status)
	s.set(attrErrorType, metrics.ErrorType(r.ErrorType))
	if r.Status >= http.StatusInternalServerError || r.StreamBegan && r.Terminal != metrics.Complete && r.Terminal != metrics.ClientGone {
		s.fail()
	}
	s.set(attrConversation, x.session)
	s.set(attrAgent, x.agent)
	s.set(attrParentAgent, x.parentAgent)
	s.set(attrRequestID, r.RequestID)
	s.set(attrClientRequestID, r.ClientRequestID)
	s.set(attrKeyID, r.KeyID)
	s.set(attrDialect, r.Dialect)
	s.set(attrModel, clip(r.Model))
	s.set(attrUpstream, r.Upstream)
	s.set(attrTerminal, string(r.Terminal))
	s.set(attrStream, r.Stream)
	s.set(attrAttempts, len(r.Attempts))
	s.set(attrStopReason, clip(r.StopReason))
	setCalls(s, r)
	s.set(attrDropped, fields(r.Dropped))
	s.set(attrUnmet, fields(r.Unmet))
	s.end(now)
}

// setCalls sets how the proxy read the exchange's tool calls, and why not cleanly.
func setCalls(s span, r *metrics.Exchange) {
	n := min(len(r.ToolCalls), mostListed)
	outcomes := make([]string, n)
	for i := range n {
		outcomes[i] = r.ToolCalls[i].Outcome
	}
	s.set(attrToolCalls, outcomes)
	s.set(attrToolCallReasons, r.ToolCallReasons()[:n])
}

// mostListed limits a list in an attribute.
const mostListed = 64

// fields returns the metrics' names of fields, without duplicates.
func fields(names []string) (all []string) {
	for _, name := range names {
		all = append(all, metrics.Field(name))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), mostListed)]
}

// child starts a span inside the span of the exchange.
func (x *trackedExchange) child(name string, kind trace.SpanKind, start time.Time) span {
	return x.t.startSpan(trace.ContextWithSpan(context.Background(), x.server), name, kind, start)
}

// renderSpan adds a span for the rendering since the last one. It ends now, just before the prompt is sent. p is nil if
// there is no prompt.
func (x *trackedExchange) renderSpan(now time.Time, p *translate.Prompt) {
	took := x.record.Render - x.rendered
	if !x.server.recorded() || took <= 0 {
		return
	}
	x.rendered = x.record.Render
	s := x.child(spanRender, trace.SpanKindInternal, now.Add(-took))
	if p != nil {
		s.set(attrTurns, len(p.Turns))
	} else {
		s.fail()
		s.set(attrErrorType, metrics.ErrorType(x.record.ErrorType))
	}
	s.end(now)
}

// parseSpan adds a span for the parsing, from the first piece of an answer to the last. Most of that time is waiting
// for the model, so an attribute has the time of parsing itself.
func (x *trackedExchange) parseSpan() {
	if !x.parses {
		return
	}
	s := x.child(spanParse, trace.SpanKindInternal, x.first)
	s.set(attrParseTime, x.record.Parse.Seconds())
	setCalls(s, x.record)
	s.end(x.last)
}

// renders is called with each prompt before it goes to a model.
func (x *trackedExchange) renders(m proxy.UpstreamModel, req *messages.Request, p *translate.Prompt) {
	if !x.server.recorded() {
		return
	}
	now := time.Now()
	x.renderSpan(now, p)
	if again := string(p.Again()); again != "" {
		x.server.AddEvent(eventAskedAgain, trace.WithTimestamp(now), trace.WithAttributes(attribute.String(attrReason, again)))
	}
	x.asked = request{
		maxTokens: p.MaxTokens, temperature: p.Temperature, topP: p.TopP, topK: p.TopK, format: m.FormatName(),
	}
	if x.t.cfg.Content {
		x.asked.stops = slices.Clone(p.StopSequences)
		if req != nil { // nil: the request of the previous call still applies
			x.contents = contentsOf(req)
		}
		x.asked.contents = x.contents
	}
}

// passes is called with each body before it goes to a model's own tools API.
func (x *trackedExchange) passes(_ proxy.UpstreamModel, body []byte) {
	if x.server.recorded() {
		x.asked = requestOf(body, x.t.cfg.Content)
	}
}

// event is called with each event of the answer.
func (x *trackedExchange) event(e *messages.Event) {
	if c := x.call; c != nil {
		c.event(e)
		if c.native() {
			x.piece()
		}
	}
}

// chunk is called with each piece of a completion.
func (x *trackedExchange) chunk(c *translate.Chunk) {
	x.parses = true
	x.piece()
	x.call.chunk(c)
}

// methodOf returns the method, or _OTHER if HTTP does not define it.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return r.Method
	}
	return other
}

// routeOf returns the pattern of the path, or "" if the path is not served.
func routeOf(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil && c.RoutePattern() != "/*" {
		return c.RoutePattern()
	}
	return ""
}

func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// versionOf returns the HTTP version, such as "1.1" and "2".
func versionOf(r *http.Request) string {
	if r.ProtoMajor >= 2 {
		return strconv.Itoa(r.ProtoMajor)
	}
	return strconv.Itoa(r.ProtoMajor) + "." + strconv.Itoa(r.ProtoMinor)
}
