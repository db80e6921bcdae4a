package inspector

import (
	"context"
	"net/http"
	"strings"

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
	prompt *prompt // that was asked last
	call   *call   // that was made last
	trace  *translate.Trace
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
	for _, name := range keptHeaders {
		for _, value := range c.came.Values(name) {
			if n := len(name) + len(value); c.store.reserve(c.exchange, n) == n {
				c.change(func() { c.header = append(c.header, headerField{name, strings.ToValidUTF8(value, "\ufffd")}) })
			}
		}
	}
	keep(c, &c.body, body, mostBody)
	c.store.touch(c.exchange)
}

// asked begins another prompt.
func (c *capture) asked(m proxy.UpstreamModel, p *prompt) {
	p.at, p.upstream, p.model = c.elapsed(), m.Upstream, m.Model
	c.prompt, c.trace = p, nil
	c.change(func() {
		c.line.Model, c.line.Route, c.line.Stream = clip(c.record.Model), c.record.Pattern, c.record.Stream
		c.line.Upstream, c.line.UpstreamModel, c.line.Format = m.Upstream, clip(m.Model), p.format
		c.line.Prompts++
		if !c.gone {
			c.prompts = append(c.prompts, p)
		}
	})
}

// rendered keeps a prompt.
func (c *capture) rendered(m proxy.UpstreamModel, req *messages.Request, p *translate.Prompt) {
	kept := &prompt{again: p.Again(), format: m.FormatName(), stops: clipAll(p.StopSequences), most: p.MaxTokens}
	c.asked(m, kept)
	c.trace = translate.NewTrace(req, p)
	sources := sourcesOf(c.ctx, req, m.Target(m.Spec()))
	eachSection(p, func(s section, text string) {
		keep(c, &kept.text, text, mostPrompt)
		if c.store.reserve(c.exchange, sectionSize) < sectionSize {
			return
		}
		if spans := sources[s.Path].spans(text); c.store.reserve(c.exchange, len(spans)*sourceSize) == len(spans)*sourceSize {
			s.Sources = spans
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		s.End = kept.text.size
		kept.sections = append(kept.sections, s)
	})
	keep(c, &kept.tools, toolsOf(req), mostPrompt)
	c.mu.Lock()
	kept.golden = goldenOf(m, req)
	c.mu.Unlock()
	c.store.touch(c.exchange)
}

// passed keeps a body for a model's own tool API.
func (c *capture) passed(m proxy.UpstreamModel, body []byte) {
	p := &prompt{native: true}
	c.asked(m, p)
	keep(c, &p.text, body, mostPrompt)
	c.mu.Lock()
	defer c.mu.Unlock()
	p.sections = []section{{Path: "body", Role: "native", End: p.text.size}}
}

// calling begins a call.
func (c *capture) calling(ctx context.Context, m proxy.UpstreamModel) context.Context {
	call := &call{at: c.elapsed(), upstream: m.Upstream, model: m.Model}
	c.call = call
	c.change(func() {
		c.line.Calls++
		if !c.gone {
			c.calls = append(c.calls, call)
		}
	})
	return c.exchange.traced(ctx, call)
}

// called ends a call.
func (c *capture) called(err error) {
	c.change(func() {
		if c.call == nil {
			return
		}
		c.call.ended = c.elapsed()
		if err != nil {
			c.call.err = redact(clipTo(err.Error(), 4<<10))
		}
		c.call = nil
	})
}

// chunk keeps a piece of a completion, and what it was read as.
func (c *capture) chunk(chunk *translate.Chunk) {
	at, p := c.elapsed(), c.prompt
	var read translate.Step
	if c.trace != nil {
		read = c.trace.Read(*chunk)
	}
	keep(c, &p.completion, chunk.Text, mostText)
	keep(c, &p.thinking, chunk.Thinking, mostText)
	room := c.store.reserve(c.exchange, pieceSize+len(read.Spans)*spanSize) > 0
	c.change(func() {
		if c.gone { // what was kept is let go
			c.trace = nil
			return
		}
		c.line.Completion += int64(len(chunk.Text) + len(chunk.Thinking))
		if c.call != nil && c.call.firstChunk == 0 {
			c.call.firstChunk = at
		}
		next := piece{at, p.completion.size, p.thinking.size}
		if n := len(p.chunks); room && n < mostPieces {
			p.chunks = append(p.chunks, next)
		} else if n > 0 {
			p.chunks[n-1] = next
		}
		if room {
			p.spans = readAs(p.spans, read)
		}
		if chunk.Stop != "" {
			p.stop, p.stopSequence = string(chunk.Stop), chunk.StopSequence
		}
	})
}

// event keeps an event that the client gets.
func (c *capture) event(e *messages.Event) {
	next := event{at: c.elapsed(), name: e.Name(), index: e.Index}
	data := e.Text
	if e.Type == messages.ContentBlockDelta && e.Delta != messages.OtherDelta {
		next.delta = e.Delta.String()
	} else {
		data = e.AppendJSON(nil)
	}
	keep(c, &c.eventText, data, mostText)
	room := c.store.reserve(c.exchange, eventSize) > 0
	var outcomes []outcome
	if e.Type == messages.MessageDelta {
		outcomes = c.keptOutcomes(e.Message.Outcomes)
	}
	c.change(func() {
		c.line.Events++
		if c.gone {
			return
		}
		next.end = c.eventText.size
		if n := len(c.events); room && n < mostPieces {
			c.events = append(c.events, next)
		} else if n > 0 {
			c.events[n-1].end = next.end
		}
		c.noteEvent(e, next.at)
		c.outcomes = append(c.outcomes, outcomes...)
	})
}

// keptOutcomes returns as many outcomes as may be kept.
func (c *capture) keptOutcomes(all []messages.Outcome) []outcome {
	var kept []outcome
	for _, o := range all[:c.store.reserve(c.exchange, len(all)*outcomeSize)/outcomeSize] {
		kept = append(kept, outcome{string(o.Kind), clip(o.Tool), o.Reason})
	}
	return kept
}

// noteEvent keeps what an event says of the answer. The lock is held.
func (c *capture) noteEvent(e *messages.Event, at int64) {
	if c.line.FirstEvent == 0 {
		c.line.FirstEvent = at
	}
	switch e.Type {
	case messages.ContentBlockStart:
		if e.Block.Type == messages.BlockToolUse && len(c.line.Tools) < mostTools {
			c.line.Tools = append(c.line.Tools, clip(e.Block.Name))
		}
	case messages.MessageStart:
		c.line.InputTokens = e.Message.Usage.InputTokens
	case messages.MessageDelta:
		c.line.StopReason = clip(string(e.Message.StopReason))
		c.line.InputTokens, c.line.OutputTokens = e.Message.Usage.InputTokens, e.Message.Usage.OutputTokens
	}
}

// failed keeps what the client is told of a failure.
func (c *capture) failed(typ, message string) {
	c.change(func() { c.failure = &failure{clip(typ), redact(clipTo(message, 4<<10))} })
}

// ended ends the exchange.
func (c *capture) ended(r *metrics.Exchange) {
	c.prompt, c.trace = nil, nil
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
