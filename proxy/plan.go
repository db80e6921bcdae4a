package proxy

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream"
)

// Plan is what a model would be asked for a request of the Messages API. Asking, counting and showing all use a Plan,
// so that they reject the same requests.
type Plan struct {
	Model   UpstreamModel
	Spec    upstream.Model
	Request *messages.Request
	Prompt  *translate.Prompt // nil if the request passes through to the model's own tools API
	Checks  *translate.Checks // checks of the answer; nil for none
	Native  upstream.Native   // the request that passes through instead of a prompt
	Call    *upstream.Call    // nil without an upstream
	// Unconstrained is the reason why the answer is not constrained, although the model's entry asks for it.
	Unconstrained string

	asks bool // there is an upstream
}

// Planned is a request to make a [Plan] of. It is decoded only as far as the model needs it.
type Planned struct {
	Decode func() (*messages.Request, error)                  // for a model that gets a prompt
	Native func() (*messages.Request, upstream.Native, error) // for a model that gets the request itself
}

// Plan returns what the model would be asked through its upstream, and calls nothing. spec is the model's spec, or less
// after the model refused a feature. Without an upstream, the model gets a prompt.
func (m UpstreamModel) Plan(ctx context.Context, up Upstream, spec upstream.Model, from Planned, rules RenderRules) (*Plan, error) {
	p := &Plan{Model: m, Spec: spec, asks: up != nil}
	api, err := m.toolAPI(up, spec)
	if err != nil {
		return nil, err
	}
	if spec.Wire == WirePrompt && m.chatTemplate() == "" {
		return nil, m.errNoFamily()
	}
	if api == upstream.PassesRequest {
		if p.Request, p.Native, err = from.Native(); err != nil {
			return p, err
		}
		if err := p.constrain(ctx); err != nil {
			return nil, err
		}
		p.Call, err = up.PrepareNative(spec, p.Native)
		return p, err
	}
	if p.Request, err = from.Decode(); err != nil {
		return nil, err
	}
	if last := len(p.Request.Messages) - 1; rules.Counts && p.Request.Messages[last].Role == messages.RoleAssistant {
		p.Spec.Can |= upstream.Prefill // a count never continues the message
	}
	rules.toolAPI = api == upstream.TakesTools
	p.guide()
	if p.Prompt, p.Checks, err = p.Model.render(ctx, p.Request, p.Spec, rules); err != nil {
		return nil, rules.renamed(err)
	}
	if err := p.constrain(ctx); err != nil {
		return nil, err
	}
	if up != nil {
		p.Call, err = up.Prepare(p.Spec, p.Prompt)
	}
	return p, err
}

// toolAPI returns how the model gets tools. If the entry requires a tools API and the model has none, it returns an
// error.
func (m UpstreamModel) toolAPI(up Upstream, spec upstream.Model) (upstream.ToolAPI, error) {
	switch {
	case up == nil || !m.usesToolAPI(spec):
		return upstream.NoToolAPI, nil
	case spec.Tools == upstream.NoToolAPI && m.Tools == ToolsNative:
		return spec.Tools, &messages.InvalidRequestError{
			Fault: messages.FaultUnsupported, Path: "model", Message: clip(m.Model) + " has no tools API; set tools: xml for it",
		}
	}
	return spec.Tools, nil
}

// Sent returns the first request that the upstream would get. It is empty if there would be none.
func (p *Plan) Sent(ctx context.Context) (upstream.Request, error) {
	if p.Call == nil || p.Call.Show == nil {
		return upstream.Request{}, nil
	}
	return p.Call.Show(ctx)
}

// JSON returns the prompt, together with its string if the wire takes raw prompts. For a request that passes through,
// it returns that request, marked as such.
func (p *Plan) JSON(ctx context.Context) ([]byte, error) {
	if p.Prompt != nil {
		data, err := json.Marshal(p.Prompt)
		raw := p.Prompt.Raw()
		if err != nil || raw == nil {
			return data, err
		}
		value, err := json.Marshal(raw)
		return rawjson.WithMembers(data, map[string]jsontext.Value{"raw": value}), err
	}
	sent, err := p.Sent(ctx)
	if err != nil {
		return nil, err
	}
	return rawjson.WithMembers([]byte(`{"tools":"native"}`), map[string]jsontext.Value{"body": sent.Body}), nil
}

