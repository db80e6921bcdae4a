package upstream

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoCounter says that an upstream does not count tokens.
var ErrNoCounter = errors.New("the upstream does not count tokens")

// Native is a request for a model with a tool API of its own, in the terms of the
// Messages API. It goes to the model as it is, but for what says which model it is
// for and how the answer comes.
type Native struct {
	Body    jsontext.Value // a JSON object without duplicate names
	Version string         // anthropic-version of the client; "" if it gave none
	Betas   []string       // anthropic-beta
}
