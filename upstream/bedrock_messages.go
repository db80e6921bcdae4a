package upstream

import (
	"context"
	"io"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

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
	return b.bedrock.invoke(ctx, m.ID, func() (wireRequest, error) {
		data, err := messagesBody{AnthropicVersion: bedrockVersion, cache: m.Can.Has(Caching)}.encode(p)
		return wireRequest{data, invokeModel, readChunks(new(messagesDecoder).decode)}, err
	})
}

// invokeModel sends the body in the model's own form.
func invokeModel(ctx context.Context, client *bedrockruntime.Client, model string, x *exchange) error {
	_, err := client.InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: &model, Body: x.request, ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
	}, x.join, withoutEventStream)
	return err
}

// readChunks reads an answer in the model's own form, chunk by chunk.
func readChunks(decode func(data []byte) (translate.Chunk, error)) func(io.Reader, func(translate.Chunk, error) bool) bool {
	return func(answer io.Reader, yield func(translate.Chunk, error) bool) bool {
		return decodeStream(newFrameReader(answer).payloads(), decode, yield)
	}
}
