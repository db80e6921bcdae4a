package upstream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/aws/smithy-go/transport/http/protocol/restjson1"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// The operations of Bedrock, which the AWS SDK carries out. Bodies are ours: a prompt is written once,
// whatever it is sent to, and no image is decoded to be encoded again.

// sdkOptions changes the options of one call of the SDK.
type sdkOptions = func(*bedrockruntime.Options)

// ownProtocol gives a stream a decoder of its own. All streams of a client share one, which keeps what it
// makes at its first frame, and smithy-go 1.28 guards that by nothing.
func ownProtocol(o *bedrockruntime.Options) { o.Protocol = restjson1.New(nil) }

// invokeModel has a model answer a body in its own form (docs/reference/bedrock.md §2).
func (b *Bedrock) invokeModel(ctx context.Context, m Model, body []byte, options ...sdkOptions) (*bedrockruntime.InvokeModelWithResponseStreamOutput, error) {
	in := &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: &m.ID, Body: m.Guardrail.inBody(body), ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
	}
	if g := m.Guardrail; g != nil {
		in.GuardrailIdentifier, in.GuardrailVersion, in.Trace = &g.ID, &g.Version, types.Trace(strings.ToUpper(g.Trace))
	}
	return b.runtime.InvokeModelWithResponseStream(ctx, in, append(options, ownProtocol)...)
}

// chunkFilter changes the events of an answer before they are decoded.
type chunkFilter = func(iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error]

// invoke returns the sequence of the answer to such a body. decode is given the JSON of each chunk, as filter leaves it.
func invoke[P portion](ctx context.Context, b *Bedrock, m Model, body []byte, filter chunkFilter, decode func([]byte) (P, error)) iter.Seq2[P, error] {
	return askBedrock(ctx, func(ctx context.Context) (sdkStream[types.ResponseStream], string, error) {
		out, err := b.invokeModel(ctx, m, body)
		if err != nil {
			return nil, "", err
		}
		id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
		return out.GetStream(), id, nil
	}, func(events iter.Seq2[types.ResponseStream, error], yield func(P, error) bool) bool {
		return decodeStream(filter(wholeCharacters(payloads(events))), decode, yield)
	})
}

// invokeWhole is invokeModel for a model that does not stream.
func (b *Bedrock) invokeWhole(ctx context.Context, m Model, body []byte, options ...sdkOptions) (*bedrockruntime.InvokeModelOutput, error) {
	in := &bedrockruntime.InvokeModelInput{ModelId: &m.ID, Body: m.Guardrail.inBody(body), ContentType: aws.String("application/json"), Accept: aws.String("application/json")}
	if g := m.Guardrail; g != nil {
		in.GuardrailIdentifier, in.GuardrailVersion, in.Trace = &g.ID, &g.Version, types.Trace(strings.ToUpper(g.Trace))
	}
	return b.runtime.InvokeModel(ctx, in, options...)
}

// converse returns the sequence of the answer of Converse, or of ConverseStream, to a body
// (docs/reference/bedrock.md §5).
func (b *Bedrock) converse(ctx context.Context, m Model, body []byte, d *converseDecoder) iter.Seq2[translate.Chunk, error] {
	return askBedrock(ctx, func(ctx context.Context) (sdkStream[types.ConverseStreamOutput], string, error) {
		if !m.Can.Has(Streaming) {
			out, err := b.runtime.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: &m.ID}, sending(body))
			if err != nil {
				return nil, "", err
			}
			id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
			return wholeConverse(out), id, nil
		}
		out, err := b.runtime.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: &m.ID}, sending(body), ownProtocol)
		if err != nil {
			return nil, "", err
		}
		id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
		return out.GetStream(), id, nil
	}, func(events iter.Seq2[types.ConverseStreamOutput, error], yield func(translate.Chunk, error) bool) bool {
		return decodeStream(withEnd(events), d.decode, yield)
	})
}

// sending has the SDK send a body in the place of its own.
func sending(body []byte) sdkOptions {
	return bedrockruntime.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Build.Add(middleware.BuildMiddlewareFunc("SendBody", func(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (middleware.BuildOutput, middleware.Metadata, error) {
			request, err := in.Request.(*smithyhttp.Request).SetStream(bytes.NewReader(body))
			if err != nil {
				return middleware.BuildOutput{}, middleware.Metadata{}, err
			}
			request.Header.Set("Content-Type", "application/json")
			in.Request = request
			return next.HandleBuild(ctx, in)
		}), middleware.Before)
	})
}

// sdkStream is a stream of the SDK.
type sdkStream[E any] interface {
	Events() <-chan E
	Close() error
	Err() error
}

