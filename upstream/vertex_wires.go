package upstream

import (
	"context"
	"iter"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Which wire a model on Vertex AI is asked over: the body of the Messages API for a
// Claude, and chat completions for the models of others.

// Invoke sends the prompt to the model with this id and returns its answer: to a Claude
// over [Vertex.Messages], to any other over [Vertex.Chat].
func (v *Vertex) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	if isClaude(m.ID) {
		return v.Messages().Invoke(ctx, m, p)
	}
	return v.Chat().Invoke(ctx, m, p)
}

// Request returns what Invoke would send.
func (v *Vertex) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	if isClaude(m.ID) {
		return v.Messages().Request(ctx, m, p)
	}
	return v.Chat().Request(ctx, m, p)
}

// NativeRequest returns what Pass would send.
func (v *Vertex) NativeRequest(ctx context.Context, m Model, n Native) (Request, error) {
	return v.Messages().NativeRequest(ctx, m, n)
}

// Passes reports whether the model can be asked with Pass: if Invoke would send it the
// Messages body.
func (v *Vertex) Passes(m Model) bool { return isClaude(m.ID) }

// Pass asks with [VertexMessages.Pass].
func (v *Vertex) Pass(ctx context.Context, m Model, n Native) iter.Seq2[messages.Event, error] {
	return v.Messages().Pass(ctx, m, n)
}

// Count returns how many tokens the prompt has. Vertex counts for the models of
// Anthropic alone: for others the error is [ErrNoCounter].
func (v *Vertex) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	if !isClaude(m.ID) {
		return 0, ErrNoCounter
	}
	return v.Messages().Count(ctx, m, p)
}

// CountNative counts with [VertexMessages.CountNative].
func (v *Vertex) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	return v.Messages().CountNative(ctx, m, n)
}
