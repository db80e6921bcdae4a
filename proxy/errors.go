package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/upstream"
)

// The error types of the Messages API that are decided here (reference/errors.md §2).
const (
	typeInvalidRequest = "invalid_request_error"
	typeAuthentication = "authentication_error"
	typeNotFound       = "not_found_error"
	typeTooLarge       = "request_too_large"
	typeAPI            = "api_error"
	typeTimeout        = "timeout_error"
)

// failure is what a client is told of an error. A dialect may know other words
// for the types.
type failure struct {
	status     int
	typ        string
	message    string
	details    jsontext.Value // for programs, or nil
	retryAfter time.Duration  // 0 for no advice
	final      bool           // to try again is of no use, whatever the status
}

func (f *failure) Error() string { return f.message }

// setHeader advises when to try again: in whole seconds, never too early; and
// whether to (reference/errors.md §3).
func (f *failure) setHeader(h http.Header) {
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	if f.final {
		h.Set("X-Should-Retry", "false")
	}
}

// errClientGone is why an exchange ends whose client does not listen any more.
// Nobody is told; the status is for the log. As a [context.Canceled] it ends a
// message that [translate.Events] has an upstream go on with.
var errClientGone = fmt.Errorf("the client is gone: %w", context.Canceled)

const statusClientGone = 499

// panicError is a panic that was contained.
type panicError struct {
	value any
	stack []byte
}

// Error describes the panic without the words of a body that its value may hold.
func (e *panicError) Error() string {
	if err, ok := e.value.(runtime.Error); ok {
		return "panic: " + err.Error()
	}
	return fmt.Sprintf("panic with a %T", e.value)
}

// contain runs f. A panic in it becomes an error.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

// describe says what the client is told of an error.
func failureFor(err error) *failure {
	var (
		own     *failure
		invalid *translate.InvalidRequestError
		failed  *upstream.Error
		late    *timeoutError
	)
	switch {
	case errors.Is(err, errClientGone):
		return &failure{status: statusClientGone, message: err.Error()}
	case errors.As(err, &own):
		return own
	case errors.As(err, &invalid):
		return &failure{status: http.StatusBadRequest, typ: typeInvalidRequest, message: invalid.Error(), details: invalid.Details}
	case errors.As(err, &failed):
		status := failed.Status
		if status < 400 || status > 599 {
			status = http.StatusInternalServerError
		}
		return &failure{status: status, typ: cmp.Or(failed.Type, typeAPI), message: failed.Message, retryAfter: failed.RetryAfter, final: failed.Final}
	case errors.As(err, &late):
		return &failure{status: http.StatusGatewayTimeout, typ: typeTimeout, message: late.Error()}
	}
	return internalFailure
}

// internal is what a client is told of an error that is none of its business.
var internalFailure = &failure{status: http.StatusInternalServerError, typ: typeAPI, message: "internal error"}

// ended tells whether the server ended ctx, and said why.
func cutByServer(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled)
}

// reason returns why ctx, a context of the exchange, has ended; err if it has not.
// A server cancels the context of a request whose client left without a cause.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if cutByServer(ctx) {
		return context.Cause(ctx)
	}
	return errClientGone
}

// errNotFound says that a path is not served.
var errNotFound = &failure{status: http.StatusNotFound, typ: typeNotFound, message: "there is nothing at this path"}

func invalidRequest(message string) error {
	return &failure{status: http.StatusBadRequest, typ: typeInvalidRequest, message: message}
}

func bodyTooLarge(limit int64) error {
	return &failure{status: http.StatusRequestEntityTooLarge, typ: typeTooLarge, message: fmt.Sprintf("the body of the request is longer than %d bytes", limit)}
}
