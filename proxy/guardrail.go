package proxy

import (
	"slices"

	"dragoman/translate"
)

// guarded returns the ways that keep the guardrail of the request: all, if there is
// none. It is an error if the first one does not.
func (x *exchange) keepingGuardrail(ways []UpstreamModel, stream bool) ([]UpstreamModel, error) {
	if x.guardrail == nil {
		return ways, nil
	}
	if !stream {
		x.guardrail.Mode = "" // an answer that is whole has been looked at
	}
	keeps := func(w UpstreamModel) bool {
		via, ok := x.s.upstreams[w.UpstreamKey()].(GuardedUpstream)
		return ok && via.Keeps(w.Spec(), x.guardrail.Guardrail)
	}
	if !keeps(ways[0]) {
		return nil, &translate.InvalidRequestError{
			Path: x.guardrail.Name,
			Message: "The guardrail cannot be kept: this model is not asked on Amazon Bedrock, or by an operation there that cannot be told all of it. " +
				"Ask a model of an upstream of the kind bedrock, or leave the guardrail out.",
		}
	}
	return slices.DeleteFunc(slices.Clone(ways), func(w UpstreamModel) bool { return !keeps(w) }), nil
}
