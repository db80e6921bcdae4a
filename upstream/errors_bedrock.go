package upstream

import (
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
)

// byException maps AWS exceptions (docs/reference/bedrock.md §4), in place of an answer or in its stream.
var byException = map[string]errorClass{
	"ValidationException":                 invalidRequest,
	"ConflictException":                   conflict,
	"ResourceNotFoundException":           noSuchModel,
	"ThrottlingException":                 rateLimited,
	"TooManyRequestsException":            rateLimited,
	"ServiceQuotaExceededException":       overQuota,
	"ModelNotReadyException":              notReady,
	"ServiceUnavailableException":         overloaded,
	"ModelTimeoutException":               tookTooLong,
	"ModelErrorException":                 internalError,
	"ModelStreamErrorException":           internalError,
	"InternalServerException":             internalError,
	"InternalFailure":                     internalError,
	"AccessDeniedException":               credentialsRefused,
	"UnrecognizedClientException":         credentialsRefused,
	"InvalidSignatureException":           credentialsRefused,
	"SignatureDoesNotMatch":               credentialsRefused,
	"IncompleteSignatureException":        credentialsRefused,
	"MissingAuthenticationTokenException": credentialsRefused,
	"ExpiredTokenException":               credentialsRefused,
	"ExpiredToken":                        credentialsRefused,
	"InvalidClientTokenId":                credentialsRefused,
	"TokenRefreshRequired":                credentialsRefused,
	"RequestExpired":                      credentialsRefused,
	"RequestTimeTooSkewed":                credentialsRefused,
	"RequestInTheFuture":                  credentialsRefused,
}

// exceptionError maps an AWS exception by its name. On the wire, the name may be in lower camel case, after a
// namespace and '#', or before ':' and a URL. For unknown names the HTTP status decides; in a stream it is 0.
func exceptionError(name, message string, status int) *Error {
	name, _, _ = strings.Cut(name, ":")
	name = name[strings.LastIndexByte(name, '#')+1:]
	switch name {
	case "":
	case "UnknownError": // the SDK's word for a missing name
		name = ""
	default:
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	class, known := byException[name]
	if !known {
		class = ofStatus(status)
	}
	message = orFailedWith(message, name)
	if class.ourCredentials {
		message = name + ": " + message
	}
	return answeredWith(class.error(message), status, name, byException)
}

// bedrockError maps the SDK's error for a request that got no answer.
func bedrockError(err error) *Error {
	var (
		known    *Error
		api      smithy.APIError
		response *awshttp.ResponseError
	)
	hasResponse := errors.As(err, &response) && response.HTTPStatusCode() > 0
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &api) && (messageOf(api) != "" || byException[api.ErrorCode()].status != 0):
		status := 0
		if hasResponse {
			status = response.HTTPStatusCode()
		}
		known = exceptionError(api.ErrorCode(), messageOf(api), status)
	case hasResponse && response.HTTPStatusCode() < 300:
		return gatewayError("the upstream sent an answer that Dragoman cannot read", err)
	case hasResponse:
		known = statusError(response.HTTPStatusCode(), "")
	default:
		return transportError(err)
	}
	if hasResponse {
		known.RequestID = response.RequestID
		known.RetryAfter = retryAfter(response.Response.Header, time.Now())
		if known.Credentials != "" {
			known.Err = withClock(known.Err, response.Response.Header)
		}
	}
	return known
}

// streamError maps an error in a stream of the SDK: an exception, a cut body, or a damaged frame. Failures of
// the connection are already an [*Error].
func streamError(err error) *Error {
	var (
		known *Error
		api   smithy.APIError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &api):
		return exceptionError(api.ErrorCode(), messageOf(api), 0)
	}
	return gatewayError("the upstream sent a frame that Dragoman cannot read", err)
}

// messageOf returns the message of an exception, followed by the model's own message if that differs. The SDK
// says "UnknownError" for a missing message.
func messageOf(e smithy.APIError) string {
	message, original := e.ErrorMessage(), ""
	if message == "UnknownError" {
		message = ""
	}
	if of, ok := e.(*types.ModelStreamErrorException); ok {
		original = aws.ToString(of.OriginalMessage)
	}
	if message == "" || original == "" || message == original {
		return message + original
	}
	return message + ": " + original
}
