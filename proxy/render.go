package proxy

import (
	"fmt"

	"dragoman/translate"
	"dragoman/upstream"
)

// render makes the prompt for a model as it is asked.
func (x *exchange) render(req *translate.Request, w UpstreamModel, asked upstream.Model) (*translate.Prompt, error) {
	can := asked.Can
	began := x.elapsed()
	p, err := translate.RenderContext(x.r.Context(), req, w.Target(asked))
	x.record.Render += x.elapsed() - began
	if err != nil {
		return nil, causeOr(x.r.Context(), err)
	}
	if err := w.checkParts(p); err != nil {
		return nil, x.conversion.Error(err)
	}
	if p.MaxTokens < req.MaxTokens && !x.conversion.HasOpenLength() {
		if x.s.strict {
			return nil, x.conversion.Error(&translate.InvalidRequestError{
				Path:    "max_tokens",
				Message: fmt.Sprintf("%d > %d, which is the maximum allowed number of output tokens for %s", req.MaxTokens, p.MaxTokens, clip(w.Model)),
			})
		}
		x.drop("max_tokens", true)
	}
	if !can.Has(upstream.Sampling) {
		x.drop("temperature", p.Temperature != nil)
		x.drop("top_p", p.TopP != nil)
		p.Temperature, p.TopP = nil, nil
	}
	if !can.Has(upstream.TopK) {
		x.drop("top_k", p.TopK != nil)
		p.TopK = nil
	}
	if x.s.strict && len(x.record.Dropped) > 0 {
		return nil, &translate.InvalidRequestError{Path: x.record.Dropped[0], Message: "this model does not take it"}
	}
	return p, nil
}
