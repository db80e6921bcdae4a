package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// How the AWS SDK is used. It signs a request, chooses the endpoint, and reads the
// errors of the service. The body of the request is ours, and so is the reading of an
// answer: the SDK would decode and encode images, and read frames with goroutines and
// many allocations.

// bedrockRequest is a request in the form of one wire, and how its answer is read.
type bedrockRequest[P portion] struct {
	data []byte // the body
	send operation
	// read yields the pieces of an answer. It reports whether it came to the last one.
	read func(answer io.Reader, yield func(P, error) bool) bool
}

// operation calls one operation of the SDK with the body of an sdkCall, which keeps the
// answer.
type operation func(ctx context.Context, client *bedrockruntime.Client, m Model, call *sdkCall) error

// invokeBedrock returns the sequence of an answer. When the range begins it sends the
// request that encode returns.
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

// open sends the request and returns the call with its answer, unread. The caller has to
// close it.
func (b *Bedrock) open(ctx context.Context, m Model, data []byte, send operation) (*sdkCall, error) {
	call, err := b.signed(ctx, data, func(call *sdkCall) error { return send(ctx, b.client, m, call) })
	switch {
	case err != nil:
		return nil, err
	case call.answer == nil:
		return nil, gatewayError("the upstream accepted the request but sent no answer", nil)
	}
	return call, nil
}

// sdkCall is one call of an operation of the SDK. It takes the place of the SDK's HTTP
// client, so that the request has the body that we wrote, and the body of an answer
// stays unread by the SDK.
type sdkCall struct {
	bedrock   *Bedrock
	lease     *lease[aws.Credentials]   // what it was signed with; nil if it was not
	client    bedrockruntime.HTTPClient // the SDK's own
	request   []byte                    // the body
	answer    io.ReadCloser             // the body of the response; nil if there was none with status 200
	requestID string
}

// join puts the call between the SDK and its HTTP client.
func (call *sdkCall) join(o *bedrockruntime.Options) {
	call.bound(o)
	call.client, o.HTTPClient = o.HTTPClient, call
}

// bound has the SDK take its credentials from the call, and bounds what it reads.
func (call *sdkCall) bound(o *bedrockruntime.Options) {
	o.Credentials = call
	o.HTTPClient = boundedClient{o.HTTPClient, call.bedrock.clock}
}

// Retrieve returns the credentials to sign the request with.
func (call *sdkCall) Retrieve(ctx context.Context) (aws.Credentials, error) {
	kept, err := call.bedrock.credentials.get(ctx)
	if err != nil {
		return aws.Credentials{}, err
	}
	call.lease = kept
	return kept.value, nil
}

// withoutEventStream takes out the SDK's own reader of event streams, whose goroutines
// share unguarded state with those of other streams.
func withoutEventStream(o *bedrockruntime.Options) {
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		_, err := s.Deserialize.Remove("OperationEventStreamDeserializer")
		return err
	})
}

// Do sends the request with a body of its own. The SDK closes the one it made as soon as
// there is a response; where the transport has not looked for the end of that body by
// then, the connection could not be used again.
func (call *sdkCall) Do(r *http.Request) (*http.Response, error) {
	own := *r
	own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(call.request)), nil }
	own.Body, _ = own.GetBody()
	replayable(own.Header)
	response, err := call.client.Do(&own)
	if err == nil && response.StatusCode == http.StatusOK {
		call.close()
		call.answer, response.Body = response.Body.(*boundedBody).ReadCloser, http.NoBody
		call.requestID = response.Header.Get("x-amzn-RequestId")
	}
	return response, err
}

// boundedClient cuts the bodies of responses to maxErrorBody. The SDK reads refusals and
// counts to their end, however long they are. It sets the clock by each response.
type boundedClient struct {
	bedrockruntime.HTTPClient
	clock *clock
}

func (b boundedClient) Do(r *http.Request) (*http.Response, error) {
	sent := time.Now()
	response, err := b.HTTPClient.Do(r)
	if err == nil {
		b.clock.note(sent, response.Header)
		response.Body = &boundedBody{response.Body, io.LimitReader(response.Body, maxErrorBody)}
	}
	return response, err
}

// boundedBody reads the beginning of a body. The embedded body is all of it.
type boundedBody struct {
	io.ReadCloser
	limited io.Reader
}

func (b *boundedBody) Read(p []byte) (int, error) { return b.limited.Read(p) }

// close closes the answer, if there is one.
func (call *sdkCall) close() {
	if call.answer != nil {
		call.answer.Close()
	}
}

// unknownError is the message that the SDK gives an error which is not in AWS's form.
const unknownError = "UnknownError"

// exceptionName returns the name of the AWS exception that an error is; "" for none.
func exceptionName(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	return api.ErrorCode()
}

// bedrockError maps what the SDK returns instead of an answer.
func bedrockError(err error) *Error {
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
	if hasResponse {
		known.RequestID = response.RequestID
		known.RetryAfter = retryAfter(response.Response.Header, time.Now())
	}
	return known
}

// replaceBody gives the request its body in the place of the SDK's, before it is
// measured and signed. The SDK would decode images from base64 to encode them again, and
// it sends text that is not UTF-8 as it is.
func (call *sdkCall) replaceBody(o *bedrockruntime.Options) {
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		return s.Serialize.Add(middleware.SerializeMiddlewareFunc("ReplaceBody", call.serialize), middleware.After)
	})
}

// serialize is the step of the SDK that replaceBody adds, after the SDK's own
// serializer.
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
