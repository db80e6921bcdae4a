package upstream

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// VertexMessages asks models of Anthropic with streamRawPredict and the Messages body
// (docs/reference/vertex.md §2).
type VertexMessages struct {
	vertex *Vertex
}

// Messages returns the upstream that asks models of Anthropic with the client of v.
func (v *Vertex) Messages() *VertexMessages { return &VertexMessages{v} }

// Invoke sends the prompt to the model with this id, with or without a revision
// ("claude-sonnet-4-5@20250929"), and returns its answer. An id that would change the
// path is an [*Error], and nothing is sent.
func (v *VertexMessages) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return streamMessages(ctx, v.model(m.ID, "streamRawPredict"), func() ([]byte, error) { return v.encode(m, p) }, newMessagesDecoder(p).decode)
}

func (v *VertexMessages) encode(m Model, p *translate.Prompt) ([]byte, error) {
	if err := checkVertexModel(m.ID); err != nil {
		return nil, err
	}
	return messagesBody{AnthropicVersion: messages.VersionVertex, Stream: true, cache: m.Can.Has(Caching)}.encode(p)
}

// Request returns what Invoke would send.
func (v *VertexMessages) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	body, err := v.encode(m, p)
	e := v.model(m.ID, "streamRawPredict")
	return e.show(ctx, wireMessages, body, err)
}

// Pass sends the request of a client to the model with this id, which has tools of its
// own, and returns the events of its answer.
func (v *VertexMessages) Pass(ctx context.Context, m Model, n Native) iter.Seq2[messages.Event, error] {
	return streamMessages(ctx, v.model(m.ID, "streamRawPredict").with(n.header(false)), func() ([]byte, error) { return v.encodeNative(m, n) }, new(nativeDecoder).decode)
}

func (v *VertexMessages) encodeNative(m Model, n Native) ([]byte, error) {
	if err := checkVertexModel(m.ID); err != nil {
		return nil, err
	}
	return n.encode(map[string]jsontext.Value{"stream": jsontext.Value("true"), memberVersion: asJSON(n.vertexVersion())}), nil
}

// NativeRequest returns what Pass would send.
func (v *VertexMessages) NativeRequest(ctx context.Context, m Model, n Native) (Request, error) {
	body, err := v.encodeNative(m, n)
	e := v.model(m.ID, "streamRawPredict").with(n.header(false))
	return e.show(ctx, wireMessages, body, err)
}

// vertexVersion returns the anthropic_version of a client's request on Vertex, which takes
// two: vertex-2023-10-16, which all models know, and 2026-10-21
// (docs/reference/vertex.md §2).
func (n Native) vertexVersion() string {
	if n.isNew() {
		return messages.Version20261021
	}
	return messages.VersionVertex
}

// Count returns how many tokens the prompt has (docs/reference/vertex.md §2). The error
// is an [*Error].
func (v *VertexMessages) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := messagesBody{Model: m.ID, AnthropicVersion: messages.VersionVertex}.encode(p)
	if err != nil {
		return 0, err
	}
	return v.model("count-tokens", "rawPredict").count(ctx, countBody(body, nil))
}

// CountNative returns how many tokens the request of a client has. The error is an
// [*Error].
func (v *VertexMessages) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	body := countBody(n.Body, map[string]jsontext.Value{"model": asJSON(m.ID), memberVersion: asJSON(n.vertexVersion()), memberBetas: nil})
	return v.model("count-tokens", "rawPredict").with(n.header(false)).count(ctx, body)
}

// Passes reports whether the model can be asked with Pass. Every model on this wire can.
func (v *VertexMessages) Passes(Model) bool { return true }

// model returns where a model is asked. The id has to be checked before a request goes
// there.
func (v *VertexMessages) model(id, method string) endpoint {
	return endpoint{url: v.vertex.location + "/publishers/anthropic/models/" + id + ":" + method, client: v.vertex.client}
}

// checkVertexModel returns an [*Error] for an id that would change the path of a
// request.
func checkVertexModel(id string) error {
	if !isVertexModel(id) {
		return invalidRequest.error(fmt.Sprintf("model: %.64q cannot be the id of a Claude model on Vertex AI", id))
	}
	return nil
}
