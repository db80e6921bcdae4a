package inspector

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/proxy/convert"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// A kept completion can be parsed again under other keys of a model's entry. No model is called.

// change has the changed keys of a model's entry; "" means unchanged.
type change struct {
	Format          string `json:"format,omitzero"`
	Accept          string `json:"accept,omitzero"` // in addition to the accepted formats
	QuotedCalls     string `json:"quoted_calls,omitzero"`
	Thinking        string `json:"thinking,omitzero"`
	UnaskedThinking string `json:"unasked_thinking,omitzero"`
	Rescue          bool   `json:"rescue,omitzero"`
}

// target returns the changed target. A different format only adds to the formats that are read, because the completion
// answers the original prompt.
func (c change) target(t translate.Target) translate.Target {
	if accept := cmp.Or(c.Accept, c.Format); accept != "" {
		t.Accept = append(slices.Clip(t.Accept), accept)
	}
	t.QuotedCalls = cmp.Or(c.QuotedCalls, t.QuotedCalls)
	t.Thinking = cmp.Or(c.Thinking, t.Thinking)
	t.UnaskedThinking = cmp.Or(c.UnaskedThinking, t.UnaskedThinking)
	t.Rescue = new(t.Rescues() || c.Rescue)
	return t
}

// check returns an error if the change has an unknown value.
func (c change) check() error {
	for _, word := range []struct {
		key, value string
		values     []string
	}{
		{"format", c.Format, translate.Formats()},
		{"accept", c.Accept, append(translate.AcceptedFormats(), translate.AcceptAll)},
		{"quoted_calls", c.QuotedCalls, []string{translate.QuotedRead}},
		{"thinking", c.Thinking, thinkings},
		{"unasked_thinking", c.UnaskedThinking, unaskedThinkings},
	} {
		if word.value != "" && !slices.Contains(word.values, word.value) {
			return &problem{http.StatusBadRequest, word.key + ": unknown value. Use one of: " + strings.Join(word.values, ", ")}
		}
	}
	return nil
}

// The values of the keys thinking and unasked_thinking.
var (
	thinkings        = []string{translate.ThinkingMarked, translate.ThinkingMaybe, translate.ThinkingOpen}
	unaskedThinkings = []string{translate.UnaskedBlock, translate.UnaskedText, translate.UnaskedHide}
)

// answered is a completion with everything that parsing it needs.
type answered struct {
	req            *messages.Request
	target         translate.Target
	text, thinking string
	stop           messages.Stop
	sequence       string

	body            []byte // the request, in JSON
	opening, format string // of the prompt
}

// reading is the result of parsing a completion.
type reading struct {
	events   []messages.Event
	outcomes []messages.Outcome
	spans    []Span
	held     []stretch // text that the parser held back, because it might have become a call
}

// calls returns the names of the called tools.
func (r *reading) calls() []string {
	names := []string{}
	for _, e := range r.events {
		if e.Type == messages.ContentBlockStart && e.Block.Type == messages.BlockToolUse {
			names = append(names, e.Block.Name)
		}
	}
	return names
}

// message returns the message of the Messages API.
func (r *reading) message() (*messages.Message, error) {
	m, err := messages.Collect(iter.Seq2[messages.Event, error](func(yield func(messages.Event, error) bool) {
		for _, e := range r.events {
			if !yield(e, nil) {
				return
			}
		}
	}))
	if err != nil {
		return nil, &problem{http.StatusConflict, "the completion cannot be read as a message: " + err.Error()}
	}
	return m, nil
}

// parse parses the completion under a change, in pieces of piece bytes. The result does not depend on the pieces, but
// smaller ones show what the parser held back.
func (a *answered) parse(ctx context.Context, c change, piece int) (*reading, error) {
	p, err := translate.RenderContext(ctx, a.req, c.target(a.target))
	if err != nil {
		return nil, &problem{http.StatusConflict, "the request cannot be rendered: " + err.Error()}
	}
	trace, r := translate.NewTrace(a.req, p), &reading{}
	read := func(chunk translate.Chunk) {
		step := trace.Read(chunk)
		r.events, r.outcomes = append(r.events, step.Events...), append(r.outcomes, step.Outcomes...)
		r.spans = readAs(r.spans, step)
		r.hold(step)
	}
	if a.thinking != "" {
		read(translate.Chunk{Thinking: a.thinking})
	}
	for text := a.text; text != ""; {
		n := min(piece, len(text))
		read(translate.Chunk{Text: text[:n]})
		text = text[n:]
	}
	read(translate.Chunk{Stop: a.stop, StopSequence: a.sequence})
	return r, ctx.Err()
}

