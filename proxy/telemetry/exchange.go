package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// exchange is what is known of an exchange while it goes on.
type exchange struct {
	t      *Telemetry
	record *metrics.Exchange

	providers map[string]string // of upstreams, by their names

	place  place // of its span
	server *span // nil where the trace is not recorded

	session, agent, parentAgent string // as the client names them

	rendered time.Duration // what of record.Render has a span
	asked    request       // what is about to be asked
	contents *contents     // of the request, if they are asked for and it was rendered
	call     *call         // that is under way, or was last
	first    time.Time     // when the first piece of an answer came
	last     time.Time     // when the last one did
	parses   bool          // the answer is text that is parsed
}

// Observer returns what watches exchanges. providers says who provides the models of an upstream, by its
// name, as the conventions call them. The trace of an exchange is the client's, where it sent one that can
// be read, and the id in the log is that of the span.
func (t *Telemetry) Observer(providers map[string]string) proxy.Observe {
	return func(r *http.Request, record *metrics.Exchange) *proxy.Observation {
		return t.observe(r, record, providers)
	}
}

func (t *Telemetry) observe(r *http.Request, record *metrics.Exchange, providers map[string]string) *proxy.Observation {
	x := &exchange{t: t, record: record, providers: providers, session: id(r.Header, "X-Claude-Code-Session-Id")}
	if t.queue != nil {
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

// begin begins the span of the exchange.
func (x *exchange) begin(r *http.Request) {
	var parent *place
	if x.t.cfg.Propagate {
		parent = parse(r.Header)
	}
	if parent != nil {
		x.place = *parent
	} else {
		x.place.trace = newTraceID()
	}
	x.place.span = newSpanID()
	x.place.sampled = x.t.cfg.Sampler.samples(x.place.trace, parent)
	x.record.TraceID = x.place.trace.String()
	if !x.place.sampled {
		return
	}
	method, route := methodOf(r), routeOf(r)
	s := &span{place: x.place, name: strings.TrimSpace(method + " " + route), kind: kindServer, start: time.Now()}
	if parent != nil {
		s.parent, s.parentRemote = parent.span, true
	}
	s.set(attrMethod, method)
	s.set(attrRoute, route)
	s.set(attrScheme, schemeOf(r))
	s.set(attrProtocolVersion, versionOf(r))
	s.set(attrUserAgent, clip(r.UserAgent()))
	if route != "" {
		s.set(attrPath, clip(r.URL.Path))
	}
	x.agent, x.parentAgent = id(r.Header, "X-Claude-Code-Agent-Id"), id(r.Header, "X-Claude-Code-Parent-Agent-Id")
	x.server = s
}

// ended ends the span of the exchange, and what is left open in it.
func (x *exchange) ended() {
	x.finishCall()
	s, r := x.server, x.record
	if s == nil {
		return
	}
	now := time.Now()
	x.renderSpan(now, nil) // of a request that could not be rendered
	x.parseSpan()
	s.end = now
	if !slices.ContainsFunc(s.attributes, func(a attribute) bool { return a.key == attrPath }) {
		s.set(attrPath, r.Shape) // a path that is not served is the client's own words
	}
	s.set(attrStatus, r.Status)
	s.set(attrErrorType, metrics.ErrorType(r.ErrorType))
	s.failed = r.Status >= http.StatusInternalServerError || r.StreamBegan && r.Terminal != metrics.Complete && r.Terminal != metrics.ClientGone
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
	s.set(attrToolCalls, r.ToolCalls[:min(len(r.ToolCalls), mostListed)])
	s.set(attrDropped, fields(r.Dropped))
	s.set(attrUnmet, fields(r.Unmet))
	x.t.queue.add(s)
}

// mostListed bounds a list in an attribute.
const mostListed = 64

// fields returns the names by which the metrics count fields, each once.
func fields(names []string) (all []string) {
	for _, name := range names {
		all = append(all, metrics.Field(name))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), mostListed)]
}

// child begins a span in that of the exchange.
func (x *exchange) child(name string, kind spanKind, start time.Time) *span {
	s := &span{place: x.place, parent: x.place.span, name: name, kind: kind, start: start}
	s.place.span = newSpanID()
	return s
}

// renderSpan adds a span of what has been rendered since the last one. It ends now: what was rendered
// is about to be sent. The prompt is nil if there is none.
func (x *exchange) renderSpan(now time.Time, p *translate.Prompt) {
	took := x.record.Render - x.rendered
	if x.server == nil || took <= 0 {
		return
	}
	x.rendered = x.record.Render
	s := x.child(spanRender, kindInternal, now.Add(-took))
	s.end = now
	if p != nil {
		s.set(attrTurns, len(p.Turns))
	} else {
		s.failed = true
		s.set(attrErrorType, metrics.ErrorType(x.record.ErrorType))
	}
	x.t.queue.add(s)
}

// parseSpan adds a span of what was parsed: from the first piece of an answer to the last. Most of that
// is waiting for the model, and the time that it took is in an attribute.
func (x *exchange) parseSpan() {
	if !x.parses {
		return
	}
	s := x.child(spanParse, kindInternal, x.first)
	s.end = x.last
	s.set(attrParseTime, x.record.Parse.Seconds())
	s.set(attrToolCalls, x.record.ToolCalls[:min(len(x.record.ToolCalls), mostListed)])
	x.t.queue.add(s)
}

// renders is called with each prompt that a model is about to be asked.
func (x *exchange) renders(m proxy.UpstreamModel, req *messages.Request, p *translate.Prompt) {
	if x.server == nil {
		return
	}
	now := time.Now()
	x.renderSpan(now, p)
	if again := string(p.Again()); again != "" {
		x.server.events = append(x.server.events, event{eventAskedAgain, now, []attribute{{attrReason, again}}})
	}
	x.asked = request{
		maxTokens: p.MaxTokens, temperature: p.Temperature, topP: p.TopP, topK: p.TopK, format: m.FormatName(),
	}
	if x.t.cfg.Content {
		x.asked.stops = slices.Clone(p.StopSequences)
		if req != nil { // else it is the one of the call before
			x.contents = contentsOf(req)
		}
		x.asked.contents = x.contents
	}
}

// passes is called with each body that is about to go to a model's own tool API.
func (x *exchange) passes(_ proxy.UpstreamModel, body []byte) {
	if x.server != nil {
		x.asked = requestOf(body, x.t.cfg.Content)
	}
}

// event is called with each event of the answer.
func (x *exchange) event(e *messages.Event) {
	if c := x.call; c != nil {
		c.event(e)
		if c.native() {
			x.piece()
		}
	}
}

// chunk is called with each piece of a completion.
func (x *exchange) chunk(c *translate.Chunk) {
	x.parses = true
	x.piece()
	x.call.chunk(c)
}

// methodOf returns the method, or _OTHER for one that HTTP does not define.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return r.Method
	}
	return other
}

// routeOf returns the pattern of the path, or "" for one that is not served.
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

// versionOf returns the version of HTTP, as in "1.1" and "2".
func versionOf(r *http.Request) string {
	if r.ProtoMajor >= 2 {
		return strconv.Itoa(r.ProtoMajor)
	}
	return strconv.Itoa(r.ProtoMajor) + "." + strconv.Itoa(r.ProtoMinor)
}
