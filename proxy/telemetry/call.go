package telemetry

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// trackedCall is one call to an upstream.
type trackedCall struct {
	model    proxy.UpstreamModel
	provider string
	attempt  int  // its number within the exchange, from 0
	fixed    bool // the configuration names the model, not the client
	streams  bool // the upstream is asked for a stream
	span     span // none without traces
	asked    request
	server   atomic.Pointer[server] // the address that was connected to; nil if there was no connection

	start, first, last, end time.Time
	perChunk                prometheus.Observer // nil without metrics
	err                     error
	errorType               string
	usage                   messages.Usage
	stop                    string // the upstream's own stop reason; "" if it sent none
	requestID               string
	responseID, answered    string  // the id and the model of the answer
	chunks                  bool    // the answer comes in chunks
	output                  *output // the model's answer; nil unless contents are captured
}

// server is the address of an upstream.
type server struct {
	address string
	port    int
}

// request is the part of a model's request that telemetry reports.
type request struct {
	maxTokens         int
	temperature, topP *float64
	topK              *int
	format            string
	stops             []string // clients choose them, so they count as contents
	contents          *contents
}

// requestOf returns the reported part of a Messages API body. An invalid body is left for the model to reject.
func requestOf(body []byte, withContents bool) request {
	var b struct {
		MaxTokens   int      `json:"max_tokens"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"top_p"`
		TopK        *int     `json:"top_k"`
	}
	if json.Unmarshal(body, &b) != nil {
		return request{}
	}
	r := request{maxTokens: b.MaxTokens, temperature: b.Temperature, topP: b.TopP, topK: b.TopK}
	if withContents {
		if req, err := messages.Decode(body, messages.DecodeOptions{}); err == nil {
			r.stops, r.contents = req.StopSequences, contentsOf(req)
		}
	}
	return r
}

// callKey is the context key for a call.
type callKey struct{}

// calling starts a call to an upstream.
func (x *trackedExchange) calling(ctx context.Context, m proxy.UpstreamModel) context.Context {
	x.finishCall()
	m.Model = strings.Clone(m.Model) // the name may be a slice of a whole body
	c := &trackedCall{
		model:    m,
		provider: cmp.Or(x.providers[m.Upstream], other),
		attempt:  len(x.record.Attempts) - 1,
		fixed:    !strings.Contains(x.record.Pattern, "*") || m.Model != x.record.Model,
		streams:  m.Spec().Can.Has(upstream.Streaming),
		asked:    x.asked,
		start:    time.Now(),
	}
	x.asked, x.call = request{}, c
	if x.server.Span != nil {
		c.span = x.child(operation+" "+clip(m.Model), trace.SpanKindClient, c.start)
	}
	if c.span.recorded() && x.t.cfg.Content {
		c.output = &output{}
	}
	return context.WithValue(ctx, callKey{}, c)
}

// OnRequest must be called with a request to an upstream just before it is sent. It records the address, and adds the
// header that names the request's span. Signatures do not cover this header, so they stay valid.
func (t *Telemetry) OnRequest(r *http.Request) {
	c, ok := r.Context().Value(callKey{}).(*trackedCall)
	if !ok {
		return
	}
	port, err := strconv.Atoi(r.URL.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[r.URL.Scheme]
	}
	c.server.Store(&server{r.URL.Hostname(), port})
	if c.span.Span != nil {
		t.cfg.Propagator.Inject(trace.ContextWithSpan(context.Background(), c.span), propagation.HeaderCarrier(r.Header))
	}
}

// piece notes that a piece of an answer has arrived.
func (x *trackedExchange) piece() {
	c, now := x.call, time.Now()
	x.last = now
	if x.first.IsZero() {
		x.first = now
	}
	if c.first.IsZero() {
		c.first = now
		if x.t.instruments != nil && c.streams {
			c.perChunk = x.t.instruments.perChunk(c)
		}
	} else if c.perChunk != nil {
		c.perChunk.Observe(now.Sub(c.last).Seconds())
	}
	c.last = now
}

// native reports whether the answer comes as events, from the model's own tools API.
func (c *trackedCall) native() bool { return !c.chunks && c.end.IsZero() }

func (c *trackedCall) chunk(chunk *translate.Chunk) {
	c.chunks = true
	c.usage = later(c.usage, chunk.Usage)
	c.stop = cmp.Or(word(cmp.Or(chunk.UnknownStop, chunk.StopWord)), string(chunk.Stop), c.stop)
	c.requestID = cmp.Or(chunk.RequestID, c.requestID)
}

// word returns an upstream's own stop reason, or "" if it does not look like a word.
func word(reason string) string {
	const longest = 40
	if len(reason) > longest || strings.ContainsFunc(reason, func(r rune) bool {
		return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}) {
		return ""
	}
	return reason
}

