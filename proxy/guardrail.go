package proxy

import (
	"slices"

	"dragoman/translate"
)

// guarded returns the ways that keep the guardrail of the request: all, if there is
// none. It is an error if the first one does not.
func (x *exchange) guarded(ways []Way, stream bool) ([]Way, error) {
	if x.guardrail == nil {
		return ways, nil
	}
	if !stream {
		x.guardrail.Mode = "" // an answer that is whole has been looked at
	}
	keeps := func(w Way) bool {
		via, ok := x.s.upstreams[w.Via()].(GuardedUpstream)
		return ok && via.Keeps(w.Asked(), x.guardrail.Guardrail)
	}
	if !keeps(ways[0]) {
		return nil, &translate.InvalidRequestError{
			Path: x.guardrail.Name,
			Message: "The guardrail cannot be kept: this model is not asked on Amazon Bedrock, or by an operation there that cannot be told all of it. " +
				"Ask a model of an upstream of the kind bedrock, or leave the guardrail out.",
		}
	}
	return slices.DeleteFunc(slices.Clone(ways), func(w Way) bool { return !keeps(w) }), nil
}
