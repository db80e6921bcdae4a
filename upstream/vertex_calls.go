package upstream

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Prepare returns the call that sends a model a prompt. If the id could change the path, the error is an
// [*Error].
//
//	Anthropic  claude-sonnet-4-5@20250929           streamRawPredict; the revision is optional (docs/reference/vertex.md §2)
//	Mistral    mistralai/mistral-medium-3           its own method, with the body of chat completions (docs/reference/vertex.md §5)
//	others     meta/llama-3.3-70b-instruct-maas     chat completions: open models that Google serves
func (v *Vertex) Prepare(m Model, p *translate.Prompt) (*Call, error) {
	m.Kind = KindVertex
	switch m.Wire = m.wire(); {
	case m.Wire == WirePrompt, m.Wire == WireChat && isDeployed(m.ID):
		return v.prepareDeployed(m, p)
	case m.Wire == WireChat:
		return v.prepareChat(m, p)
	}
	if err := checkVertexModel(m.ID, "Claude"); err != nil {
		return nil, err
	}
	body, err := messagesBody{AnthropicVersion: messages.VersionVertex, Stream: true, cache: m.Can.Has(Caching)}.encode(p)
	if err != nil {
		return nil, err
	}
	return messagesCall(v.claude(m.ID, "streamRawPredict"), &sentBody{body}, v.claude("count-tokens", "rawPredict"), &m, p), nil
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

// PrepareNative returns the call that passes a client's request to a Claude. Vertex has two versions:
// vertex-2023-10-16, which all models take, and 2026-10-21 (docs/reference/vertex.md §2).
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
	return nativeCall(v.claude(m.ID, "streamRawPredict").with(header), &sentBody{body}, v.claude("count-tokens", "rawPredict").with(header), &m), nil
}

// at returns the endpoint for a path within the project and location.
func (v *Vertex) at(path string) endpoint {
	return endpoint{url: v.location + path, client: v.client}
}

// claude returns the endpoint of a model of Anthropic. Check the id before.
func (v *Vertex) claude(id, method string) endpoint {
	return v.at("/publishers/anthropic/models/" + id + ":" + method)
}

// checkVertexModel returns an [*Error] if the id could change the path of a request.
func checkVertexModel(id, family string) error {
	if !isVertexModel(id) {
		return invalidRequest.error(fmt.Sprintf("model: %.64q cannot be the id of a %s model on Vertex AI", id, family))
	}
	return nil
}

// mistralModel returns the id, without the publisher, of a model that Mistral itself serves. It returns false
// for other models, and for Mistral's models that Google serves, which have ids that end in -maas.
func mistralModel(id string) (string, bool) {
	name := strings.TrimPrefix(id, "mistralai/")
	for _, family := range []string{"mistral", "ministral", "codestral", "magistral", "devstral"} {
		if strings.HasPrefix(name, family) && !strings.HasSuffix(name, "-maas") {
			return name, true
		}
	}
	return name, false
}