func (c *trackedCall) event(e *messages.Event) {
	if m := e.Message; m != nil {
		if c.native() {
			c.usage = later(c.usage, m.Usage)
			c.stop = cmp.Or(string(m.StopReason), c.stop)
			c.requestID = cmp.Or(m.RequestID, c.requestID)
			c.answered = cmp.Or(m.Model, c.answered)
		}
		c.responseID = cmp.Or(m.ID, c.responseID)
	}
	if c.output != nil {
		c.output.add(e)
	}
}

// later returns usage u updated by report, which has totals so far. A zero in report means no news.
func later(u, report messages.Usage) messages.Usage {
	return messages.Usage{
		InputTokens:              cmp.Or(report.InputTokens, u.InputTokens),
		OutputTokens:             cmp.Or(report.OutputTokens, u.OutputTokens),
		CacheCreationInputTokens: cmp.Or(report.CacheCreationInputTokens, u.CacheCreationInputTokens),
		CacheReadInputTokens:     cmp.Or(report.CacheReadInputTokens, u.CacheReadInputTokens),
	}
}

// inputTokens returns the number of tokens in the prompt. The conventions include cached tokens, and the Messages API
// does not.
func (c *trackedCall) inputTokens() int {
	return c.usage.InputTokens + c.usage.CacheCreationInputTokens + c.usage.CacheReadInputTokens
}

// called ends a call. Events of its answer may follow.
func (x *trackedExchange) called(err error) { x.call.end, x.call.err = time.Now(), err }

// finishCall exports the last call, if there is one. It runs late, so that events after the end of the call, and the
// exchange's own view of its error, are in the span.
func (x *trackedExchange) finishCall() {
	c := x.call
	if c == nil {
		return
	}
	x.call = nil
	var of metrics.Attempt
	if c.attempt >= 0 && c.attempt < len(x.record.Attempts) {
		of = x.record.Attempts[c.attempt]
	}
	c.errorType = metrics.ErrorType(of.ErrorType)
	if c.err != nil && c.errorType == "" {
		c.errorType = canceled
	}
	if x.t.instruments != nil {
		x.t.instruments.record(c)
	}
	if c.span.recorded() {
		x.describe(c)
		c.span.set(attrInPlaceOf, metrics.ErrorType(of.InPlaceOf))
		c.span.end(c.end)
	}
}

// describe sets the attributes of the span of a call.
func (x *trackedExchange) describe(c *trackedCall) {
	s := c.span
	s.set(attrOperation, operation)
	s.set(attrProvider, c.provider)
	s.set(attrRequestModel, clip(c.model.Model))
	s.set(attrConversation, x.session)
	if server := c.server.Load(); server != nil {
		s.set(attrServerAddress, server.address)
		s.set(attrServerPort, server.port)
	}
	c.setRequest(s)
	c.setResponse(s, x.t.generation)
	s.set(attrUpstream, c.model.Upstream)
	s.set(attrWire, c.model.Spec().Wire)
	s.set(attrAttempt, c.attempt+1)
	if c.errorType != "" {
		s.fail()
		s.set(attrErrorType, c.errorType)
		if failed, ok := errors.AsType[*upstream.Error](c.err); ok && !failed.Unreachable {
			s.set(attrStatus, failed.Status)
		}
	}
	if c.asked.contents != nil {
		c.asked.contents.set(s)
	}
	if c.output != nil {
		c.output.set(s, c.stop)
	}
}

// setRequest sets the attributes of the model's request.
func (c *trackedCall) setRequest(s span) {
	if c.streams {
		s.set(attrRequestStream, true)
	}
	if c.asked.maxTokens > 0 {
		s.set(attrMaxTokens, c.asked.maxTokens)
	}
	if v := c.asked.temperature; v != nil {
		s.set(attrTemperature, *v)
	}
	if v := c.asked.topP; v != nil {
		s.set(attrTopP, *v)
	}
	if v := c.asked.topK; v != nil {
		s.set(attrTopK, *v)
	}
	s.set(attrStopSequences, c.asked.stops)
	s.set(attrFormat, c.asked.format)
}

// setResponse sets the attributes of the answer.
func (c *trackedCall) setResponse(s span, g *generation) {
	s.set(attrResponseID, clip(c.responseID))
	if !c.first.IsZero() {
		s.set(attrResponseModel, clip(cmp.Or(c.answered, c.model.Model)))
		if c.streams {
			s.set(attrFirstChunk, c.first.Sub(c.start).Seconds())
		}
	}
	stop := clip(c.stop)
	if stop == "" && g.cutIsError {
		stop = "error"
	}
	if stop != "" {
		s.set(attrFinishReasons, []string{stop})
	}
	s.set(attrUpstreamRequestID, clip(c.requestID))
	for _, count := range []struct {
		key    string
		tokens int
	}{
		{attrInputTokens, c.inputTokens()}, {attrOutputTokens, c.usage.OutputTokens},
		{attrCacheRead, c.usage.CacheReadInputTokens}, {g.cacheWrite, c.usage.CacheCreationInputTokens},
	} {
		if count.tokens > 0 {
			s.set(count.key, count.tokens)
		}
	}
}
