package proxy

import (
	"fmt"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// render returns the prompt for a model. What the spec of the model does not allow is
// taken out of the prompt and named in x-dragoman-dropped, or refused if compat is
// strict. The spec is that of m without what the model has refused.
func (x *exchange) render(req *messages.Request, m UpstreamModel, spec upstream.Model) (*translate.Prompt, error) {
	began := x.elapsed()
	p, err := translate.RenderContext(x.r.Context(), req, m.Target(spec))
	x.record.Render += x.elapsed() - began
	if err != nil {
		return nil, causeOr(x.r.Context(), err)
	}
	if err := m.checkParts(p); err != nil {
		return nil, x.conversion.Error(err)
	}
	if p.MaxTokens < req.MaxTokens && !x.conversion.HasOpenLength() {
		if x.s.strict {
			return nil, x.conversion.Error(&messages.InvalidRequestError{
				Path:    "max_tokens",
				Message: fmt.Sprintf("%d > %d, which is the maximum allowed number of output tokens for %s", req.MaxTokens, p.MaxTokens, clip(m.Model)),
			})
		}
		x.drop("max_tokens")
	}
	x.dropSampling(p, spec.Can)
	if x.s.strict && len(x.record.Dropped) > 0 {
		return nil, &messages.InvalidRequestError{Path: x.record.Dropped[0], Message: "this model does not take it"}
	}
	return p, nil
}

// dropSampling takes the parameters out of the prompt that the model does not take.
func (x *exchange) dropSampling(p *translate.Prompt, can upstream.Features) {
	if p.Temperature != nil && !can.Has(upstream.Sampling) {
		x.drop("temperature")
		p.Temperature = nil
	}
	if p.TopP != nil && !can.Has(upstream.Sampling) {
		x.drop("top_p")
		p.TopP = nil
	}
	if p.TopK != nil && !can.Has(upstream.TopK) {
		x.drop("top_k")
		p.TopK = nil
	}
}
