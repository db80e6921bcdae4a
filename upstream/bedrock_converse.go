package upstream

import (
	"bytes"
	"context"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dragoman/translate"
)

// BedrockConverse invokes models with ConverseStream, whose body is the same for
// all families (reference/bedrock.md §5), or with Converse where the model cannot
// stream: then the text comes in one chunk.
//
// A prompt with an image or a document that the model, or Converse, cannot be
// shown is an [*Error], and nothing is sent.
type BedrockConverse struct {
	bedrock *Bedrock
}

// Converse returns the upstream that asks over Converse with the client of b.
func (b *Bedrock) Converse() *BedrockConverse { return &BedrockConverse{b} }

// Invoke sends the prompt to the model with this id, inference profile or ARN.
func (b *BedrockConverse) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	// A Claude alone can be asked which sequence it met.
	send, watch := splitStops(p, m.Can, isClaude(m.ID))
	return watchStops(watch, invokeBedrock(ctx, b.bedrock, m, func() (wireRequest[translate.Chunk], error) {
		data, err := encodeConverse(m, p, send)
		d := &converseDecoder{stops: send}
		if m.Can.Has(Streaming) {
			return wireRequest[translate.Chunk]{data, sendConverseStream, d.readStream}, err
		}
		return wireRequest[translate.Chunk]{data, sendConverse, d.readWhole}, err
	}))
}

// sendConverseStream asks for an event stream.
func sendConverseStream(ctx context.Context, client *bedrockruntime.Client, m Model, x *exchange) error {
	_, err := client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: &m.ID}, x.join, x.replaceBody, withoutEventStream)
	return err
}

// sendConverse asks for the answer in one piece.
func sendConverse(ctx context.Context, client *bedrockruntime.Client, m Model, x *exchange) error {
	_, err := client.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: &m.ID}, x.join, x.replaceBody)
	return err
}

// replaceBody gives the request its body in the place of the SDK's, before it is
// measured and signed. The SDK would have images decoded from base64, to encode
// them again, and sends text that is not UTF-8.
func (x *exchange) replaceBody(o *bedrockruntime.Options) {
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		return s.Serialize.Add(middleware.SerializeMiddlewareFunc("ReplaceBody", x.serialize), middleware.After)
	})
}

func (x *exchange) serialize(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (
	out middleware.SerializeOutput, metadata middleware.Metadata, err error,
) {
	request, err := in.Request.(*smithyhttp.Request).SetStream(bytes.NewReader(x.request))
	if err != nil {
		return out, metadata, err
	}
	request.Header.Set("content-type", "application/json")
	in.Request = request
	return next.HandleSerialize(ctx, in)
}
