package upstream

import (
	"context"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// BedrockMessages asks models with InvokeModelWithResponseStream and the Anthropic
// Messages body (docs/reference/bedrock.md §2a).
type BedrockMessages struct {
	bedrock *Bedrock
}

// Messages returns the upstream that sends the Messages body with the client of b.
func (b *Bedrock) Messages() *BedrockMessages { return &BedrockMessages{b} }

// Invoke sends the prompt to the model with this id, inference profile or ARN and
// returns its answer.
func (b *BedrockMessages) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return invokeBedrock(ctx, b.bedrock, m, func() (bedrockRequest[translate.Chunk], error) { return b.request(m, p) })
}

func (b *BedrockMessages) request(m Model, p *translate.Prompt) (bedrockRequest[translate.Chunk], error) {
	data, err := messagesBody{AnthropicVersion: messages.VersionBedrock, cache: m.Can.Has(Caching)}.encode(p)
	return bedrockRequest[translate.Chunk]{data, invokeModel, readChunks(newMessagesDecoder(p).decode)}, err
}

// Request returns what Invoke would send.
func (b *BedrockMessages) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	request, err := b.request(m, p)
	return showBedrock(ctx, b.bedrock, m, wireMessages, request, err)
}

// Pass sends the request of a client to the model with this id, inference profile or
// ARN, which has tools of its own, and returns the events of its answer.
func (b *BedrockMessages) Pass(ctx context.Context, m Model, n Native) iter.Seq2[messages.Event, error] {
	return invokeBedrock(ctx, b.bedrock, m, func() (bedrockRequest[messages.Event], error) { return b.nativeRequest(m, n), nil })
}

func (b *BedrockMessages) nativeRequest(m Model, n Native) bedrockRequest[messages.Event] {
	return bedrockRequest[messages.Event]{encodeBedrock(m, n), invokeModel, readChunks(new(nativeDecoder).decode)}
}

// NativeRequest returns what Pass would send.
func (b *BedrockMessages) NativeRequest(ctx context.Context, m Model, n Native) (Request, error) {
	return showBedrock(ctx, b.bedrock, m, wireMessages, b.nativeRequest(m, n), nil)
}

// Passes reports whether the model can be asked with Pass. Every model on this wire can.
func (b *BedrockMessages) Passes(Model) bool { return true }

// encodeBedrock returns the body of a client's request as Bedrock takes it
// (docs/reference/bedrock.md §2a): with the version and the betas in it, and not in
// headers. All models take bedrock-2023-05-31; a Claude from 4.7 on also takes 2026-10-21.
func encodeBedrock(m Model, n Native) []byte {
	version := messages.VersionBedrock
	if v, known := claudeVersion(strings.ToLower(m.ID)); n.isNew() && isClaude(m.ID) && (!known || v >= 407) {
		version = messages.Version20261021
	}
	members := map[string]jsontext.Value{memberVersion: asJSON(version)}
	if betas := n.betas(); len(betas) > 0 {
		members[memberBetas] = asJSON(betas)
	}
	return n.encode(members)
}

// Keeps reports whether answers pass the guardrail. All do on this wire.
func (b *BedrockMessages) Keeps(Model, Guardrail) bool { return true }

// Count returns how many tokens the prompt has; see [Bedrock.Count].
func (b *BedrockMessages) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := messagesBody{AnthropicVersion: messages.VersionBedrock}.encode(p)
	return b.bedrock.countInvoke(ctx, m, body, err)
}

// CountNative returns how many tokens the request of a client has; see [Bedrock.Count].
func (b *BedrockMessages) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	return b.bedrock.countInvoke(ctx, m, encodeBedrock(m, n), nil)
}
