package inspector

import (
	"context"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// Try renders a request as a server would: [proxy.Server.Try].
type Try func(context.Context, *messages.Request) (*proxy.Trial, error)

// playground is the state of its endpoints.
type playground struct {
	try    Try
	trials chan struct{} // has an element for each trial in progress
}

// asked is the common part of both bodies: a request, and its model or format.
type asked struct {
	Request string `json:"request"` // the text of a request of the Messages API, perhaps not yet valid JSON
	Model   string `json:"model"`   // a model of the server; "": no model, only a format
	Format  string `json:"format"`
	Prefill bool   `json:"prefill"` // without a model: assume that the model takes a prefill
}

// trial returns the request, and what a model would be asked for it.
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
	prompt, origins, err := translate.RenderOrigins(ctx, req, translate.Target{ModelOptions: translate.ModelOptions{Format: a.Format}, Prefill: a.Prefill})
	return req, &proxy.Trial{Prompt: prompt, Origins: origins, Dropped: req.Dropped}, err
}
