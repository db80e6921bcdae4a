package upstream

import (
	"net/http"

	"dragoman/translate/messages"
)

// byType maps the error types of the Messages API. They decide where there is no HTTP
// status: in the error event of a stream.
var byType = map[string]errorClass{
	messages.ErrorInvalidRequest: invalidRequest,
	messages.ErrorNotFound:       noSuchModel,
	messages.ErrorConflict:       conflict,
	messages.ErrorTooLarge:       requestTooLarge,
	messages.ErrorRateLimit:      rateLimited,
	messages.ErrorAPI:            internalError,
	messages.ErrorTimeout:        timedOut,
	messages.ErrorOverloaded:     overloaded,
	messages.ErrorBilling:        {status: http.StatusPaymentRequired, typ: messages.ErrorBilling},
	messages.ErrorAuthentication: credentialsRefused,
	messages.ErrorPermission:     credentialsRefused,
}

// apiError maps an error of the Messages API. Its status and type are kept as they came,
// but for those that speak of credentials, which are ours and not the client's. Within a
// stream the status is 200 or 0 and follows from the type.
func apiError(typ, message string, status int) *Error {
	class, known := byType[typ]
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		class = credentialsRefused
	case class.ourCredentials:
	case status >= 400:
		class = errorClass{status: status, typ: typ}
	case !known:
		class = errorClass{status: http.StatusInternalServerError, typ: typ}
	}
	return answeredWith(class.error(orFailedWith(message, typ)), status, typ, byType)
}
