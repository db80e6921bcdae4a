package proxy

import (
	"context"
	"iter"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Upstream is a way to reach models; package upstream has the implementations. Invoke
// asks one of its models. The sequence is lazy: the upstream is called when it is ranged
// over. It has at most one error, which comes last. When ctx ends, the sequence ends
// with ctx's cause. Leaving the range cancels the call and releases all that it held.
type Upstream interface {
	Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error]
}

// NativeUpstream is an upstream whose models may have the tool API of the Messages API.
type NativeUpstream interface {
	Upstream

	// Passes reports whether the upstream asks the model over the Messages API.
	Passes(m upstream.Model) bool
	// Pass sends a request of the Messages API to the model. The sequence is as that of
	// Invoke. Each event has a Raw, which is valid until the next event.
	Pass(ctx context.Context, m upstream.Model, n upstream.Native) iter.Seq2[messages.Event, error]
	// CountNative returns how many tokens the request has.
	CountNative(ctx context.Context, m upstream.Model, n upstream.Native) (tokens int, err error)
}

// TokenCounter is an upstream that counts the tokens of a prompt. The error is
// upstream.ErrNoCounter if it cannot count for the model.
type TokenCounter interface {
	Count(ctx context.Context, m upstream.Model, p *translate.Prompt) (tokens int, err error)
}

// GuardedUpstream is an upstream that can have answers pass a guardrail of Bedrock.
type GuardedUpstream interface {
	// Keeps reports whether the answers of the model can be made to pass the guardrail, with
	// every option that g has.
	Keeps(m upstream.Model, g upstream.Guardrail) bool
}
