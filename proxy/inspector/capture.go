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

// keptHeaders are the fields of a request's header that are kept. None of them holds a credential, and
// whatever decides how the request is answered is among them: it is sent again with them.
var keptHeaders = []string{
	"Content-Type", "Accept", "User-Agent", "Anthropic-Version", "Anthropic-Beta", "X-Dragoman-Dry-Run",
	"X-Amzn-Bedrock-Guardrailidentifier", "X-Amzn-Bedrock-Guardrailversion", "X-Amzn-Bedrock-Trace",
	"X-Amzn-Bedrock-Performanceconfig-Latency", "X-Amzn-Bedrock-Service-Tier",
}

// Bounds on single texts of an exchange, so that none leaves no room for the others.
const (
	mostBody   = 8 << 20
	mostPrompt = 8 << 20
	mostText   = mostOfOne
	mostTools  = 8 // names of tools in the list
)

// replaying is an exchange that is sent again. It is in the context of its request, by which the
// observer knows it.
type replaying struct {
	of    string
	began chan string // gets the id of the new exchange
}

type replayKey struct{}

func replayIn(ctx context.Context) *replaying {
	again, _ := ctx.Value(replayKey{}).(*replaying)
	return again
}

// capture is an exchange while it goes on. Its methods are the functions of a [proxy.Observation]:
// they are called one after another.
type capture struct {
	*exchange
	store  *store
	ctx    context.Context // of the request
	came   http.Header     // of the request
	record *metrics.Exchange
	heard  conversation // what the request holds
	before string       // the id of the exchange that it continues
	prompt *prompt      // that was asked last
	call   *call        // that was made last
	trace  *translate.Trace
	req    *messages.Request // that the prompt was rendered from

	admitted bool // the client was let in

	heardAt int64 // when the upstream was asked, or heard from last
}

// Observe returns what is kept of an exchange that begins; see [proxy.Observe].
func (in *Inspector) Observe(r *http.Request, record *metrics.Exchange) *proxy.Observation {
	line := Line{
		ID: record.RequestID, Kept: true, Dialect: record.Dialect,
		Client: clip(r.UserAgent()), Method: clip(r.Method), Path: clipTo(r.URL.EscapedPath(), mostPath),
	}
	again := replayIn(r.Context())
	if again != nil {
		line.Replay = again.of
	}
	c := &capture{exchange: in.store.begin(line), store: in.store, ctx: r.Context(), came: r.Header, record: record}
	if again != nil {
		again.began <- line.ID
	}
	return &proxy.Observation{
		Received: c.received, Rendered: c.rendered, Passed: c.passed, Calling: c.calling, Called: c.called,
		Chunk: c.chunk, Event: c.event, Failed: c.failed, Ended: c.ended,
	}
}

// change changes the exchange and tells the feeds.
func (c *capture) change(f func()) {
	defer c.store.touch(c.exchange)
	c.mu.Lock()
	defer c.mu.Unlock() // also if f panics: the exchange still has to end
	f()
}

// keep appends to a text of the exchange what may be kept of s, up to a size of the text.
func keep[S ~string | ~[]byte](c *capture, t *text, s S, most int64) {
	c.mu.Lock()
	whole := len(s)
	s = s[:max(0, min(int64(whole), most-t.size))]
	next := 0
	if more := len(s) - t.room(); more > 0 {
		next = t.block(more)
	}
	c.mu.Unlock()
	next = c.store.reserve(c.exchange, next)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.line.LeftOut += int64(whole - write(t, s, next))
	}
}

// received keeps the request, which a client has sent that was let in: one that was not can have
// nothing else let go for it.
func (c *capture) received(body []byte) {
	c.admitted = true
	for _, name := range keptHeaders {
		for _, value := range c.came.Values(name) {
			if n := len(name) + len(value); c.store.reserve(c.exchange, n) == n {
				c.change(func() { c.header = append(c.header, headerField{name, strings.ToValidUTF8(value, "\ufffd")}) })
			}
		}
	}
	keep(c, &c.body, body, mostBody)
	c.heard, c.before = c.store.listen(body)
	c.store.touch(c.exchange)
}

// hear notes that the upstream is heard from. The lock is held.
func (c *capture) hear(at int64) {
	c.line.Silent = max(c.line.Silent, at-c.heardAt)
	c.heardAt = at
}

// failed keeps what the client is told of a failure, which is an event, too, if the client was let in. A client that has
// left is told nothing.
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
		panic(err) // texts can always be written
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
