package proxy

import (
	"slices"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// specOf returns what the upstream is told of a model for this exchange: what the model can be asked, and
// the guardrail that its answer has to pass.
func (x *exchange) specOf(m UpstreamModel, stream bool) upstream.Model {
	spec := x.s.refusals.applyTo(m)
	if g := x.guardrail; g != nil {
		spec.Guardrail = &g.Guardrail
		if !stream { // the guardrail judges the whole answer, not one piece after another
			spec.Can &^= upstream.Streaming
		}
	}
	return spec
}

// withGuardrail returns those of the models whose upstream can have the answer pass the
// guardrail of the request: all, if it asks for none. It is an error if the first model
// is not one of them. A guardrail is a control for safety, so it is never dropped, also
// where compat is lenient.
func (x *exchange) withGuardrail(models []UpstreamModel, stream bool) ([]UpstreamModel, error) {
	if x.guardrail == nil {
		return models, nil
	}
	if !stream {
		x.guardrail.Mode = "" // the modes are for streams; a whole answer is always judged before it is sent
	}
	keeps := func(m UpstreamModel) bool {
		return x.s.upstreams[m.Upstream].Keeps(m.Spec(), x.guardrail.Guardrail)
	}
	if !keeps(models[0]) {
		return nil, &messages.InvalidRequestError{
			Fault: messages.FaultUnsupported,
			Path:  x.guardrail.Name,
			Message: "The guardrail cannot be kept: this model is not asked on Amazon Bedrock, or by an operation there that cannot be told all of it. " +
				"Ask a model of an upstream of the kind bedrock, or leave the guardrail out.",
		}
	}
	return slices.DeleteFunc(slices.Clone(models), func(m UpstreamModel) bool { return !keeps(m) }), nil
}
