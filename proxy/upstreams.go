package proxy

import (
	"context"

	"dragoman/translate"
	"dragoman/upstream"
)

// Upstream is where models are; package upstream has the implementations. A model of it is asked with a
// [upstream.Call]: its sequences are lazy, and have at most one error, which comes last. When their
// context ends, they end with its cause. Leaving the range cancels the call and releases all that it held.
type Upstream interface {
	// Prepare returns the call that asks the model with a prompt.
	Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error)

	// Passes reports whether the model can be asked over the Messages API, so that a client's own
	// request can go through to its tool API. A model without an ID is one that is not known yet.
	Passes(m upstream.Model) bool
	// TakesTools reports whether the model can be asked with a prompt for the tools API of its server:
	// [translate.Target.ToolAPI]. A model without an ID is one that is not known yet.
	TakesTools(m upstream.Model) bool
	// PrepareNative returns the call that passes a client's own request to such a model.
	PrepareNative(m upstream.Model, n upstream.Native) (*upstream.Call, error)

	// Keeps reports whether the answers of the model can be made to pass the guardrail of Bedrock, with
	// every option that g has.
	Keeps(m upstream.Model, g upstream.Guardrail) bool

	// ListModels returns the models that there are.
	ListModels(ctx context.Context) ([]upstream.Listed, error)

	// FamilyHint returns the most telling name of the model that a server really runs behind an id, "" as
	// long as it is not known. It does not wait: it asks the server once, for later calls.
	FamilyHint(model string) string
}
