package proxy

import (
	"dragoman/translate"
	"dragoman/upstream"
)

// UpstreamModel is a model of an upstream and how to ask it: one entry under models in the configuration, or one of its
// fallbacks. A field with the tag yaml is a key of the entry, and its comment documents the key. Empty fields have the
// key's default. Package cmd/dragoman/internal/config reads the tags.
type UpstreamModel struct {
	// The name of an entry of `upstreams`.
	Upstream string `yaml:"upstream" required:"true" example:"east" see:"reference/upstreams.md#kinds"`

	// The id of the model at the upstream.
	Model string `yaml:"model" usually:"the name that the client asks for" example:"anthropic.claude-v2:1" see:"reference/configuration.md#models"`

	// The API that Dragoman uses for the model.
	Wire string `yaml:"wire" words:"messages text converse chat prompt" usually:"depends on the upstream and the id" example:"text" see:"reference/upstreams.md#wires"`

	// How the model gets tools. `xml`: in the prompt. `native`: over the upstream's tools API, of the Messages API or
	// of chat completions. `auto`: native until the upstream says that the model has no tools, then in the prompt.
	Tools string `yaml:"tools" default:"xml" words:"xml native auto" example:"auto" see:"how-to/native-tools.md"`

	translate.ModelOptions // the keys from `format` to `rescue`

	// Whether Dragoman asks the server to constrain the model with a grammar, if a call is forced or the answer must be
	// JSON. `off`: no. `try`: yes; if the server refuses or ignores the grammar, Dragoman asks without it. `require`:
	// yes; otherwise the client gets an error.
	Constrain string `yaml:"constrain" default:"off" words:"off try require" example:"try" see:"explanation/guided-decoding.md"`

	// Whether `constrain` also applies if the model may choose not to call. The grammar then applies from the
	// beginning of a call. Text that contains such a beginning becomes a call.
	ConstrainAuto bool `yaml:"constrain_auto" default:"false" example:"true" see:"explanation/guided-decoding.md#free-choice"`

	// How the server takes grammars, for the wire `chat`.
	Guided string `yaml:"guided" words:"vllm sglang llama.cpp json_schema bedrock-import fireworks none" usually:"what the server reports" example:"llama.cpp" see:"explanation/guided-decoding.md#servers"`

	Kind     upstream.Kind     // the kind of the upstream
	Features upstream.Override // overrides what is known about the model's family

	Entry string            // the id or, without an id, the configured name of the entry; set by Route.For
	Asked string            // the name that the client asks for; set by For
	Told  upstream.Resolved // what the upstream reports about the model; empty until it is known
}

// How a model gets tools.
const (
	ToolsXML    = "xml"    // in its prompt
	ToolsNative = "native" // through its own API
	ToolsAuto   = "auto"   // through its own API, until it refuses tools
)
