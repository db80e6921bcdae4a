package upstream

import (
	"context"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
)

// InvokeModelWithResponseStream, which takes a body in the model's own form
// (docs/reference/bedrock.md §2). It carries the Messages body and that of text
// completions.

// invokeModel takes a body in the model's own form.
var invokeModel = &operation{
	name: "InvokeModelWithResponseStream",
	rehearse: func(ctx context.Context, client *bedrockruntime.Client, model *string, options func(*bedrockruntime.Options)) error {
		_, err := client.InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{
			ModelId: model, Body: []byte("{}"), ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
		}, options)
		return err
	},
	adapt: func(m Model, h http.Header, body []byte) []byte { return m.Guardrail.guard(h, body) },
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
