package proxy

import (
	"context"
	"iter"

	"dragoman/translate"
	"dragoman/upstream"
)

// Upstream is a way to reach models; see package upstream. Invoke asks one of its
// models. The sequence is lazy; its one error comes
// last; when ctx ends, so does the sequence, with ctx's cause; leaving the range
// cancels the call and releases all it held.
type Upstream interface {
	Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error]
}

// NativeUpstream is an upstream whose models may have a tool API of their own,
// that of the Messages API. Pass is to such models what Invoke is to others; the
// events have a Raw, valid until the next event.
type NativeUpstream interface {
	Upstream
	Passes(m upstream.Model) bool // whether the model is asked over the Messages API
	Pass(ctx context.Context, m upstream.Model, n upstream.Native) iter.Seq2[translate.Event, error]
	CountNative(ctx context.Context, m upstream.Model, n upstream.Native) (tokens int, err error)
}

// Counter is an upstream that counts the tokens of a prompt.
type TokenCounter interface {
	Count(ctx context.Context, m upstream.Model, p *translate.Prompt) (tokens int, err error)
}

// GuardedUpstream is an upstream that can have answers pass a guardrail of Bedrock's.
type GuardedUpstream interface {
	Keeps(m upstream.Model, g upstream.Guardrail) bool
}
