package upstream

import (
	"context"
	"net/http"
	"strings"
)

// Request is what an upstream is sent, in the words of its wire: that of a call that is about to be made,
// shown without making it. It is made by what makes the call's own. Credentials, the time and the id of a
// call are not in it.
type Request struct {
	Wire   string      // messages, text, converse or chat
	URL    string      // to which it is sent, by POST
	Header http.Header // what of the header says more of the request: its version, betas, a guardrail
	Body   []byte      // JSON, as it is sent
}

// The names of the wires, as the configuration has them.
const (
	wireMessages = "messages"
	wireText     = "text"
	wireConverse = "converse"
	wireChat     = "chat"
)

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

// show returns the request that would send a body. If err, the error of writing the body, is not nil, it
// is returned.
func (e *endpoint) show(ctx context.Context, wire string, body []byte, err error) (Request, error) {
	if err != nil {
		return Request{}, err
	}
	r, err := e.request(ctx, http.NoBody)
	if err != nil {
		return Request{}, err
	}
	return shown(wire, r, body), nil
}

// showBedrock returns the request that would have Bedrock answer. If err, the error of writing the body,
// is not nil, it is returned.
func showBedrock[P portion](ctx context.Context, b *Bedrock, m Model, wire string, request bedrockRequest[P], err error) (Request, error) {
	if err != nil {
		return Request{}, err
	}
	if err := checkModelID(m.ID); err != nil {
		return Request{}, err
	}
	plan, err := b.blueprint(ctx, request.op)
	if err != nil {
		return Request{}, bedrockError(err)
	}
	r, body := plan.request(ctx, request.op, m, request.data)
	return shown(wire, r, body.data), nil
}
