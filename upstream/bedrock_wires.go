package upstream

import (
	"context"
	"iter"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Which wire a model on Bedrock is asked over: the body of the Messages API for a
// Claude, and Converse for every other family.

// Invoke sends the prompt to the model with this id, inference profile or ARN and
// returns its answer. A Claude is sent the Messages body, and so is a model whose ARN
// does not say what it is; every other family is asked over Converse.
func (b *Bedrock) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	if b.speaksMessages(m) {
		return b.Messages().Invoke(ctx, m, p)
	}
	return b.Converse().Invoke(ctx, m, p)
}

// Request returns what Invoke would send.
func (b *Bedrock) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	if b.speaksMessages(m) {
		return b.Messages().Request(ctx, m, p)
	}
	return b.Converse().Request(ctx, m, p)
}

// NativeRequest returns what Pass would send.
func (b *Bedrock) NativeRequest(ctx context.Context, m Model, n Native) (Request, error) {
	return b.Messages().NativeRequest(ctx, m, n)
}

// speaksMessages reports whether the model is sent the Messages body.
func (b *Bedrock) speaksMessages(m Model) bool { return isClaude(m.ID) || hidesProvider(m.ID) }

// Passes reports whether the model can be asked with Pass: if Invoke would send it the
// Messages body.
func (b *Bedrock) Passes(m Model) bool { return b.speaksMessages(m) }

// Pass asks with [BedrockMessages.Pass].
func (b *Bedrock) Pass(ctx context.Context, m Model, n Native) iter.Seq2[messages.Event, error] {
	return b.Messages().Pass(ctx, m, n)
}

// Count returns how many tokens the prompt has (docs/reference/bedrock.md §6), over the
// wire that Invoke takes. Few models can count; an [*Error] does not mean that the model
// would refuse the prompt.
func (b *Bedrock) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	if b.speaksMessages(m) {
		return b.Messages().Count(ctx, m, p)
	}
	return b.Converse().Count(ctx, m, p)
}

// CountNative counts with [BedrockMessages.CountNative].
func (b *Bedrock) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	return b.Messages().CountNative(ctx, m, n)
}

// Keeps reports whether the model's answers pass the guardrail. A guardrail with a tag
// suffix can be asked for over InvokeModel alone.
func (b *Bedrock) Keeps(m Model, g Guardrail) bool {
	return b.speaksMessages(m) || b.Converse().Keeps(m, g)
}
