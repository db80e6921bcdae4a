package upstream

import "strings"

// byException maps AWS exceptions (docs/reference/bedrock.md §4), whether they come
// instead of an answer or within its stream.
var byException = map[string]errorClass{
	"ValidationException":                 invalidRequest,
	"ConflictException":                   conflict,
	"ResourceNotFoundException":           noSuchModel,
	"ThrottlingException":                 rateLimited,
	"TooManyRequestsException":            rateLimited,
	"ServiceQuotaExceededException":       overQuota,
	"ModelNotReadyException":              overloaded,
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

// exceptionError maps an AWS exception by its name. On the wire that may be in lower
// camel case, after a namespace and '#', or before ':' and a URL. For names that are
// not known the HTTP status decides; within a stream it is 0.
func exceptionError(name, message string, status int) *Error {
	name, _, _ = strings.Cut(name, ":")
	name = name[strings.LastIndexByte(name, '#')+1:]
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	class, known := byException[name]
	if !known {
		class = ofStatus(status)
	}
	if message == "" {
		message = "the upstream failed with " + name
	}
	if class.ourCredentials {
		message = name + ": " + message
	}
	return answeredWith(class.error(message), status, name, byException)
}

// awsError is the body of an AWS exception (docs/reference/bedrock.md §3, §4).
type awsError struct {
	Message  string `json:"message"`
	Original string `json:"originalMessage"` // the model's own message
}

// text returns the message, and after it what the model said, if that is not the same.
func (e awsError) text() string {
	if e.Message == "" || e.Original == "" || e.Message == e.Original {
		return e.Message + e.Original
	}
	return e.Message + ": " + e.Original
}
