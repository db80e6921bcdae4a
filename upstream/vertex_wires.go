package upstream

import (
	"context"
	"iter"

	"dragoman/translate"
)

// Invoke sends the prompt to the model with this id: a Claude model over
// [Vertex.Messages], any other over [Vertex.Chat].
func (v *Vertex) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	if isClaude(m.ID) {
		return v.Messages().Invoke(ctx, m, p)
	}
	return v.Chat().Invoke(ctx, m, p)
}

// Passes reports whether Pass can be asked for the model: where Invoke would send
// the Messages body.
func (v *Vertex) Passes(m Model) bool { return isClaude(m.ID) }

// Pass is that of [Vertex.Messages].
func (v *Vertex) Pass(ctx context.Context, m Model, n Native) iter.Seq2[translate.Event, error] {
	return v.Messages().Pass(ctx, m, n)
}

// Count returns how many tokens the prompt has. Models of other publishers than
// Anthropic are not counted: [ErrNoCounter].
func (v *Vertex) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	if !isClaude(m.ID) {
		return 0, ErrNoCounter
	}
	return v.Messages().Count(ctx, m, p)
}

// CountNative is that of [Vertex.Messages].
func (v *Vertex) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	return v.Messages().CountNative(ctx, m, n)
}
