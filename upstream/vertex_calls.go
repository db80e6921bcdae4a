package upstream

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// wire returns how a model is asked: a Claude over the Messages API, any other over chat completions,
// unless its entry says otherwise.
func (v *Vertex) wire(m Model) string {
	switch {
	case m.Wire != "":
		return m.Wire
	case IsClaude(m.ID):
		return WireMessages
	}
	return WireChat
}

// Prepare returns the call that asks a model with a prompt. Models of Anthropic are asked with
// streamRawPredict (docs/reference/vertex.md §2), and have an id with or without a revision
// ("claude-sonnet-4-5@20250929"). The id of another names the publisher
// ("meta/llama-3.3-70b-instruct-maas", "mistralai/mistral-medium-3"): the open models that Google serves
// are asked with chat completions, and those of Mistral with a method of their own, whose body is the
// same (docs/reference/vertex.md §5). An id that would change the path is an [*Error].
func (v *Vertex) Prepare(m Model, p *translate.Prompt) (*Call, error) {
	switch wire := v.wire(m); {
	case wire == WirePrompt, wire == WireChat && isDeployed(m.ID):
		return v.prepareDeployed(m, p)
	case wire == WireChat:
		return v.prepareChat(m, p)
	}
	if err := checkVertexModel(m.ID, "Claude"); err != nil {
		return nil, err
	}
	body, err := messagesBody{AnthropicVersion: messages.VersionVertex, Stream: true, cache: m.Can.Has(Caching)}.encode(p)
	if err != nil {
		return nil, err
	}
	return messagesCall(v.claude(m.ID, "streamRawPredict"), body, v.claude("count-tokens", "rawPredict"), &m, p), nil
}

func (v *Vertex) prepareChat(m Model, p *translate.Prompt) (*Call, error) {
	id, isMistral := mistralModel(m.ID)
	if !isMistral {
		return chatCall(v.at("/endpoints/openapi/chat/completions"), m, p, false)
	}
	if err := checkVertexModel(id, "Mistral"); err != nil {
		return nil, err
	}
	method := ":streamRawPredict"
	if !m.Can.Has(Streaming) {
		method = ":rawPredict"
	}
	m.ID, _, _ = strings.Cut(id, "@") // the body has no revision
	return chatCall(v.at("/publishers/mistralai/models/"+id+method), m, p, true)
}

// Passes reports whether the model can be passed a client's own request: if it is asked over the Messages
// API. A model whose id is not known yet may be.
func (v *Vertex) Passes(m Model) bool {
	return v.wire(m) == WireMessages || m.ID == "" && m.Wire == ""
}

// TakesTools reports whether the model can be asked with a prompt for a tools API: if it is asked over chat completions.
func (v *Vertex) TakesTools(m Model) bool { return v.wire(m) == WireChat }

// PrepareNative returns the call that passes a client's request to a Claude. Vertex takes two versions:
// vertex-2023-10-16, which all models know, and 2026-10-21 (docs/reference/vertex.md §2).
func (v *Vertex) PrepareNative(m Model, n Native) (*Call, error) {
	if err := checkVertexModel(m.ID, "Claude"); err != nil {
		return nil, err
	}
	version := messages.VersionVertex
	if n.isNew() {
		version = messages.Version20261021
	}
	body := n.encode(map[string]jsontext.Value{"stream": jsontext.Value("true"), memberVersion: asJSON(version)})
	header := n.header(false)
	return nativeCall(v.claude(m.ID, "streamRawPredict").with(header), body, v.claude("count-tokens", "rawPredict").with(header), &m), nil
}

// Keeps reports false: only Bedrock has guardrails.
func (v *Vertex) Keeps(Model, Guardrail) bool { return false }

// at returns the endpoint at a path within the project and location.
func (v *Vertex) at(path string) endpoint {
	return endpoint{url: v.location + path, client: v.client}
}

// claude returns where a model of Anthropic is asked. The id has to be checked before a request goes
// there.
func (v *Vertex) claude(id, method string) endpoint {
	return v.at("/publishers/anthropic/models/" + id + ":" + method)
}

// checkVertexModel returns an [*Error] for an id that would change the path of a
// request.
func checkVertexModel(id, family string) error {
	if !isVertexModel(id) {
		return invalidRequest.error(fmt.Sprintf("model: %.64q cannot be the id of a %s model on Vertex AI", id, family))
	}
	return nil
}

// mistralModel returns the id, without the publisher, of a model that Mistral serves. It
// is false for the models of others, and for those of Mistral's that Google serves,
// whose ids end in -maas.
func mistralModel(id string) (string, bool) {
	name := strings.TrimPrefix(id, "mistralai/")
	for _, family := range []string{"mistral", "ministral", "codestral", "magistral", "devstral"} {
		if strings.HasPrefix(name, family) && !strings.HasSuffix(name, "-maas") {
			return name, true
		}
	}
	return name, false
}
