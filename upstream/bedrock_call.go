package upstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// A call of Bedrock: a request, and what comes of it. Body and answer are ours: the SDK would decode
// and encode images, and read frames with goroutines and many allocations.

// bedrockRequest is a request in the form of one wire, and how its answer is read.
type bedrockRequest[P portion] struct {
	data []byte // the body
	op   *operation
	// read yields the pieces of an answer. It reports whether it came to the last one.
	read func(answer io.Reader, yield func(P, error) bool) bool
}

// bedrockCall is one call of an operation.
type bedrockCall struct {
	lease     *lease[aws.Credentials] // what it was signed with; nil if it was not
	ahead     time.Duration           // by a clock that is so far ahead of ours
	answer    io.ReadCloser           // the body of the response
	requestID string
}

// invokeBedrock returns the sequence of an answer. When the range begins it sends the
// request that encode returns.
func invokeBedrock[P portion](ctx context.Context, b *Bedrock, m Model, encode func() (bedrockRequest[P], error)) iter.Seq2[P, error] {
	return newSequence(ctx, func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool) {
		var none P
		request, err := encode()
		var call *bedrockCall
		if err == nil {
			call, err = b.open(ctx, m, request.op, request.data)
			request.data = nil // an answer may take minutes
		}
		if err != nil {
			yield(none, err)
			return
		}
		defer call.answer.Close()
		if request.read(call.answer, withRequestID(call.requestID, yield)) {
			drain(call.answer, cancel)
		}
	})
}

// open sends the request and returns the call with its answer, unread. The caller has to
// close the answer.
func (b *Bedrock) open(ctx context.Context, m Model, op *operation, body []byte) (*bedrockCall, error) {
	if err := checkModelID(m.ID); err != nil {
		return nil, err
	}
	return b.signed(ctx, func() (*bedrockCall, error) { return b.send(ctx, m, op, body) })
}

// send sends the request once. The call is returned with an error, too. What Bedrock refuses is an
// [*awshttp.ResponseError], as of the SDK.
func (b *Bedrock) send(ctx context.Context, m Model, op *operation, body []byte) (*bedrockCall, error) {
	call := &bedrockCall{ahead: b.ahead()}
	plan, err := b.blueprint(ctx, op)
	if err != nil {
		return call, err
	}
	request, payload := plan.request(ctx, op, m, body)
	if err := b.do(call, op.name, plan, request, payload.data); err != nil {
		return call, err
	}
	payload.accept()
	return call, nil
}

// do signs a request of an operation, which has this body, sends it, and notes in the call what came of it.
// The error is that of send.
func (b *Bedrock) do(call *bedrockCall, operation string, plan *blueprint, request *http.Request, body []byte) (err error) {
	if call.lease, err = b.authorize(request, plan, body, call.ahead); err != nil {
		return err
	}
	replayable(request.Header) // after the signature: it is not sent
	sent := time.Now()
	response, err := b.options.HTTPClient.Do(request)
	if err != nil {
		return &smithy.OperationError{ServiceID: bedrockruntime.ServiceID, OperationName: operation, Err: err}
	}
	b.clock.note(sent, response.Header)
	call.requestID = cmp.Or(response.Header.Get("X-Amzn-RequestId"), response.Header.Get("X-Amz-RequestId"))
	if call.answer = response.Body; response.StatusCode == http.StatusOK {
		return nil
	}
	defer response.Body.Close()
	if response.StatusCode > 200 && response.StatusCode < 300 {
		return gatewayError("the upstream accepted the request but sent no answer", nil)
	}
	return &awshttp.ResponseError{RequestID: call.requestID, ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: response}, Err: readException(response),
	}}
}

// ahead returns how far the clock by which requests are signed is ahead of ours.
func (b *Bedrock) ahead() time.Duration {
	if b.options.DisableClockSkewCorrection {
		return 0
	}
	return b.clock.skew()
}

// readException returns the exception in a refusal, as the SDK reads it: a [smithy.APIError], or
// another error if the body is not in AWS's form.
func readException(r *http.Response) error {
	var body struct {
		Type    string `json:"__type"`
		Message string // whatever its case, as for package json
		Code    any
	}
	data, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody)) // to its end: the connection can then be used again
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&body); err != nil && err != io.EOF {
		return errors.New("upstream: the refusal is not in JSON")
	}
	code, _ := body.Code.(string)
	code = cmp.Or(r.Header.Get("X-Amzn-ErrorType"), body.Type, code)
	code, _, _ = strings.Cut(code, ":") // a URL
	_, name, namespaced := strings.Cut(code, "#")
	if namespaced {
		code = name
	}
	return &smithy.GenericAPIError{Code: code, Message: body.Message}
}

// exceptionName returns the name of the AWS exception that an error is; "" for none.
func exceptionName(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	return api.ErrorCode()
}

// bedrockError maps what comes instead of an answer: an error of send, or of the SDK.
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
	case errors.As(err, &api) && (api.ErrorMessage() != "" || byException[api.ErrorCode()].status != 0):
		status := 0
		if hasResponse {
			status = response.HTTPStatusCode()
		}
		known = exceptionError(api.ErrorCode(), api.ErrorMessage(), status)
	case hasResponse:
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
