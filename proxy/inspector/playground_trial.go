package inspector

import (
	"context"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// Try renders a request as a server would: [proxy.Server.Try].
type Try func(context.Context, *messages.Request) (*proxy.Trial, error)

// playground is what its endpoints share.
type playground struct {
	try    Try
	trials chan struct{} // has an element for each that is being made
}

// asked is what both endpoints are sent: a request, and for what it is rendered.
type asked struct {
	Request string `json:"request"` // the text of a request of the Messages API, which may be no JSON yet
	Model   string `json:"model"`   // a model of the server; "" for the format alone
	Format  string `json:"format"`
	Prefill bool   `json:"prefill"` // without a model: it takes a prefill
}

// trial returns the request, and what is asked of a model for it.
func (p *playground) trial(ctx context.Context, a *asked) (*messages.Request, *proxy.Trial, error) {
	req, err := messages.Decode([]byte(a.Request), messages.DecodeOptions{})
	if err != nil {
		return nil, nil, err
	}
	req.ID = "msg_playground"
	if a.Model != "" && p.try != nil {
		req.Model = a.Model
		trial, err := p.try(ctx, req)
		return req, trial, err
	}
	prompt, origins, err := translate.RenderOrigins(ctx, req, translate.Target{Format: a.Format, Prefill: a.Prefill})
	return req, &proxy.Trial{Prompt: prompt, Origins: origins, Dropped: req.Dropped}, err
}
