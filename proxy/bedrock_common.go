package proxy

import (
	"net/http"
	"strings"

	"dragoman/translate"
	"dragoman/upstream"
)

// What the dialects of Bedrock have in common: who asks, for which model, and how a
// failure looks.

// bedrockID is the name of the request's id in the AWS SDKs.
func setBedrockID(h http.Header, requestID string) { h.Set("X-Amzn-Requestid", requestID) }

// bedrockKeys returns the credentials of a client. A signature cannot be verified
// without its secret: of a signed request it is the access key id that has to be
// one of our keys.
func bedrockCredentials(h http.Header) []string {
	return append(messagesCredentials(h), accessKeyID(h))
}

// accessKeyID returns that of a request signed for Bedrock by Signature Version 4,
// or "":
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

// bedrockModel returns the model that the path names: an id or an ARN, whose slashes
// are escaped (reference/bedrock.md §1). The error is a *translate.InvalidRequestError.
func bedrockModel(r *http.Request) (string, error) {
	const longest = 2048
	id := pathParam(r, "id")
	if id == "" || len(id) > longest {
		return "", &translate.InvalidRequestError{Path: "modelId", Message: "The provided model identifier is invalid."}
	}
	return id, nil
}

// The operations, each the end of its path.
const (
	opInvoke         = "/invoke"
	opInvokeStream   = "/invoke-with-response-stream"
	opConverse       = "/converse"
	opConverseStream = "/converse-stream"
	opCount          = "/count-tokens"
)

// decodeBedrock reads a request with the body of the Messages API, whose path names
// the model and whether to stream.
func readBedrock(r *http.Request, data []byte, opt translate.DecodeOptions) (*translate.Body, error) {
	model, err := bedrockModel(r)
	if err != nil {
		return nil, err
	}
	stream := strings.HasSuffix(r.URL.Path, "stream")
	opt.Model, opt.Stream = model, &stream
	return translate.ReadBody(r.Context(), data, opt)
}

// nativeBedrock is a request whose version and betas are in its body.
func nativeBedrock(_ http.Header, body *translate.Body) upstream.Native {
	return upstream.Native{Body: body.JSON()}
}

// noOperation answers what is no operation of Bedrock's, whatever its method.
func noOperation(*exchange) error {
	return &failure{status: http.StatusNotFound, typ: typeNotFound, message: "there is no such operation here; a slash in the id of a model is to be escaped (%2F)"}
}

// exception is a failure as the AWS SDKs know it (reference/bedrock.md §4). They try
// again by its name or its status.
type exception struct {
	name   string
	status int
}

var (
	validation     = exception{"ValidationException", http.StatusBadRequest}
	accessDenied   = exception{"AccessDeniedException", http.StatusForbidden}
	internalServer = exception{"InternalServerException", http.StatusInternalServerError}
)

// exceptions are those for the error types of the Messages API. What is too large is
// not valid: there is no exception with that status.
var exceptions = map[string]exception{
	typeInvalidRequest: validation,
	typeTooLarge:       validation,
	"conflict_error":   {"ConflictException", http.StatusBadRequest},
	typeAuthentication: {"UnrecognizedClientException", http.StatusForbidden},
	"permission_error": accessDenied,
	"billing_error":    accessDenied,
	typeNotFound:       {"ResourceNotFoundException", http.StatusNotFound},
	typeTimeout:        {"ModelTimeoutException", http.StatusRequestTimeout},
	"rate_limit_error": {"ThrottlingException", http.StatusTooManyRequests},
	typeAPI:            internalServer,
	"overloaded_error": {"ServiceUnavailableException", http.StatusServiceUnavailable},
}

// exception returns what the failure is to the AWS SDKs. Of a type that nobody told
// us of, the status says whose fault it is.
func (f *failure) asException() exception {
	e, known := exceptions[f.typ]
	switch {
	case known:
		return e
	case f.status < http.StatusInternalServerError:
		return validation
	}
	return internalServer
}

// bedrockFailure answers with an exception before the stream.
func bedrockFailure(h http.Header, f *failure, _ string) (int, []byte) {
	e := f.asException()
	h.Set("X-Amzn-Errortype", e.name)
	h.Del("Www-Authenticate") // which goes with a 401
	return e.status, awsMessage(f.message)
}

// appendFailure appends the exception that ends a stream.
func appendExceptionFrame(dst []byte, f *failure) []byte {
	name := f.asException().name
	return appendException(dst, strings.ToLower(name[:1])+name[1:], f.message)
}
