package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Error is a failure of an upstream in the Messages API's terms
// (docs/reference/errors.md §2, §7). It is the same type whether the upstream refused
// the request or broke off in the middle of its answer.
type Error struct {
	// Status is the HTTP status to answer with, if none has been sent yet.
	Status int
	// Type is the error.type of the Messages API, such as "overloaded_error".
	Type string
	// Message is for the client. It holds nothing of the proxy's own set-up.
	Message string
	// RetryAfter is how long the upstream asked to wait; 0 if it did not say.
	RetryAfter time.Duration
	// Refuses is the feature that the model was asked for and does not have. The
	// same request without it may be accepted.
	Refuses Features
	// MaxTokens is the most tokens that the model gives, where it was asked for more;
	// 0 if that was not what was wrong. The same request for so many may be accepted.
	MaxTokens int
	// Final says that to try again is of no use, whatever the status.
	Final bool
	// RequestID is the upstream's id of the request, "" if it gave none.
	RequestID string
	// Err is the cause, for the log; it may be nil.
	Err error
}

// Error returns status, type and message, and the cause if there is one.
func (e *Error) Error() string {
	s := fmt.Sprintf("%d %s: %s", e.Status, e.Type, e.Message)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The error types of the Messages API that the mapping yields.
const (
	typeInvalidRequest = "invalid_request_error"
	typeNotFound       = "not_found_error"
	typeConflict       = "conflict_error"
	typeTooLarge       = "request_too_large"
	typeRateLimit      = "rate_limit_error"
	typeAPI            = "api_error"
	typeTimeout        = "timeout_error"
	typeOverloaded     = "overloaded_error"
)

// errorClass is one right-hand side of the mapping.
type errorClass struct {
	status int
	typ    string
	// ourCredentials: the upstream did not take our own credentials. A client that was
	// told so with a 401 or 403 would look for the fault in its own key.
	ourCredentials bool
	// final: to try again is of no use, or is paid for twice.
	final bool
}

var (
	credentialsRefused = errorClass{status: http.StatusBadGateway, typ: typeAPI, ourCredentials: true, final: true}
	// A token that was not taken is not sent again.
	tokenRefused = errorClass{status: http.StatusBadGateway, typ: typeAPI, ourCredentials: true}
	badGateway   = errorClass{status: http.StatusBadGateway, typ: typeAPI}
	// What is refused with a status that we do not know is refused again. It is no sign
	// that the upstream is down: a client may have asked for an id that no URL has room for.
	unexplained     = errorClass{status: http.StatusBadGateway, typ: typeAPI, final: true}
	internalError   = errorClass{status: http.StatusInternalServerError, typ: typeAPI}
	overloaded      = errorClass{status: 529, typ: typeOverloaded}
	rateLimited     = errorClass{status: http.StatusTooManyRequests, typ: typeRateLimit}
	timedOut        = errorClass{status: http.StatusGatewayTimeout, typ: typeTimeout}
	invalidRequest  = errorClass{status: http.StatusBadRequest, typ: typeInvalidRequest}
	noSuchModel     = errorClass{status: http.StatusNotFound, typ: typeNotFound}
	requestTooLarge = errorClass{status: http.StatusRequestEntityTooLarge, typ: typeTooLarge}
	conflict        = errorClass{status: http.StatusConflict, typ: typeConflict}
	// A quota does not come back in a minute, and a model that ran for minutes
	// would run for them again.
	overQuota   = errorClass{status: http.StatusTooManyRequests, typ: typeRateLimit, final: true}
	tookTooLong = errorClass{status: http.StatusGatewayTimeout, typ: typeTimeout, final: true}
)

// ofStatus maps an HTTP status, 0 for none.
func ofStatus(status int) errorClass {
	a, known := byStatus[status]
	switch {
	case known:
		return a
	case status >= 400 && status < 500:
		return unexplained
	}
	return badGateway
}

// byStatus maps an HTTP status that came without a body we can read. What is not
// in it means that the upstream is not what the configuration takes it for.
var byStatus = map[int]errorClass{
	http.StatusBadRequest:            invalidRequest,
	http.StatusUnauthorized:          credentialsRefused,
	http.StatusForbidden:             credentialsRefused,
	http.StatusPaymentRequired:       {status: http.StatusPaymentRequired, typ: "billing_error"},
	http.StatusProxyAuthRequired:     credentialsRefused,
	http.StatusNotFound:              noSuchModel,
	http.StatusRequestTimeout:        timedOut,
	http.StatusConflict:              conflict,
	http.StatusRequestEntityTooLarge: requestTooLarge,
	http.StatusUnprocessableEntity:   invalidRequest,
	http.StatusTooManyRequests:       rateLimited,
	http.StatusInternalServerError:   internalError,
	http.StatusServiceUnavailable:    overloaded,
	http.StatusGatewayTimeout:        timedOut,
	529:                              overloaded,
}

// error makes the answer an Error. What an upstream says when it refuses our
// credentials may name accounts and roles: that goes to the log alone.
func (a errorClass) error(message string) *Error {
	e := &Error{Status: a.status, Type: a.typ, Message: message, Final: a.final}
	if a.ourCredentials {
		e.Message = "the upstream refused the proxy's own credentials; the key of this request is not at fault"
		e.Err = errors.New(message)
	}
	if a.status == http.StatusBadRequest {
		message = unwrapped(message)
		e.Refuses, e.MaxTokens = featureRefused(message), limitRefused(message)
	}
	return e
}

// statusError maps a failure of which only the HTTP status, and perhaps some
// words, can be understood.
func statusError(status int, message string) *Error {
	text := fmt.Sprintf("the upstream answered with status %d", status)
	if message != "" {
		text += ": " + message
	}
	return ofStatus(status).error(text)
}

// transportError maps a failure to reach the upstream or to go on reading from it.
func transportError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var network net.Error
	a, message := badGateway, "the connection to the upstream failed"
	if errors.As(err, &network) && network.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		a, message = timedOut, "the connection to the upstream timed out"
	}
	e := a.error(message)
	e.Err = err
	return e
}

// gatewayError is an answer of the upstream that makes no sense.
func gatewayError(message string, cause error) *Error {
	e := badGateway.error(message)
	e.Err = cause
	return e
}

// noCredentials is the failure of the proxy to find credentials of its own.
func noCredentials(cause error) *Error {
	return gatewayError("the proxy has no credentials for its upstream", cause)
}

// readError maps a failure to read on from a body. io.EOF stays as it is.
func readError(err error) error {
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return gatewayError("the upstream broke off before the end of its answer", err)
	}
	return transportError(err)
}
