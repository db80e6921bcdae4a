package proxy

import (
	"context"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// PromptExplainer is an upstream that shows what Invoke would send. The simulated one sends nothing.
type PromptExplainer interface {
	Request(ctx context.Context, m upstream.Model, p *translate.Prompt) (upstream.Request, error)
}

// NativeExplainer is an upstream that shows what Pass would send.
type NativeExplainer interface {
	NativeRequest(ctx context.Context, m upstream.Model, n upstream.Native) (upstream.Request, error)
}

// preview is what a model would be asked first for the request of an exchange.
type preview struct {
	model  UpstreamModel
	spec   upstream.Model
	prompt *translate.Prompt // nil if the request goes through as it is
	checks *translate.Checks
	sent   upstream.Request // its Body is nil if the upstream sends nothing
}

// preview makes what the model would be asked by what makes it for a call, and calls nothing. The request
// is refused as it would be.
func (x *exchange) preview(body *messages.Body, m UpstreamModel) (p preview, err error) {
	x.w.Header().Set("X-Dragoman-Upstream", m.Upstream)
	p.model, p.spec = m, x.specOf(m, body.Stream)
	up := x.s.upstreams[m.UpstreamKey()]
	native, err := m.PassesTo(up, p.spec)
	if err != nil {
		return p, err
	}
	if native != nil {
		if _, err := x.readNative(body); err != nil {
			return p, err
		}
		if explainer, ok := native.(NativeExplainer); ok {
			p.sent, err = explainer.NativeRequest(x.r.Context(), p.spec, x.dialect.nativeRequest(x.r.Header, body))
		}
		return p, err
	}
	req, err := x.decode(body)
	if err != nil {
		return p, err
	}
	if p.prompt, p.checks, err = x.render(req, m, p.spec); err != nil {
		return p, err
	}
	if explainer, ok := up.(PromptExplainer); ok {
		p.sent, err = explainer.Request(x.r.Context(), p.spec, p.prompt)
	}
	return p, err
}

// json returns the prompt or, marked as such, the request that goes through as it is.
func (p *preview) json() ([]byte, error) {
	if p.prompt == nil {
		return NativeJSON(p.sent.Body), nil
	}
	return json.Marshal(p.prompt)
}