// askBedrock returns the sequence of an answer. When the range begins, open sends the request, and read
// yields what comes of it; it reports whether it came to the last portion.
func askBedrock[E any, P portion](
	ctx context.Context, open func(context.Context) (sdkStream[E], string, error),
	read func(iter.Seq2[E, error], func(P, error) bool) bool,
) iter.Seq2[P, error] {
	return newSequence(ctx, func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool) {
		var none P
		stream, id, err := open(ctx)
		if err != nil {
			yield(none, bedrockError(err))
			return
		}
		defer stream.Close()
		if read(eventsOf(stream), withRequestID(id, yield)) {
			defer time.AfterFunc(trailerWait, cancel).Stop()
			for range stream.Events() { // to the end of the body: the connection can then be used again
			}
		}
	})
}

// eventsOf yields the events of a stream. An exception in it, and a frame that is broken or cut, are
// errors.
func eventsOf[E any](stream sdkStream[E]) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for event := range stream.Events() {
			if !yield(event, nil) {
				return
			}
		}
		if err := stream.Err(); err != nil {
			var none E
			yield(none, streamError(err))
		}
	}
}

// payloads yields the model's JSON of each chunk. Events of other types are left out.
func payloads(events iter.Seq2[types.ResponseStream, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for event, err := range events {
			chunk, ok := event.(*types.ResponseStreamMemberChunk)
			var data []byte
			switch {
			case err == nil && !ok:
				continue
			case err == nil && chunk.Value.Bytes == nil:
				err = gatewayError("the upstream sent a chunk that cannot be read", plain("a chunk without bytes"))
			case err == nil:
				data = chunk.Value.Bytes
			}
			if !yield(data, err) || err != nil {
				return
			}
		}
	}
}

// withMaxTokens returns a body to be counted. Bedrock checks it as one to be
// answered: one of the Messages API that has no max_tokens gets the least there is.
func withMaxTokens(body []byte) []byte {
	var asked struct {
		Prompt    jsontext.Value `json:"prompt"`
		MaxTokens int            `json:"max_tokens"`
	}
	if json.Unmarshal(body, &asked, lenient) == nil && asked.Prompt == nil && asked.MaxTokens == 0 {
		body = rawjson.WithMembers(body, map[string]jsontext.Value{"max_tokens": jsontext.Value("1")})
	}
	return body
}

// count returns how many tokens a body of InvokeModel has (docs/reference/bedrock.md §6). Few models can
// count; an [*Error] does not mean that the model would refuse the prompt.
func (b *Bedrock) count(ctx context.Context, m Model, body []byte, options ...sdkOptions) (int, error) {
	out, err := b.runtime.CountTokens(ctx, &bedrockruntime.CountTokensInput{
		ModelId: &m.ID, Input: &types.CountTokensInputMemberInvokeModel{Value: types.InvokeModelTokensRequest{Body: body}},
	}, options...)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, bedrockError(err)
	case out.InputTokens == nil || *out.InputTokens < 0:
		return 0, gatewayError("the upstream did not say how many tokens there are", nil)
	}
	return int(*out.InputTokens), nil
}

// show returns the request that asks a model over a wire, as the SDK makes it, and sends nothing.
func (b *Bedrock) show(ctx context.Context, m Model, wire string, body []byte) (Request, error) {
	var unsent unsent
	instead := func(o *bedrockruntime.Options) { o.HTTPClient, o.Credentials = &unsent, &unsent }
	var err error
	switch {
	case wire != WireConverse && m.Can.Has(Streaming) || wire == WireMessages || wire == WireText:
		_, err = b.invokeModel(ctx, m, body, instead)
	case wire != WireConverse:
		_, err = b.invokeWhole(ctx, m, body, instead)
	case m.Can.Has(Streaming):
		_, err = b.runtime.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: &m.ID}, sending(body), instead)
	default:
		_, err = b.runtime.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: &m.ID}, sending(body), instead)
	}
	if unsent.request == nil {
		return Request{}, bedrockError(err)
	}
	return shown(wire, unsent.request, unsent.body), nil
}

// unsent takes the place of the SDK's client, and of its credentials, and keeps the request.
type unsent struct {
	request *http.Request
	body    []byte
}

func (u *unsent) Do(request *http.Request) (*http.Response, error) {
	u.request = request
	var err error
	u.body, err = io.ReadAll(request.Body)
	return nil, cmp.Or(err, errors.New("upstream: a request that is shown is not sent"))
}

func (*unsent) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "SHOWN", SecretAccessKey: "shown"}, nil
}
