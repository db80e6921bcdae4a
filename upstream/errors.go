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

// Error is a failure of an upstream in the terms of the Messages API (docs/reference/errors.md §2, §7). Its
// type is the same whether the upstream rejected the request or broke off in the middle of its answer.
type Error struct {
	// Status is the HTTP status for the client, if none has been sent yet.
	Status int
	// Type is the error.type of the Messages API, such as "overloaded_error".
	Type string
	// Message is the text for the client. It contains nothing about the proxy's own set-up: no accounts,
	// roles or addresses.
	Message string
	// RetryAfter is how long the upstream asked to wait; 0 for no such request.
	RetryAfter time.Duration
	// Refuses is the feature that the model lacks, if the upstream rejected the request for it; 0 otherwise.
	// The same request without the feature may succeed.
	Refuses Features
	// MaxTokens is the model's limit, if the request asked for more tokens; 0 otherwise. The same request
	// with this limit may succeed.
	MaxTokens int
	// Overflow says how the request exceeds the model's context window; nil if it does not.
	Overflow *Overflow
	// NotReady: the model is still loading, which takes minutes. The same request succeeds after that.
	NotReady bool
	// Final: a retry does not help, whatever the status is.
	Final bool
	// Unreachable: the upstream sent no response. The failure does not depend on the model.
	Unreachable bool
	// Credentials says what is wrong with the proxy's own credentials; "" if they are not the cause. If they
	// are the cause, the upstream and the model still work.
	Credentials CredentialsFault
	// RequestID is the upstream's id of the request; optional.
	RequestID string
	// Err is the cause; optional. It may contain texts of the upstream, so logs get [Explain] of it instead.
	Err error

	ours bool // Message has only Dragoman's own words
}

// CredentialsFault says what is wrong with the proxy's own credentials.
type CredentialsFault string

const (
	CredentialsMissing CredentialsFault = "missing" // Dragoman found none, or could not get them
	CredentialsRefused CredentialsFault = "refused" // the upstream rejected them
)

// Error returns the status, the type, the message, and the cause if there is one.
func (e *Error) Error() string {
	s := fmt.Sprintf("%d %s: %s", e.Status, e.Type, e.Message)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// errorClass holds the fields of an [Error] that many failures share.
type errorClass struct {
	status int
	typ    string
	// ourCredentials: the upstream rejected the proxy's own credentials. The status is then not 401 or 403,
	// because the client would blame its own key.
	ourCredentials bool
	// final: a retry does not help, or would be billed again.
	final bool
	// overflow: the request exceeds the model's context window.
	overflow bool
	notReady bool // see [Error.NotReady]
}

// The classes of errors.
var (
	credentialsRefused = errorClass{status: http.StatusBadGateway, typ: messages.ErrorAPI, ourCredentials: true, final: true}
	// tokenRefused is not final: a retry uses a new token.
	tokenRefused = errorClass{status: http.StatusBadGateway, typ: messages.ErrorAPI, ourCredentials: true}
	badGateway   = errorClass{status: http.StatusBadGateway, typ: messages.ErrorAPI}
	// unexplained is a rejection with an unknown status. It is final, because the upstream would reject the
	// same request again. The upstream may still work: perhaps the client's model id was longer than the
	// server's limit for URLs.
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
	// overQuota is final because a quota does not return within a minute. tookTooLong is final because a
	// model that ran for minutes would run as long again.
	overQuota   = errorClass{status: http.StatusTooManyRequests, typ: messages.ErrorRateLimit, final: true}
	tookTooLong = errorClass{status: http.StatusGatewayTimeout, typ: messages.ErrorTimeout, final: true}
)

// ofStatus maps an HTTP status; 0 for none.
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

// byStatus maps the HTTP status of a response with an unknown body. If a status is missing here, the server
// is probably not what the configuration says.
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

// error returns an Error of the class; message is the upstream's text. A rejection of our credentials may
// name accounts and roles, so its text goes only into Err. The text of an invalid request may name a feature
// that the model lacks, or its limit. If the request exceeds the context window, the client gets the text of
// the Messages API, whatever the class: servers use many statuses for it.
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
		e.Message = "the upstream refused the proxy's own credentials, not the key of this request"
		e.Err = errors.New(message)
		e.Credentials = CredentialsRefused
	}
	if class.status == http.StatusBadRequest {
		e.Refuses, e.MaxTokens = featureRefused(unwrapped(message))|memberRefused(unwrapped(message)), most
	}
	return e
}

// orFailedWith returns the upstream's message. If the message is blank, it returns a sentence with the
// upstream's word for the failure, or without a word if that is blank too.
func orFailedWith(message, word string) string {
	switch {
	case strings.TrimSpace(message) != "":
		return message
	case strings.TrimSpace(word) != "":
		return "the upstream failed with " + word
	}
	return "the upstream failed and did not say why"
}

// statusError maps a failure with a known HTTP status and, perhaps, a text.
func statusError(status int, message string) *Error {
	text := fmt.Sprintf("the upstream answered with status %d", status)
	if strings.TrimSpace(message) != "" {
		text += ": " + message
	}
	return answeredWith(ofStatus(status).error(text), status, "", byType)
}

// transportError maps a failure to reach the upstream. If err wraps an [*Error], such as missing credentials,
// it returns that unchanged.
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
		err = fmt.Errorf("%w: %w", plain("the certificate of the upstream is not trusted. Name the file of its authority in the key ca of the upstream"), err)
	}
	class, message := badGateway, "the connection to the upstream failed"
	if errors.As(err, &network) && network.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		class, message = timedOut, "the connection to the upstream timed out"
	}
	e := class.error(message)
	e.Err, e.ours = err, true
	return e
}

// gatewayError returns the error for an invalid answer of the upstream. The message must not quote the
// upstream.
func gatewayError(message string, cause error) *Error {
	e := badGateway.error(message)
	e.Err, e.ours = cause, true
	return e
}

// noCredentials returns the error for missing credentials of the proxy. It is final, because Dragoman has
// looked in every place.
func noCredentials(cause error) *Error {
	e := gatewayError("the proxy has no credentials for its upstream", cause)
	e.Final, e.Credentials = true, CredentialsMissing
	return e
}

// readError maps a failure to read the body of an answer. It returns io.EOF unchanged.
func readError(err error) error {
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return gatewayError("the upstream broke off before the end of its answer", err)
	}
	return connectionError(err)
}
