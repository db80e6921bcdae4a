package upstream

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Call is what a model is asked, ready to be run, counted or shown. Each function makes what it needs of
// the same body.
type Call struct {
	// Chunks sends the prompt and returns the answer. It is nil for a client's own request.
	Chunks func(context.Context) iter.Seq2[translate.Chunk, error]
	// Events sends a client's own request and returns the events of the answer. Each has a Raw, which is
	// valid until the next one. It is nil for a prompt.
	Events func(context.Context) iter.Seq2[messages.Event, error]
	// Count returns how many tokens the prompt, or the request, has. It is nil if the upstream does not
	// count.
	Count func(context.Context) (int, error)
	// Show returns what Chunks or Events would send. It is nil if nothing would be sent.
	Show func(context.Context) (Request, error)
}

// The names of the wires, as the configuration has them.
const (
	WireMessages = "messages" // the Messages API
	WireText     = "text"     // text completions: the whole prompt is one text
	WireConverse = "converse" // Converse of Bedrock, the same for all families
	WireChat     = "chat"     // chat completions
	WirePrompt   = "prompt"   // completions: the whole prompt is one text in the model's own chat template
)

// Request is what an upstream is sent, in the words of its wire. Credentials, the time and the id of a
// call are not in it.
type Request struct {
	Wire   string
	URL    string      // to which it is sent, by POST
	Header http.Header // what of the header says more of the request: its version, betas, a guardrail
	Body   []byte      // JSON, as it is sent
}

// shown returns a request that is not going to be sent.
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

// Prepare returns the call that asks the model with a prompt.
func (f Func) Prepare(m Model, p *translate.Prompt) (*Call, error) {
	return &Call{Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] { return f(ctx, m, p) }}, nil
}

// Passes reports false: there is no tool API.
func (Func) Passes(Model) bool { return false }

// TakesTools reports false: there is no tool API.
func (Func) TakesTools(Model) bool { return false }

// PrepareNative returns an error: there is no tool API.
func (Func) PrepareNative(Model, Native) (*Call, error) { return nil, errNoToolAPI }

// Keeps reports false.
func (Func) Keeps(Model, Guardrail) bool { return false }

// ListModels returns no models.
func (Func) ListModels(context.Context) ([]Listed, error) { return nil, nil }

// Resolve returns nothing.
func (Func) Resolve(context.Context, Model) Resolved { return Resolved{} }

// errNoToolAPI is for a request that was passed to a model without asking whether it can be.
var errNoToolAPI = internalError.error("the upstream has no tool API that a request could go through to")
