package upstream

import "strings"

// byException maps AWS exceptions (docs/reference/bedrock.md §4), before the stream
// and in it.
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
}

// exceptionError maps an AWS exceptionError by its name, which may come as on the wire:
// in lower camel case, behind a namespace and '#', before ':' and a URL. For
// names nobody told us of, the HTTP status decides; in a stream it is 0.
func exceptionError(name, message string, status int) *Error {
	name, _, _ = strings.Cut(name, ":")
	name = name[strings.LastIndexByte(name, '#')+1:]
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	a, known := byException[name]
	if !known {
		a = ofStatus(status)
	}
	if message == "" {
		message = "the upstream failed with " + name
	}
	if a.ourCredentials {
		message = name + ": " + message
	}
	return a.error(message)
}

// awsError is the body of an AWS exception (docs/reference/bedrock.md §3, §4).
type awsError struct {
	Message  string `json:"message"`
	Original string `json:"originalMessage"`
}

func (e awsError) text() string {
	if e.Message == "" || e.Original == "" || e.Message == e.Original {
		return e.Message + e.Original
	}
	return e.Message + ": " + e.Original
}
