package upstream

import "net/http"

// byType maps the error types of the Messages API: what a stream's error event
// or an exception names has no status of its own.
var byType = map[string]errorClass{
	typeInvalidRequest:     invalidRequest,
	typeNotFound:           noSuchModel,
	typeConflict:           conflict,
	typeTooLarge:           requestTooLarge,
	typeRateLimit:          rateLimited,
	typeAPI:                internalError,
	typeTimeout:            timedOut,
	typeOverloaded:         overloaded,
	"billing_error":        {status: http.StatusPaymentRequired, typ: "billing_error"},
	"authentication_error": credentialsRefused,
	"permission_error":     credentialsRefused,
}

// apiError maps an error of the Messages API. Status and type are kept as they
// came; in a stream the status is 200 or 0 and follows from the type.
func apiError(typ, message string, status int) *Error {
	a, known := byType[typ]
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		a = credentialsRefused
	case a.ourCredentials:
	case status >= 400:
		a = errorClass{status: status, typ: typ}
	case !known:
		a = errorClass{status: http.StatusInternalServerError, typ: typ}
	}
	if message == "" {
		message = "the upstream failed with " + typ
	}
	return a.error(message)
}
