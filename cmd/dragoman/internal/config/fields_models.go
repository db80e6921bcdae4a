package config

import (
	"dragoman/proxy"
	"dragoman/upstream"
)

// Route is an entry of models.
type Route struct {
	// The name that clients ask for. `*` matches any text.
	Name string `yaml:"name" required:"true" example:"claude-2.1" see:"reference/configuration.md#models"`

	Model

	// Models to ask in this order when the upstream fails. Each has the keys of an entry of `models` except `name` and
	// `fallbacks`. A fallback inherits `format`, `template` and `language` from its entry.
	Fallbacks []Model `yaml:"fallbacks" example:"[{upstream: relay, model: claude-3-haiku-20240307}]" see:"reference/upstream-errors.md"`

	anyName bool // see [proxy.Route.AnyName]
}

// Model is a model of an upstream, and how to ask it: the keys that entries and fallbacks share.
type Model struct {
	proxy.UpstreamModel
	Features `usually:"depends on the family of the model" example:"false" see:"reference/configuration.md#what-a-model-can-be-asked"`
}

// Features are what a model supports, if its family does not tell. The names are in [upstream.FeatureNames].
type Features struct {
	// Whether the model continues a last assistant message.
	Prefill *bool `yaml:"prefill"`

	// Whether the model accepts a system prompt, on the wires `converse` and `chat`.
	System *bool `yaml:"system"`

	// Whether the model streams its answers, on the wires `converse` and `chat`.
	Streaming *bool `yaml:"streaming"`

	// Whether the model accepts stop sequences, on the wires `converse` and `chat`.
	StopSequences *bool `yaml:"stop_sequences"`

	// Whether the model accepts images.
	Images *bool `yaml:"images"`

	// Whether the model accepts documents.
	Documents *bool `yaml:"documents"`

	// Whether the model accepts sampling parameters, such as `temperature`.
	Sampling *bool `yaml:"sampling"`

	// Whether the model accepts `top_k`.
	TopK *bool `yaml:"top_k"`

	// Whether the model accepts caching marks.
	Caching *bool `yaml:"caching"`
}

// proxy returns the entry in the proxy's form.
func (r *Route) proxy(kinds map[string]string) proxy.Route {
	route := proxy.Route{Name: r.Name, UpstreamModel: r.Model.proxy(kinds), AnyName: r.anyName}
	for _, m := range r.Fallbacks {
		route.Fallbacks = append(route.Fallbacks, m.proxy(kinds))
	}
	return route
}

// noteOff is the result_note for no sentence.
const noteOff = "off"

// proxy returns the model in the proxy's form.
func (m *Model) proxy(kinds map[string]string) proxy.UpstreamModel {
	p := m.UpstreamModel
	if p.Kind = upstream.Kind(kinds[m.Upstream]); p.ResultNote == noteOff {
		p.ResultNote = ""
	}
	for _, k := range keysOf(&m.Features) {
		if f := upstream.FeatureOf(k.name); k.text() == "true" {
			p.Features.With |= f
		} else if k.text() == "false" {
			p.Features.Without |= f
		}
	}
	return p
}