// reparse answers with the completion's message, and with its message under the change in the body.
func (in *Inspector) reparse(w http.ResponseWriter, r *http.Request) error {
	x, err := in.opened(r)
	if err != nil {
		return err
	}
	var c change
	if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, mostAsking), &c, json.RejectUnknownMembers(true)); err != nil {
		return &problem{http.StatusBadRequest, "the body cannot be read: " + err.Error()}
	}
	if err := c.check(); err != nil {
		return err
	}
	n, err := number(r, "asked", 0)
	if err != nil {
		return err
	}
	a, err := x.answered(r.Context(), n, asItIs)
	if err != nil {
		return err
	}
	var both struct {
		Before jsontext.Value `json:"before"`
		After  jsontext.Value `json:"after"`
	}
	for _, one := range []struct {
		change change
		into   *jsontext.Value
	}{{change{}, &both.Before}, {c, &both.After}} {
		read, err := a.parse(r.Context(), one.change, max(len(a.text), 1))
		if err != nil {
			return err
		}
		m, err := read.message()
		if err != nil {
			return err
		}
		*one.into = m.AppendJSON(nil)
	}
	respond(w, http.StatusOK, both)
	return nil
}

// asItIs returns its argument.
func asItIs(s string) string { return s }

// answered returns the completion of the prompt with a number. It passes all texts through clean.
func (x *keptExchange) answered(ctx context.Context, n int64, clean func(string) string) (*answered, error) {
	a, err := x.copied(ctx, n)
	if err != nil {
		return nil, err
	}
	a.body = []byte(clean(string(a.body)))
	a.opening, a.text, a.thinking = clean(a.opening), clean(a.text), clean(a.thinking)
	if a.req, err = decoded(a.body); err != nil {
		return nil, err
	}
	a.req.ID = "msg_again"
	return a, nil
}

// decoded returns a request of the Messages API, which the proxy has accepted in the words of some API.
func decoded(body []byte) (*messages.Request, error) {
	req, err := messages.Decode(slices.Clone(body), messages.DecodeOptions{LooseNames: true, WideValues: true})
	if err != nil {
		return nil, &problem{http.StatusConflict, "the request cannot be read: " + err.Error()}
	}
	return req, nil
}

// copied returns a copy of the original completion. The exchange, which may still be running, waits only for the copy.
func (x *keptExchange) copied(ctx context.Context, n int64) (*answered, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p, err := x.promptAt(n)
	switch {
	case err != nil:
		return nil, err
	case p.native || p.served:
		return nil, &problem{http.StatusConflict, "the model's server reads the calls itself, so there is no text to parse"}
	case p.stop == "":
		return nil, &problem{http.StatusConflict, "the completion is not complete"}
	}
	body, err := x.messagesBody(ctx)
	if err != nil {
		return nil, err
	}
	a := p.answered()
	a.body, a.opening, a.format = body, p.opening(), p.format
	return a, nil
}

// answered returns the completion without its request. The caller holds the lock.
func (p *prompt) answered() *answered {
	return &answered{
		target: p.target, text: string(p.completion.all()), thinking: string(p.thinking.all()),
		stop: messages.Stop(p.stop), sequence: p.stopSequence,
	}
}

// conversions are the dialects with requests of another form.
var conversions = map[string]func(context.Context, []byte) (*convert.Conversion, error){
	"bedrock_converse": convert.FromConverse, "chat": convert.FromChat,
}

// messagesBody returns the request in the form of the Messages API. The caller holds the lock.
func (x *keptExchange) messagesBody(ctx context.Context) ([]byte, error) {
	if x.body.size == mostBody || x.line.LeftOut > 0 {
		return nil, errTooLong
	}
	body := x.body.all()
	if converts := conversions[x.line.Dialect]; converts != nil {
		converted, err := converts(ctx, body)
		if err != nil {
			return nil, &problem{http.StatusConflict, "the request cannot be read: " + err.Error()}
		}
		body = converted.Body
	}
	if jsontext.Value(body).Kind() != '{' || !jsontext.Value(body).IsValid() {
		return nil, &problem{http.StatusConflict, "the request is not JSON"}
	}
	model := jsontext.Value(rawjson.AppendString(nil, cmp.Or(x.line.Model, "any")))
	return rawjson.WithMembers(body, map[string]jsontext.Value{"model": model}), nil
}
