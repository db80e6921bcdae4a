package proxy

import (
	"context"
	"fmt"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Which family a model is of, and so in which format it is asked.

// sourceAsked is where the name that a client asks for is from. It may be an alias, so a server knows better.
const sourceAsked = "the name that clients ask for"

// source is a text that may tell the family, and where it is from.
type source struct{ text, name string }

// sources returns the texts that may tell the family, the best first.
func (m UpstreamModel) sources() []source {
	return []source{
		{m.Family, "the key family"},
		{m.Model, "its id"},
		{m.Told.Model, "its server"},
		{m.Asked, sourceAsked},
	}
}

// family returns a text that tells the family of the model, and where the text is from; the id and "" if
// nothing tells. A Claude may hide behind the ARN of an inference profile, and is what the Messages API and
// text completions are for. The id has to be known (see For).
func (m UpstreamModel) family() (text, from string) {
	for _, source := range m.sources() {
		if translate.ChooseFormat(source.text).Family != "" {
			return source.text, source.name
		}
	}
	switch {
	case m.Family != "":
		return m.Family, "the key family"
	case m.Assumed != "":
		return m.Assumed, "its upstream"
	case m.Wire == WireMessages, m.Wire == WireText:
		return translate.FamilyClaude, "its wire"
	case m.hidesClaude():
		return translate.FamilyClaude, "its ARN, which names no other"
	}
	return m.Model, ""
}

// hidesClaude reports whether a Claude may be behind the ARN of the model. An imported model is none.
func (m UpstreamModel) hidesClaude() bool {
	return upstream.HidesProvider(m.Model) && !upstream.IsImported(m.Model) && m.Told.Model == "" && !m.isPrompt()
}

// chatTemplate returns the name of the chat template of a model that is asked with a raw prompt; "" for any other, and
// if nothing tells it.
func (m UpstreamModel) chatTemplate() string {
	if !m.isPrompt() {
		return ""
	}
	return m.knownTemplate()
}

// knownTemplate returns the name of the chat template of the model, however it is asked; "" if nothing tells it.
func (m UpstreamModel) knownTemplate() string {
	if m.ChatTemplate != "" {
		return m.ChatTemplate
	}
	for _, source := range m.sources() {
		if name, known := translate.ChatTemplateFor(source.text); known {
			return name
		}
	}
	return ""
}

// errNoFamily is for a raw prompt to a model of which nothing tells the family.
func (m UpstreamModel) errNoFamily() error {
	return &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: "model", Message: fmt.Sprintf(
		"nothing tells the family of %s, and so its chat template. Set family in its entry under models, such as family: qwen2.5. "+
			"On Bedrock, the permission bedrock:GetImportedModel tells it, too", clip(m.Model))}
}

// ownFormat returns the name of the format that the chat template of the model writes calls in, if the model's calls
// come back in it; "" without one.
func (m UpstreamModel) ownFormat() string {
	name, erased := translate.ChatTemplateFormat(m.chatTemplate())
	if erased && !upstream.KeepsSpecialTokens(upstream.Model{Wire: m.Wire, Server: m.Told.Server}) {
		return ""
	}
	return name
}

// Resolved returns the model with what its upstream tells of it, where that may be needed.
func (m UpstreamModel) Resolved(ctx context.Context, up Upstream) UpstreamModel {
	if _, from := m.family(); up != nil && (from == "" || from == sourceAsked || m.isPrompt() || m.constrains() && m.Guided == "" || upstream.IsAlias(m.Model)) {
		about := upstream.Model{ID: m.Model, Wire: m.Wire}
		if m.constrains() {
			about.Can = upstream.Guided
		}
		m.Told = up.Resolve(ctx, about)
	}
	return m
}

// told returns the route with what the upstreams say of its models.
func (s *Server) told(ctx context.Context, r Route) Route {
	r.UpstreamModel = r.UpstreamModel.Resolved(ctx, s.upstreams[r.Upstream])
	for i, m := range r.Fallbacks { // they are a copy: see Route.For
		r.Fallbacks[i] = m.Resolved(ctx, s.upstreams[m.Upstream])
	}
	return r
}
