package upstream

import (
	"context"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
)

// InvokeModelWithResponseStream, which takes a body in the model's own form
// (docs/reference/bedrock.md §2). It carries the Messages body and that of text
// completions.

// invokeModel is the [operation] of a body in the model's own form.
func invokeModel(ctx context.Context, client *bedrockruntime.Client, m Model, call *sdkCall) error {
	in := &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: &m.ID, Body: call.request, ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
	}
	m.Guardrail.guard(in)
	call.request = in.Body
	_, err := client.InvokeModelWithResponseStream(ctx, in, call.join, withoutEventStream)
	return err
}

// readChunks returns a reader of answers in the model's own form. decode is given the
// JSON of each chunk.
func readChunks[P portion](decode func(data []byte) (P, error)) func(io.Reader, func(P, error) bool) bool {
	return func(answer io.Reader, yield func(P, error) bool) bool {
		stream := newBedrockStream(answer)
		payloads, more := withIntervention(stream.payloads(), stream.more)
		return decodeStream(payloads, decode, withMore(more, yield))
	}
}
