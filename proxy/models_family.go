package proxy

import (
	"context"
	"fmt"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// The family of a model, which decides the format of its prompts.

// sourceAsked is the name that a client asks for. It may be an alias, so a server's own answer wins over it.
const sourceAsked = "the name that clients ask for"

// source is a text that may tell the family, and its origin.
type source struct{ text, name string }

// sources returns the texts that may tell the family, the most reliable first.
func (m UpstreamModel) sources() []source {
	return []source{
		{m.Family, "the key family"},
		{m.Model, "its id"},
		{m.Told.Model, "its server"},
		{m.Asked, sourceAsked},
	}
}

// family returns a text that tells the model's family, and the origin of the text. If nothing tells it, it returns the
// id and "". An ARN of an inference profile may hide a Claude, and the Messages API and text completions are made for
// Claude. The id must be known (see For).
func (m UpstreamModel) family() (text, from string) {
	for _, source := range m.sources() {
		if translate.ChooseFormat(source.text).Family != "" {
			return source.text, source.name
		}
	}
	switch {
	case m.Family != "":
		return m.Family, "the key family"
	case m.Kind == upstream.KindAnthropic:
		return translate.FamilyClaude, "its upstream"
	case m.Wire == WireMessages, m.Wire == WireText:
		return translate.FamilyClaude, "its wire"
	case m.hidesClaude():
		return translate.FamilyClaude, "its ARN, which names no other"
	}
	return m.Model, ""
}

// hidesClaude reports whether the model's ARN may hide a Claude. An imported model is never a Claude.
func (m UpstreamModel) hidesClaude() bool {
	return upstream.HidesProvider(m.Model) && !upstream.IsImported(m.Model) && m.Told.Model == "" && m.Wire != WirePrompt
}

// chatTemplate returns the name of the chat template for a raw prompt; "" if the model gets no raw prompt, or if its
// template is unknown.
func (m UpstreamModel) chatTemplate() string {
	if m.wire() != WirePrompt {
		return ""
	}
	return m.knownTemplate()
}

// knownTemplate returns the name of the model's chat template, whether or not it gets raw prompts; "" if unknown.
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

// errNoFamily is the error for a raw prompt to a model of unknown family.
func (m UpstreamModel) errNoFamily() error {
	return &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: "model", Message: fmt.Sprintf(
		"Dragoman does not know the family of %s, and so not its chat template. Set family in its entry under models, such as family: qwen2.5. "+
			"On Bedrock, Dragoman also finds out with the permission bedrock:GetImportedModel", clip(m.Model))}
}

// ownFormat returns the format in which the model's own chat template writes calls, if the model's server returns such
// calls unchanged; "" otherwise.
func (m UpstreamModel) ownFormat() string {
	name, erased := translate.ChatTemplateFormat(m.chatTemplate())
	if erased && !upstream.KeepsSpecialTokens(m.described()) {
		return ""
	}
	return name
}

// Resolved returns the model with what its upstream reports about it, if that may be needed.
func (m UpstreamModel) Resolved(ctx context.Context, up Upstream) UpstreamModel {
	if _, from := m.family(); up != nil && (from == "" || from == sourceAsked || m.wire() == WirePrompt || m.constrains() && m.Guided == "" || upstream.IsAlias(m.Model)) {
		m.Told = up.Resolve(ctx, m.Spec())
	}
	return m
}

// told returns the route with what the upstreams report about its models.
func (s *Server) told(ctx context.Context, r Route) Route {
	r.UpstreamModel = r.UpstreamModel.Resolved(ctx, s.upstreams[r.Upstream])
	for i, m := range r.Fallbacks { // r.Fallbacks is a copy: see Route.For
		r.Fallbacks[i] = m.Resolved(ctx, s.upstreams[m.Upstream])
	}
	return r
}
