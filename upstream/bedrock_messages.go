package upstream

import (
	"context"
	"io"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// bedrockVersion goes into each body; the only one that all models take
// (reference/bedrock.md §2a).
const bedrockVersion = "bedrock-2023-05-31"

// BedrockMessages invokes models with InvokeModelWithResponseStream and the
// Anthropic Messages body (reference/bedrock.md §2a).
type BedrockMessages struct {
	bedrock *Bedrock
}

// Messages returns the upstream that sends the Messages body with the client of b.
func (b *Bedrock) Messages() *BedrockMessages { return &BedrockMessages{b} }

// Invoke sends the prompt to the model with this id, inference profile or ARN.
func (b *BedrockMessages) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return invokeBedrock(ctx, b.bedrock, m, func() (wireRequest[translate.Chunk], error) {
		data, err := messagesBody{AnthropicVersion: bedrockVersion, cache: m.Can.Has(Caching)}.encode(p)
		return wireRequest[translate.Chunk]{data, invokeModel, readChunks(new(messagesDecoder).decode)}, err
	})
}

// invokeModel sends the body in the model's own form.
func invokeModel(ctx context.Context, client *bedrockruntime.Client, m Model, x *exchange) error {
	in := &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: &m.ID, Body: x.request, ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
	}
	m.Guardrail.guard(in)
	x.request = in.Body
	_, err := client.InvokeModelWithResponseStream(ctx, in, x.join, withoutEventStream)
	return err
}

// readChunks reads an answer in the model's own form, chunk by chunk.
func readChunks[P portion](decode func(data []byte) (P, error)) func(io.Reader, func(P, error) bool) bool {
	return func(answer io.Reader, yield func(P, error) bool) bool {
		return decodeStream(withIntervention(newBedrockStream(answer).payloads()), decode, yield)
	}
}

// Pass sends the request of a client to the model with this id, inference profile
// or ARN, which has tools of its own.
func (b *BedrockMessages) Pass(ctx context.Context, m Model, n Native) iter.Seq2[translate.Event, error] {
	return invokeBedrock(ctx, b.bedrock, m, func() (wireRequest[translate.Event], error) {
		return wireRequest[translate.Event]{encodeBedrock(m, n), invokeModel, readChunks(new(nativeDecoder).decode)}, nil
	})
}

// Passes reports whether Pass can be asked for the model: every one, here.
func (b *BedrockMessages) Passes(Model) bool { return true }

// Passes reports whether Pass can be asked for the model: where Invoke would send
// the Messages body.
func (b *Bedrock) Passes(m Model) bool { return b.speaksMessages(m) }

// Pass is that of [Bedrock.Messages].
func (b *Bedrock) Pass(ctx context.Context, m Model, n Native) iter.Seq2[translate.Event, error] {
	return b.Messages().Pass(ctx, m, n)
}

// encodeBedrock returns the body of a client's request as Bedrock takes it
// (reference/bedrock.md §2a). A model takes the new version from Claude 4.7 on.
func encodeBedrock(m Model, n Native) []byte {
	version := bedrockVersion
	if v, known := claudeVersion(strings.ToLower(m.ID)); n.isNew() && isClaude(m.ID) && (!known || v >= 407) {
		version = newVersion
	}
	members := map[string]jsontext.Value{memberVersion: asJSON(version)}
	if betas := n.betas(); len(betas) > 0 {
		members[memberBetas] = asJSON(betas)
	}
	return n.encode(members)
}
