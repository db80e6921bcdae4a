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

// The operations of Bedrock, over the AWS SDK. Dragoman writes the bodies itself: a prompt is written once
// for all wires, and images are not decoded and encoded again.

// sdkOptions changes the options of one call of the SDK.
type sdkOptions = func(*bedrockruntime.Options)

// ownProtocol gives a stream its own decoder. Otherwise all streams of a client share one decoder, which
// stores state at its first frame without a lock (smithy-go 1.28).
func ownProtocol(o *bedrockruntime.Options) { o.Protocol = restjson1.New(nil) }

// invokeModel sends a body in the model's own form and returns the stream (docs/reference/bedrock.md §2).
func (b *Bedrock) invokeModel(ctx context.Context, m Model, body []byte, options ...sdkOptions) (*bedrockruntime.InvokeModelWithResponseStreamOutput, error) {
	in := &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: &m.ID, Body: m.Guardrail.inBody(body), ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
	}
	if g := m.Guardrail; g != nil {
		in.GuardrailIdentifier, in.GuardrailVersion, in.Trace = &g.ID, &g.Version, types.Trace(strings.ToUpper(g.Trace))
	}
	out, err := b.runtime.InvokeModelWithResponseStream(ctx, in, append(options, ownProtocol)...)
	in.Body = nil // the SDK keeps its input
	return out, err
}

// chunkFilter changes the events of an answer before they are decoded.
type chunkFilter = func(iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error]

// invoke returns the sequence of the answer to such a body. It calls decode with the JSON of each chunk,
// after filter.
func invoke[P portion](ctx context.Context, b *Bedrock, m Model, body *sentBody, filter chunkFilter, decode func([]byte) (P, error)) iter.Seq2[P, error] {
	return askBedrock(ctx, func(ctx context.Context) (sdkStream[types.ResponseStream], string, error) {
		out, err := b.invokeModel(ctx, m, body.data)
		if err != nil {
			return nil, "", err
		}
		body.forget()
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

// converse sends a body to Converse or ConverseStream and returns the sequence of the answer
// (docs/reference/bedrock.md §5).
func (b *Bedrock) converse(ctx context.Context, m Model, body *sentBody, d *converseDecoder) iter.Seq2[translate.Chunk, error] {
	return askBedrock(ctx, func(ctx context.Context) (sdkStream[types.ConverseStreamOutput], string, error) {
		if !m.Can.Has(Streaming) {
			out, err := b.runtime.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: &m.ID}, sending(body.data))
			if err != nil {
				return nil, "", err
			}
			id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
			return wholeConverse(out), id, nil
		}
		out, err := b.runtime.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: &m.ID}, sending(body.data), ownProtocol)
		if err != nil {
			return nil, "", err
		}
		body.forget()
		id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
		return out.GetStream(), id, nil
	}, func(events iter.Seq2[types.ConverseStreamOutput, error], yield func(translate.Chunk, error) bool) bool {
		return decodeStream(withEnd(events), d.decode, yield)
	})
}

// sending makes the SDK send this body instead of its own.
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

// askBedrock returns the sequence of an answer. When the range begins, open sends the request. read yields
// the portions of the answer, and reports whether it reached the last one.
func askBedrock[E any, P portion](
	ctx context.Context, open func(context.Context) (sdkStream[E], string, error),
	read func(iter.Seq2[E, error], func(P, error) bool) bool,
) iter.Seq2[P, error] {
	return newSequence(ctx, "", func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool) {
		var none P
		stream, id, err := open(ctx)
		if err != nil {
			yield(none, bedrockError(err))
			return
		}
		defer stream.Close()
		if read(eventsOf(stream), complete(id, nil, yield)) {
			defer time.AfterFunc(trailerWait, cancel).Stop()
			for range stream.Events() { // to the end of the body: the connection can then be used again
			}
		}
	})
}

// eventsOf yields the events of a stream. An exception in the stream, or a damaged or cut frame, is an error.
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

// payloads yields the model's JSON of each chunk, and skips events of other types.
func payloads(events iter.Seq2[types.ResponseStream, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for event, err := range events {
			chunk, ok := event.(*types.ResponseStreamMemberChunk)
			var data []byte
			switch {
			case err == nil && !ok:
				continue
			case err == nil && chunk.Value.Bytes == nil:
				err = gatewayError("the upstream sent a chunk that Dragoman cannot read", plain("a chunk without bytes"))
			case err == nil:
				data = chunk.Value.Bytes
			}
			if !yield(data, err) || err != nil {
				return
			}
		}
	}
}

// withMaxTokens returns a body for CountTokens, which checks it like a real request. So a body of the
// Messages API without max_tokens gets max_tokens 1.
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
// count tokens: after an [*Error], the model may still accept the prompt.
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
		return 0, gatewayError("the upstream's answer has no token count", nil)
	}
	return int(*out.InputTokens), nil
}

// show returns the request that the SDK would send to a model over a wire. It sends nothing.
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

// unsent replaces the SDK's HTTP client and credentials. It stores the request instead of sending it.
type unsent struct {
	request *http.Request
	body    []byte
}

func (u *unsent) Do(request *http.Request) (*http.Response, error) {
	u.request = request
	var err error
	u.body, err = io.ReadAll(request.Body)
	return nil, cmp.Or(err, errors.New("upstream: show does not send the request"))
}

func (*unsent) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "SHOWN", SecretAccessKey: "shown"}, nil
}
