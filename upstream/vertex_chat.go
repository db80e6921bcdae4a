package upstream

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"dragoman/translate"
)

// VertexChat asks models of other publishers than Anthropic: with chat completions the
// open models that Google serves (MaaS), and with a method of their own, whose body is
// the same, those that Mistral serves (docs/reference/vertex.md §5).
type VertexChat struct {
	vertex *Vertex
}

// Chat returns the upstream that asks models of other publishers with the client of v.
func (v *Vertex) Chat() *VertexChat { return &VertexChat{v} }

// Invoke sends the prompt to the model with this id, which names the publisher
// ("meta/llama-3.3-70b-instruct-maas", "mistralai/mistral-medium-3"), and returns its
// answer. An id that would change the path is an [*Error], and nothing is sent.
func (v *VertexChat) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	client, m, err := v.client(m)
	if err != nil {
		return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
	}
	return client.invoke(ctx, m, p)
}

// Request returns what Invoke would send.
func (v *VertexChat) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	client, m, err := v.client(m)
	if err != nil {
		return Request{}, err
	}
	return client.show(ctx, m, p)
}

// client returns the client for a model, and the model as its body names it.
func (v *VertexChat) client(m Model) (*chatClient, Model, error) {
	id, isMistral := mistralModel(m.ID)
	if !isMistral {
		return &chatClient{completions: v.at("/endpoints/openapi/chat/completions")}, m, nil
	}
	if !isVertexModel(id) {
		return nil, m, invalidRequest.error(fmt.Sprintf("model: %.64q cannot be the id of a Mistral model on Vertex AI", m.ID))
	}
	method := ":streamRawPredict"
	if !m.Can.Has(Streaming) {
		method = ":rawPredict"
	}
	m.ID, _, _ = strings.Cut(id, "@") // the body has no revision
	return &chatClient{v.at("/publishers/mistralai/models/" + id + method), true}, m, nil
}

// at returns the endpoint at a path within the project and location.
func (v *VertexChat) at(path string) endpoint {
	return endpoint{url: v.vertex.location + path, client: v.vertex.client}
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
