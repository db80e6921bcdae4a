package inspector

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// keptHeaders are the request headers that are kept. None carries a credential, and they include every header that
// affects the answer, because a replay sends them.
var keptHeaders = []string{
	"Content-Type", "Accept", "User-Agent", "Anthropic-Version", "Anthropic-Beta", "X-Dragoman-Dry-Run",
	"X-Amzn-Bedrock-Guardrailidentifier", "X-Amzn-Bedrock-Guardrailversion", "X-Amzn-Bedrock-Trace",
	"X-Amzn-Bedrock-Performanceconfig-Latency", "X-Amzn-Bedrock-Service-Tier",
}

// Limits for single texts of an exchange, so that each leaves room for others.
const (
	mostBody   = 8 << 20
	mostPrompt = 8 << 20
	mostText   = mostOfOne
	mostTools  = 8 // tool names in the list
)

// replaying is in the context of a replayed request, so that the observer recognizes it.
type replaying struct {
	of    string
	began chan string // receives the id of the new exchange
}

type replayKey struct{}

func replayIn(ctx context.Context) *replaying {
	again, _ := ctx.Value(replayKey{}).(*replaying)
	return again
}

// capture records an exchange in progress. Its methods are the functions of a [proxy.Observation], which are called one
// after another.
type capture struct {
	*keptExchange
	store  *store
	ctx    context.Context // of the request
	came   http.Header     // of the request
	record *metrics.Exchange
	heard  conversation // the conversation in the request
	before string       // the id of the exchange that this one continues
	prompt *prompt      // the last prompt
	call   *keptCall    // the last call
	trace  *translate.Trace
	req    *messages.Request // the request of the prompt

	admitted bool // the client passed authentication

	heardAt int64 // when the upstream was called, or last sent something
}

// Observe starts the record of an exchange; see [proxy.Observe].
func (in *Inspector) Observe(r *http.Request, record *metrics.Exchange) *proxy.Observation {
	line := Line{
		ID: record.RequestID, Kept: true, Dialect: record.Dialect,
		Client: clip(r.UserAgent()), Method: clip(r.Method), Path: clipTo(r.URL.EscapedPath(), mostPath),
	}
	again := replayIn(r.Context())
	if again != nil {
		line.Replay = again.of
	}
	c := &capture{keptExchange: in.store.begin(line), store: in.store, ctx: r.Context(), came: r.Header, record: record}
	if again != nil {
		again.began <- line.ID
	}
	return &proxy.Observation{
		Received: c.received, Rendered: c.rendered, Passed: c.passed, Calling: c.calling, Called: c.called,
		Chunk: c.chunk, Event: c.event, Failed: c.failed, Ended: c.ended,
	}
}

// change runs f, which changes the exchange, and tells the feeds.
func (c *capture) change(f func()) {
	defer c.store.touch(c.keptExchange)
	c.mu.Lock()
	defer c.mu.Unlock() // also if f panics, because the exchange still has to end
	f()
}

// keep appends to a text of the exchange as much of s as may be kept, up to a size of the text.
func keep[S ~string | ~[]byte](c *capture, t *text, s S, most int64) {
	c.mu.Lock()
	whole := len(s)
	s = s[:max(0, min(int64(whole), most-t.size))]
	next := 0
	if more := len(s) - t.room(); more > 0 {
		next = t.block(more)
	}
	c.mu.Unlock()
	next = c.store.reserve(c.keptExchange, next)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.line.LeftOut += int64(whole - write(t, s, next))
	}
}

// received keeps the request of an authenticated client. Other requests are not kept, so that strangers cannot push out
// what is kept.
func (c *capture) received(body []byte) {
	c.admitted = true
	for _, name := range keptHeaders {
		for _, value := range c.came.Values(name) {
			if n := len(name) + len(value); c.store.reserve(c.keptExchange, n) == n {
				c.change(func() { c.header = append(c.header, headerField{name, strings.ToValidUTF8(value, "\ufffd")}) })
			}
		}
	}
	keep(c, &c.body, body, mostBody)
	c.heard, c.before = c.store.listen(body)
	c.store.touch(c.keptExchange)
}

// hear notes that the upstream sent something. The caller holds the lock.
func (c *capture) hear(at int64) {
	c.line.Silent = max(c.line.Silent, at-c.heardAt)
	c.heardAt = at
}

// failed keeps the error that the client gets. If the client passed authentication, the error is also an event. A
// client that has left gets nothing.
func (c *capture) failed(typ, message string) {
	if typ == "" {
		return
	}
	f := &failure{clip(typ), redact(clipTo(message, 4<<10))}
	c.change(func() { c.failure = f })
	if !c.admitted {
		return
	}
	data, err := json.Marshal(struct {
		Type  string   `json:"type"`
		Error *failure `json:"error"`
	}{"error", f})
	if err != nil {
		panic(err) // texts always marshal
	}
	c.keepEvent(event{at: c.elapsed(), name: "error"}, data, func() {})
}

// ended ends the exchange.
func (c *capture) ended(r *metrics.Exchange) {
	c.prompt, c.trace, c.req = nil, nil, nil
	c.change(func() {
		l := &c.line
		l.Open, l.Duration = false, c.elapsed()
		l.Status, l.ErrorType, l.Terminal = r.Status, clip(r.ErrorType), string(r.Terminal)
		l.Model, l.Route, l.Stream, l.KeyID = clip(r.Model), r.Pattern, r.Stream, r.KeyID
		l.Upstream, l.UpstreamModel = r.Upstream, clip(r.UpstreamModel)
		l.Dropped, l.Unmet = clipAll(r.Dropped), clipAll(r.Unmet)
		c.overhead = overhead{r.Decode.Microseconds(), r.Render.Microseconds(), r.Parse.Microseconds(), r.Encode.Microseconds()}
	})
}