// plan plans what the model is asked for the exchange's request. request is what was decoded before; nil if nothing
// was. x-dragoman-dropped names the dropped fields.
func (x *exchange) plan(body *messages.Body, request *messages.Request, m UpstreamModel, spec upstream.Model, rules RenderRules) (*Plan, error) {
	var began time.Duration
	renders := false // false: the request passes through, or was rejected before
	p, err := m.Plan(x.r.Context(), x.s.upstreams[m.Upstream], spec, Planned{
		Decode: func() (req *messages.Request, err error) {
			if req = request; req == nil {
				body.KeepsThinking = m.unaskedThinking() == translate.UnaskedBlock
				req, err = x.decode(body)
			}
			if err == nil {
				x.record.setDropped(req.Dropped)
				began, renders = x.record.elapsed(), true
			}
			return req, err
		},
		Native: func() (*messages.Request, upstream.Native, error) {
			req, err := x.readNative(body)
			if err != nil {
				return nil, upstream.Native{}, err
			}
			return req, x.dialect.nativeRequest(x.r.Header, body), nil
		},
	}, rules)
	if renders {
		x.record.Render += x.record.elapsed() - began
	}
	return p, err
}

// preview plans what the model would be asked for the exchange's request, without sending it.
func (x *exchange) preview(body *messages.Body, m UpstreamModel) (*Plan, error) {
	x.record.header.Set("X-Dragoman-Upstream", m.Upstream)
	return x.plan(body, nil, m, x.specOf(m, body.Stream), x.renderRules())
}

// Trial is what a server would ask a model for a request, and where the parts of the prompt come from.
type Trial struct {
	Prompt  *translate.Prompt
	Origins *translate.Origins
	Dropped []string // the fields that the model does not get, under their names in the Messages API
}

// Try renders a request of the Messages API as the server would for the first model of its name. It calls nothing. The
// error is the one that a client would get.
func (s *Server) Try(ctx context.Context, req *messages.Request) (*Trial, error) {
	route, err := s.route(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	trial := &Trial{Origins: &translate.Origins{}, Dropped: req.Dropped}
	m := s.told(ctx, route).UpstreamModel
	p, err := m.Plan(ctx, nil, m.Spec(), Planned{Decode: func() (*messages.Request, error) { return req, nil }}, RenderRules{
		Strict: s.strict, Origins: trial.Origins, kept: s.kept,
		Drop: func(field string) { trial.Dropped = append(trial.Dropped, field) },
	})
	if err != nil {
		return nil, err
	}
	trial.Prompt = p.Prompt
	return trial, nil
}

// specOf returns the spec of a model for this exchange: the model's features and the guardrail that its answer must
// pass.
func (x *exchange) specOf(m UpstreamModel, stream bool) upstream.Model {
	spec := x.s.refusals.applyTo(m)
	if g := x.guardrail; g != nil {
		spec.Guardrail = &g.Guardrail
		if !stream { // the guardrail judges the whole answer, not each piece
			spec.Can &^= upstream.Streaming
		}
	}
	return spec
}

// withGuardrail returns the models whose upstream can apply the request's guardrail: all models, if the request has
// none. If the first model cannot, it returns an error. A guardrail is a safety control, so it is never dropped, not
// even under compat: lenient.
func (x *exchange) withGuardrail(models []UpstreamModel, stream bool) ([]UpstreamModel, error) {
	if x.guardrail == nil {
		return models, nil
	}
	if !stream {
		x.guardrail.Mode = "" // modes are for streams; a whole answer is always judged before it is sent
	}
	keeps := func(m UpstreamModel) bool {
		return m.Spec().Keeps(x.guardrail.Guardrail)
	}
	if !keeps(models[0]) {
		return nil, &messages.InvalidRequestError{
			Fault: messages.FaultUnsupported,
			Path:  x.guardrail.Name,
			Message: "The guardrail cannot be applied: this model is not on Amazon Bedrock, or its operation there does not support all of the guardrail. " +
				"Ask for a model of a bedrock upstream, or remove the guardrail.",
		}
	}
	return slices.DeleteFunc(slices.Clone(models), func(m UpstreamModel) bool { return !keeps(m) }), nil
}
