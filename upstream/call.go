package upstream

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Call is a request to a model, ready to be run, counted or shown. All its functions use the same body.
type Call struct {
	// Chunks sends the prompt and returns the answer. It is nil for a client's own request.
	Chunks func(context.Context) iter.Seq2[translate.Chunk, error]
	// Events sends a client's own request and returns the events of the answer. Each event has a Raw, which
	// is valid until the next event. Events is nil for a prompt.
	Events func(context.Context) iter.Seq2[messages.Event, error]
	// Count returns how many tokens the prompt or the request has. It is nil if the upstream cannot count.
	Count func(context.Context) (int, error)
	// Show returns the request that Chunks or Events would send. It is nil if they would send nothing.
	Show func(context.Context) (Request, error)
}

// Request is a request to an upstream, in the words of its wire. It holds no credentials, no time and no call
// id.
type Request struct {
	Wire   string
	URL    string      // the target of the POST
	Header http.Header // the headers that say more about the request: its version, betas, a guardrail
	Body   []byte      // the JSON that is sent
}

// shown returns the description of a request that Dragoman does not send.
func shown(wire string, r *http.Request, body []byte) Request {
	header := http.Header{}
	for name, values := range r.Header {
		name = http.CanonicalHeaderKey(name)
		if name == "Anthropic-Version" || name == "Anthropic-Beta" || strings.HasPrefix(name, "X-Amzn-Bedrock-") {
			header[name] = values
		}
	}
	return Request{wire, r.URL.String(), header, body}
}

// Func is an upstream that only answers prompts, such as a program that plays a model.
type Func func(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error]

// Prepare returns the call that sends the model a prompt.
func (f Func) Prepare(m Model, p *translate.Prompt) (*Call, error) {
	return &Call{Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] { return f(ctx, m, p) }}, nil
}

// PrepareNative returns an error: the upstream has no tool API.
func (Func) PrepareNative(Model, Native) (*Call, error) { return nil, errNoToolAPI }

// ListModels returns no models.
func (Func) ListModels(context.Context) ([]Listed, error) { return nil, nil }

// Resolve returns nothing.
func (Func) Resolve(context.Context, Model) Resolved { return Resolved{} }

// errNoToolAPI is the error of PrepareNative for a model without a tool API. Callers look at [Model.Tools] first.
var errNoToolAPI = internalError.error("the upstream has no tool API, so it cannot take the client's request unchanged")
