package upstream

import (
	"context"
	"iter"

	"dragoman/translate"
)

// Invoke sends the prompt to the model with this id, inference profile or ARN: a
// Claude is sent the Messages body, and so is a model whose ARN does not tell what
// it is. Every other family is asked over Converse.
func (b *Bedrock) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	if b.speaksMessages(m) {
		return b.Messages().Invoke(ctx, m, p)
	}
	return b.Converse().Invoke(ctx, m, p)
}

// speaksMessages reports whether a model is sent the Messages body.
func (b *Bedrock) speaksMessages(m Model) bool { return isClaude(m.ID) || namesNobody(m.ID) }

// Passes reports whether Pass can be asked for the model: where Invoke would send
// the Messages body.
func (b *Bedrock) Passes(m Model) bool { return b.speaksMessages(m) }

// Pass is that of [Bedrock.Messages].
func (b *Bedrock) Pass(ctx context.Context, m Model, n Native) iter.Seq2[translate.Event, error] {
	return b.Messages().Pass(ctx, m, n)
}

// Count returns how many tokens the prompt has (docs/reference/bedrock.md §6), over the
// wire that Invoke takes. Few models can be asked; an [*Error] is no verdict on the
// prompt.
func (b *Bedrock) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	if b.speaksMessages(m) {
		return b.Messages().Count(ctx, m, p)
	}
	return b.Converse().Count(ctx, m, p)
}

// CountNative is that of [Bedrock.Messages].
func (b *Bedrock) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	return b.Messages().CountNative(ctx, m, n)
}

// Keeps reports whether the model is asked so that its answers pass the guardrail:
// what Converse cannot be told of one is for InvokeModel alone.
func (b *Bedrock) Keeps(m Model, g Guardrail) bool {
	return b.speaksMessages(m) || b.Converse().Keeps(m, g)
}
