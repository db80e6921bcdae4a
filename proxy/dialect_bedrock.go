package proxy

import (
	"net/http"
	"strings"

	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/eventstream"
)

// What the dialects of Bedrock have in common: who asks, for which model, and how a
// failure looks.

// setBedrockID sets the header in which the AWS SDKs look for the request's id.
func setBedrockID(h http.Header, requestID string) { h.Set("X-Amzn-Requestid", requestID) }

// bedrockCredentials returns what may be a key: those of the Messages API and, of a signed
// request, the access key id. The signature itself cannot be verified without the secret.
func bedrockCredentials(h http.Header) []string {
	return append(messagesCredentials(h), accessKeyID(h))
}

// accessKeyID returns the access key id of a request that is signed for Bedrock by
// Signature Version 4, or "". The header is of the form
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

// bedrockModel returns the model that the path names: an id, or an ARN with its slashes
// escaped (docs/reference/bedrock.md §1). The error is a *messages.InvalidRequestError.
func bedrockModel(r *http.Request) (string, error) {
	const longest = 2048
	id := pathParam(r, "id")
	if id == "" || len(id) > longest {
		return "", &messages.InvalidRequestError{Path: "modelId", Message: "The provided model identifier is invalid."}
	}
	return id, nil
}

// The operations. Each is the end of its path (docs/reference/bedrock.md §1).
const (
	opInvoke         = "/invoke"
	opInvokeStream   = "/invoke-with-response-stream"
	opConverse       = "/converse"
	opConverseStream = "/converse-stream"
	opCount          = "/count-tokens"
)

// readBedrock reads a body of the Messages API. The path says which model is asked, and
// whether to stream.
func readBedrock(r *http.Request, data []byte, opt messages.DecodeOptions) (*messages.Body, error) {
	model, err := bedrockModel(r)
	if err != nil {
		return nil, err
	}
	stream := strings.HasSuffix(r.URL.Path, "stream")
	opt.Model, opt.Stream = model, &stream
	return messages.ReadBody(r.Context(), data, opt)
}

// nativeBedrock passes on the body alone: in Bedrock version and betas are in it.
func nativeBedrock(_ http.Header, body *messages.Body) upstream.Native {
	return upstream.Native{Body: body.JSON()}
}

// exception is what the AWS SDKs know a failure by: from its name or its status they
// decide whether to try again (docs/reference/bedrock.md §4).
type exception struct {
	name   string
	status int
}

var (
	validation     = exception{"ValidationException", http.StatusBadRequest}
	accessDenied   = exception{"AccessDeniedException", http.StatusForbidden}
	modelNotReady  = exception{"ModelNotReadyException", http.StatusTooManyRequests}
	internalServer = exception{"InternalServerException", http.StatusInternalServerError}

	// modelFailed is for what no retry mends, and modelStreamFailed the same within a stream.
	modelFailed       = exception{"ModelErrorException", http.StatusFailedDependency}
	modelStreamFailed = exception{"ModelStreamErrorException", http.StatusFailedDependency}
)

// exceptions are the exceptions for the error types of the Messages API. There is none
// for a body that is too large, so that is one that is not valid.
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

// asException returns the exception for a failure. The type may be an upstream's own: then
// the status says whether it is the client's fault. The AWS SDKs do not look at
// x-should-retry: a failure that no retry mends is one that they do not repeat.
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

// bedrockFailure answers with an exception, if no stream has begun.
func bedrockFailure(h http.Header, f *failure, _ string) (int, []byte) {
	e := f.asException()
	h.Set("X-Amzn-Errortype", e.name)
	h.Del("Www-Authenticate") // it belongs to a 401, and here a wrong key is a 403
	return e.status, awsMessage(f.message)
}

// appendExceptionFrame appends the exception that ends a stream. Within a stream its name
// is in lower camel case.
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
