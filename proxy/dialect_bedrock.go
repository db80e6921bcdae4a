package proxy

import (
	"net/http"
	"strings"

	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/eventstream"
)

// What the Bedrock dialects share: credentials, the model in the path, and the form of errors.

// setBedrockID sets the header in which the AWS SDKs look for the request id.
func setBedrockID(h http.Header, requestID string) { h.Set("X-Amzn-Requestid", requestID) }

// bedrockCredentials returns the possible keys of a request: the credentials of the Messages API and, if the request is
// signed, the access key id. Without the secret, the signature itself cannot be verified.
func bedrockCredentials(h http.Header) []string {
	return append(messagesCredentials(h), accessKeyID(h))
}

// accessKeyID returns the access key id of a request that is signed for Bedrock with Signature Version 4, or "". The
// header has the form
//
//	AWS4-HMAC-SHA256 Credential=ID/20261120/us-east-1/bedrock/aws4_request, SignedHeaders=…, Signature=…
func accessKeyID(h http.Header) string {
	scheme, fields, _ := strings.Cut(h.Get("Authorization"), " ")
	if scheme != "AWS4-HMAC-SHA256" {
		return ""
	}
	for field := range strings.SplitSeq(fields, ",") {
		credential, ok := strings.CutPrefix(strings.TrimSpace(field), "Credential=")
		if !ok {
			continue
		}
		if parts := strings.Split(credential, "/"); len(parts) == 5 && parts[3] == "bedrock" && parts[4] == "aws4_request" {
			return parts[0]
		}
		return ""
	}
	return ""
}

// bedrockModel returns the model in the path: an id, or an ARN with escaped slashes (docs/reference/bedrock.md §1). The
// error is a *messages.InvalidRequestError.
func bedrockModel(r *http.Request) (string, error) {
	const longest = 2048
	id := pathParam(r, "id")
	if id == "" || len(id) > longest {
		return "", &messages.InvalidRequestError{Path: "modelId", Message: "The provided model identifier is invalid."}
	}
	return id, nil
}

// The operations. Each is the last part of a path (docs/reference/bedrock.md §1).
const (
	opInvoke         = "/invoke"
	opInvokeStream   = "/invoke-with-response-stream"
	opConverse       = "/converse"
	opConverseStream = "/converse-stream"
	opCount          = "/count-tokens"
)

// readBedrock reads a body of the Messages API. The path has the model, and whether to stream.
func readBedrock(r *http.Request, data []byte, opt messages.DecodeOptions) (*messages.Body, error) {
	model, err := bedrockModel(r)
	if err != nil {
		return nil, err
	}
	stream := strings.HasSuffix(r.URL.Path, "stream")
	opt.Model, opt.Stream = model, &stream
	return messages.ReadBody(r.Context(), data, opt)
}

// nativeBedrock passes on only the body: on Bedrock, the version and the betas are in the body.
func nativeBedrock(_ http.Header, body *messages.Body) upstream.Native {
	return upstream.Native{Body: body.JSON()}
}

// exception is the AWS form of a failure. The AWS SDKs use its name or its status to decide whether to retry
// (docs/reference/bedrock.md §4).
type exception struct {
	name   string
	status int
}

var (
	validation     = exception{"ValidationException", http.StatusBadRequest}
	accessDenied   = exception{"AccessDeniedException", http.StatusForbidden}
	modelNotReady  = exception{"ModelNotReadyException", http.StatusTooManyRequests}
	internalServer = exception{"InternalServerException", http.StatusInternalServerError}

	// modelFailed is for failures that no retry can fix; modelStreamFailed is the same within a stream.
	modelFailed       = exception{"ModelErrorException", http.StatusFailedDependency}
	modelStreamFailed = exception{"ModelStreamErrorException", http.StatusFailedDependency}
)

// exceptions maps the error types of the Messages API to exceptions. AWS has no exception for a body that is too large,
// so that counts as a validation error.
var exceptions = map[string]exception{
	messages.ErrorInvalidRequest: validation,
	messages.ErrorTooLarge:       validation,
	messages.ErrorConflict:       {"ConflictException", http.StatusBadRequest},
	messages.ErrorAuthentication: {"UnrecognizedClientException", http.StatusForbidden},
	messages.ErrorPermission:     accessDenied,
	messages.ErrorBilling:        accessDenied,
	messages.ErrorNotFound:       {"ResourceNotFoundException", http.StatusNotFound},
	messages.ErrorTimeout:        {"ModelTimeoutException", http.StatusRequestTimeout},
	messages.ErrorRateLimit:      {"ThrottlingException", http.StatusTooManyRequests},
	messages.ErrorAPI:            internalServer,
	messages.ErrorOverloaded:     {"ServiceUnavailableException", http.StatusServiceUnavailable},
}

// asException returns the exception for a failure. The type may be an upstream's own: then the status decides whether
// it is the client's fault. The AWS SDKs ignore x-should-retry, so a failure that no retry can fix becomes an exception
// that they do not retry.
func (f *failure) asException() exception {
	e, known := exceptions[f.typ]
	switch {
	case f.notReady:
		return modelNotReady
	case known:
	case f.status < http.StatusInternalServerError:
		e = validation
	default:
		e = internalServer
	}
	if f.final && (e.status == http.StatusTooManyRequests || e.status >= http.StatusInternalServerError) {
		return modelFailed
	}
	return e
}

// bedrockFailure returns the exception for a failure before the stream begins.
func bedrockFailure(h http.Header, f *failure, _ string) (int, []byte) {
	e := f.asException()
	h.Set("X-Amzn-Errortype", e.name)
	h.Del("Www-Authenticate") // that header belongs to a 401, but Bedrock answers a wrong key with 403
	return e.status, awsMessage(f.message)
}

// appendExceptionFrame appends the exception that ends a stream. Within a stream, exception names are in lower camel
// case.
func appendExceptionFrame(dst []byte, f *failure) []byte {
	e := f.asException()
	if e == modelFailed {
		e = modelStreamFailed
	}
	return eventstream.Append(dst, eventstream.ExceptionHeaders(strings.ToLower(e.name[:1])+e.name[1:]), awsMessage(f.message))
}

// awsMessage returns the body of an AWS error: {"message": ...}.
func awsMessage(message string) []byte {
	return appendMarshaled(nil, struct {
		Message string `json:"message"`
	}{message})
}
