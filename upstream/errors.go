package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"dragoman/translate/messages"
)

// Error is a failure of an upstream in the terms of the Messages API
// (docs/reference/errors.md §2, §7). It is the same type whether the upstream refused
// the request or broke off in the middle of its answer.
type Error struct {
	// Status is the HTTP status to answer with, if none has been sent yet.
	Status int
	// Type is the error.type of the Messages API, such as "overloaded_error".
	Type string
	// Message is for the client. It holds nothing of the proxy's own set-up: no accounts,
	// roles or addresses.
	Message string
	// RetryAfter is how long the upstream asked to wait; 0 if it did not say.
	RetryAfter time.Duration
	// Refuses is the feature that the request asked for and the model does not have; 0 if
	// that was not what was wrong. The same request without it may be accepted.
	Refuses Features
	// MaxTokens is the most tokens that the model gives, if the request asked for more; 0 if
	// that was not what was wrong. The same request for so many may be accepted.
	MaxTokens int
	// Overflow is how the request exceeds the context window of the model; nil if that was
	// not what was wrong.
	Overflow *Overflow
	// NotReady says that the model is being loaded, which takes minutes: the same request is answered then.
	NotReady bool
	// Final says that to try again is of no use, whatever the status.
	Final bool
	// Unreachable says that there was no response at all: whatever model was asked for, the
	// upstream could not be reached.
	Unreachable bool
	// Credentials is what is wrong with the proxy's own credentials, "" if they are not at
	// fault. Then the upstream works, and so does the model.
	Credentials CredentialsFault
	// RequestID is the upstream's id of the request, "" if it gave none.
	RequestID string
	// Err is the cause; it may be nil. It may hold words of the upstream, so that the log has
	// [Explain] of it.
	Err error

	ours bool // Message is our own words alone
}

// CredentialsFault is what can be wrong with the proxy's own credentials.
type CredentialsFault string

const (
	CredentialsMissing CredentialsFault = "missing" // there are none, or they could not be had
	CredentialsRefused CredentialsFault = "refused" // the upstream did not take them
)

