package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// bedrockRequest is a request in the form of one wire.
type bedrockRequest[P portion] struct {
	data []byte // the body
	send operation
	// read yields the pieces of the answer. It reports whether it came to the last.
	read func(answer io.Reader, yield func(P, error) bool) bool
}

// operation is one of Bedrock's. It sends the request of an exchange, to which it
// leaves the answer.
type operation func(ctx context.Context, client *bedrockruntime.Client, m Model, call *sdkCall) error

// invokeBedrock sends the request that encode makes once the range begins.
func invokeBedrock[P portion](ctx context.Context, b *Bedrock, m Model, encode func() (bedrockRequest[P], error)) iter.Seq2[P, error] {
	return newSequence(ctx, func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool) {
		var none P
		request, err := encode()
		if err == nil {
			err = checkModelID(m.ID)
		}
		if err != nil {
			yield(none, err)
			return
		}
		call, err := b.open(ctx, m, request.data, request.send)
		if err != nil {
			yield(none, err)
			return
		}
		defer call.close()
		if request.read(call.answer, withRequestID(call.requestID, yield)) {
			drain(call.answer, cancel)
		}
	})
}

// open sends the request and returns an exchange with an answer, unread.
func (b *Bedrock) open(ctx context.Context, m Model, data []byte, send operation) (*sdkCall, error) {
	call := &sdkCall{request: data}
	if err := send(ctx, b.client, m, call); err != nil {
		call.close()
		return nil, bedrockError(err)
	}
	if call.answer == nil {
		return nil, gatewayError("the upstream accepted the request but sent no answer", nil)
	}
	return call, nil
}

// sdkCall stands between the SDK and its HTTP client, for one invocation. The
// SDK signs, chooses the endpoint and reads errors. The body of an answer is for
// the wire alone.
type sdkCall struct {
	client    bedrockruntime.HTTPClient
	request   []byte
	answer    io.ReadCloser
	requestID string
}

// join puts the exchange in its place.
func (call *sdkCall) join(o *bedrockruntime.Options) { call.client, o.HTTPClient = o.HTTPClient, call }

// withoutEventStream takes out the SDK's own reader of event streams, whose
// goroutines share unguarded state with those of other streams.
func withoutEventStream(o *bedrockruntime.Options) {
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		_, err := s.Deserialize.Remove("OperationEventStreamDeserializer")
		return err
	})
}

// Do sends the request with a body of its own. The SDK closes the one it made as
// soon as there is a response; where the transport has not looked for its end by
// then, the connection could not be used again.
func (call *sdkCall) Do(r *http.Request) (*http.Response, error) {
	own := *r
	own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(call.request)), nil }
	own.Body, _ = own.GetBody()
	replayable(own.Header)
	response, err := boundedClient{call.client}.Do(&own)
	if err == nil && response.StatusCode == http.StatusOK {
		call.close()
		call.answer, response.Body = response.Body.(*boundedBody).ReadCloser, http.NoBody
		call.requestID = response.Header.Get("x-amzn-RequestId")
	}
	return response, err
}

// boundedClient is a client of which the SDK reads refusals and counts to their end, and more
// before it lets go of them, however long they are.
type boundedClient struct{ bedrockruntime.HTTPClient }

func (b boundedClient) Do(r *http.Request) (*http.Response, error) {
	response, err := b.HTTPClient.Do(r)
	if err == nil {
		response.Body = &boundedBody{response.Body, io.LimitReader(response.Body, maxErrorBody)}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	bounded io.Reader
}

func (b *boundedBody) Read(p []byte) (int, error) { return b.bounded.Read(p) }

func (call *sdkCall) close() {
	if call.answer != nil {
		call.answer.Close()
	}
}

// unknownError is what the SDK makes of an error that is not in AWS's form.
const unknownError = "UnknownError"

// bedrockError maps what the SDK returns instead of a stream.
func bedrockError(err error) error {
	var (
		known    *Error
		api      smithy.APIError
		response *awshttp.ResponseError
	)
	hasResponse := errors.As(err, &response) && response.Response != nil
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &api) && api.ErrorMessage() != unknownError:
		status := 0
		if hasResponse {
			status = response.HTTPStatusCode()
		}
		known = exceptionError(api.ErrorCode(), api.ErrorMessage(), status)
	case hasResponse && response.HTTPStatusCode() >= 300:
		known = statusError(response.HTTPStatusCode(), "")
	default:
		known = transportError(err)
	}
	if known.Err == nil {
		known.Err = err
	}
	if hasResponse {
		known.RequestID = response.RequestID
		known.RetryAfter = retryAfter(response.Response.Header, time.Now())
	}
	return known
}

// replaceBody gives the request its body in the place of the SDK's, before it is
// measured and signed. The SDK would have images decoded from base64, to encode
// them again, and sends text that is not UTF-8.
func (call *sdkCall) replaceBody(o *bedrockruntime.Options) {
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		return s.Serialize.Add(middleware.SerializeMiddlewareFunc("ReplaceBody", call.serialize), middleware.After)
	})
}

func (call *sdkCall) serialize(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (
	out middleware.SerializeOutput, metadata middleware.Metadata, err error,
) {
	request, err := in.Request.(*smithyhttp.Request).SetStream(bytes.NewReader(call.request))
	if err != nil {
		return out, metadata, err
	}
	request.Header.Set("content-type", "application/json")
	in.Request = request
	return next.HandleSerialize(ctx, in)
}