// Error returns the status, the type and the message, and the cause if there is one.
func (e *Error) Error() string {
	s := fmt.Sprintf("%d %s: %s", e.Status, e.Type, e.Message)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// errorClass is what a failure is mapped to: all of an [Error] that is the same for many
// failures.
type errorClass struct {
	status int
	typ    string
	// ourCredentials says that the upstream did not take the proxy's own credentials. The
	// status is not 401 or 403 then: a client would look for the fault in its own key.
	ourCredentials bool
	// final says that to try again is of no use, or would be paid for twice.
	final bool
	// overflow says that the request exceeds the context window of the model.
	overflow bool
	notReady bool // see [Error.NotReady]
}

// The classes of errors.
var (
	credentialsRefused = errorClass{status: http.StatusBadGateway, typ: messages.ErrorAPI, ourCredentials: true, final: true}
	// tokenRefused is not final: a token that was not taken is not sent again.
	tokenRefused = errorClass{status: http.StatusBadGateway, typ: messages.ErrorAPI, ourCredentials: true}
	badGateway   = errorClass{status: http.StatusBadGateway, typ: messages.ErrorAPI}
	// unexplained is a refusal with a status that we do not know. It is final: the same
	// request is refused again. It does not mean that the upstream is down: a client may
	// have asked for a model whose id is longer than the server takes URLs.
	unexplained     = errorClass{status: http.StatusBadGateway, typ: messages.ErrorAPI, final: true}
	internalError   = errorClass{status: http.StatusInternalServerError, typ: messages.ErrorAPI}
	overloaded      = errorClass{status: 529, typ: messages.ErrorOverloaded}
	notReady        = errorClass{status: 529, typ: messages.ErrorOverloaded, notReady: true}
	rateLimited     = errorClass{status: http.StatusTooManyRequests, typ: messages.ErrorRateLimit}
	timedOut        = errorClass{status: http.StatusGatewayTimeout, typ: messages.ErrorTimeout}
	invalidRequest  = errorClass{status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest}
	noSuchModel     = errorClass{status: http.StatusNotFound, typ: messages.ErrorNotFound}
	requestTooLarge = errorClass{status: http.StatusRequestEntityTooLarge, typ: messages.ErrorTooLarge}
	conflict        = errorClass{status: http.StatusConflict, typ: messages.ErrorConflict}
	contextExceeded = errorClass{status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest, overflow: true}
	// overQuota is final because a quota does not come back in a minute, tookTooLong
	// because a model that ran for minutes would run for as long again.
	overQuota   = errorClass{status: http.StatusTooManyRequests, typ: messages.ErrorRateLimit, final: true}
	tookTooLong = errorClass{status: http.StatusGatewayTimeout, typ: messages.ErrorTimeout, final: true}
)

// ofStatus maps an HTTP status; 0 is none.
func ofStatus(status int) errorClass {
	class, known := byStatus[status]
	switch {
	case known:
		return class
	case status >= 400 && status < 500:
		return unexplained
	}
	return badGateway
}

// byStatus maps the HTTP status of a response whose body we cannot read. A status that
// is not here means that the server is not what the configuration takes it for.
var byStatus = map[int]errorClass{
	http.StatusBadRequest:            invalidRequest,
	http.StatusUnauthorized:          credentialsRefused,
	http.StatusForbidden:             credentialsRefused,
	http.StatusPaymentRequired:       {status: http.StatusPaymentRequired, typ: messages.ErrorBilling},
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

// error returns an Error of the class. message is what the upstream said. What it says
// when it refuses our credentials may name accounts and roles: that is in Err alone. What it
// says of a request that is not valid may name a feature that the model lacks, or its limit.
// That the request exceeds the context window is told in the words of the Messages API,
// whatever the class: servers report it with statuses of all kinds.
func (class errorClass) error(message string) *Error {
	most, overflow := limitRefused(unwrapped(message))
	if overflow == nil && class.overflow {
		overflow = &Overflow{}
	}
	if overflow != nil && !class.ourCredentials {
		e := &Error{Status: contextExceeded.status, Type: contextExceeded.typ, Message: overflow.message(), Overflow: overflow}
		if overflow.words != "" {
			e.Err = plain(masked(overflow.words))
		}
		return e
	}
	message = masked(message)
	e := &Error{Status: class.status, Type: class.typ, Message: message, NotReady: class.notReady, Final: class.final}
	if class.ourCredentials {
		e.Message = "the upstream refused the proxy's own credentials; the key of this request is not at fault"
		e.Err = errors.New(message)
		e.Credentials = CredentialsRefused
	}
	if class.status == http.StatusBadRequest {
		e.Refuses, e.MaxTokens = featureRefused(unwrapped(message)), most
	}
	return e
}

// orFailedWith returns the upstream's message. If that is blank, it returns a sentence with the upstream's
// word for the failure, which may be blank, too.
func orFailedWith(message, word string) string {
	switch {
	case strings.TrimSpace(message) != "":
		return message
	case strings.TrimSpace(word) != "":
		return "the upstream failed with " + word
	}
	return "the upstream failed and did not say why"
}

// statusError maps a failure of which only the HTTP status, and perhaps some words, can
// be understood.
func statusError(status int, message string) *Error {
	text := fmt.Sprintf("the upstream answered with status %d", status)
	if strings.TrimSpace(message) != "" {
		text += ": " + message
	}
	return answeredWith(ofStatus(status).error(text), status, "", byType)
}

// transportError maps a failure to reach the upstream. An [*Error] below, such as that of
// our credentials, is returned as it is.
func transportError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	e := connectionError(err)
	e.Unreachable = true
	return e
}

// connectionError maps a failure of the network.
func connectionError(err error) *Error {
	var (
		network   net.Error
		untrusted *tls.CertificateVerificationError
	)
	if errors.As(err, &untrusted) {
		err = fmt.Errorf("%w: %w", plain("the certificate of the upstream is not trusted (ca of an upstream names authorities of your own)"), err)
	}
	class, message := badGateway, "the connection to the upstream failed"
	if errors.As(err, &network) && network.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		class, message = timedOut, "the connection to the upstream timed out"
	}
	e := class.error(message)
	e.Err, e.ours = err, true
	return e
}

// gatewayError returns the error for an answer of the upstream that makes no sense. The
// message may hold nothing that the upstream said.
func gatewayError(message string, cause error) *Error {
	e := badGateway.error(message)
	e.Err, e.ours = cause, true
	return e
}

// noCredentials returns the error for credentials of the proxy's own that cannot be had. It
// is final: they have been looked for wherever they can be.
func noCredentials(cause error) *Error {
	e := gatewayError("the proxy has no credentials for its upstream", cause)
	e.Final, e.Credentials = true, CredentialsMissing
	return e
}

// readError maps a failure to read on from the body of an answer. io.EOF is returned as
// it is.
func readError(err error) error {
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return gatewayError("the upstream broke off before the end of its answer", err)
	}
	return connectionError(err)
}
