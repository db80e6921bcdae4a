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
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// failure is the error that a client gets. As an error value, it is one that package proxy found itself and that needs
// no translation. A dialect translates the type into its own API.
type failure struct {
	status     int    // of HTTP
	typ        string // an error type of package messages (ErrorAPI, …), or the upstream's own type
	message    string
	logged     string         // the log's replacement for a message that quotes the client; "": the message itself
	details    jsontext.Value // error.details, for programs; nil if there are none
	param      string         // the path of the invalid field; "" for none
	code       string         // a code of OpenAI's API that says more than the type; "" for none
	reason     string         // reason of a 400 for the log: one of messages.Faults or of those below; "" for messages.FaultValue
	retryAfter time.Duration  // 0: no retry-after
	final      bool           // a retry cannot help, whatever the status
	notReady   bool           // the model is still being loaded
	exhausted  bool           // the proxy has already retried; a later retry may help
}

// longestRetryAfter is the longest wait that clients are told. Some SDKs wait for any time in front of their user, who
// should rather hear about a daily quota.
const longestRetryAfter = time.Hour

func (f *failure) Error() string { return f.message }

// setHeader tells the client when to retry, and whether to. Seconds are rounded up, so that no client comes too early
// (docs/reference/errors.md §3).
func (f *failure) setHeader(h http.Header) {
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	if f.final || f.exhausted {
		h.Set("X-Should-Retry", "false")
	}
}

// inOurWords returns what the log may say about err, whose failure is f: nothing that a client, a model or an upstream
// wrote. It is "" if the client has left.
func (f *failure) inOurWords(err error) string {
	var own *failure
	switch {
	case f.status == statusClientGone:
		return ""
	case errors.As(err, &own):
		return cmp.Or(f.logged, f.message)
	case f.reason == reasonUpstream:
		return cmp.Or(upstream.Explain(err), "the upstream failed")
	case f.status == http.StatusBadRequest:
		return faultTexts[f.reason]
	}
	return f.message
}

// faultTexts has the log's text for each of [messages.Faults], because the messages themselves quote the client.
var faultTexts = map[string]string{
	messages.FaultJSON:         "the body is not a JSON object in UTF-8, or has a duplicate name",
	messages.FaultUnknownField: "the API does not have the field",
	messages.FaultMissingField: "a required field is missing",
	messages.FaultValue:        "the value has the wrong type, or is not allowed",
	messages.FaultSchema:       "the schema is invalid, or an example does not fit it",
	messages.FaultConversation: "messages, calls and results are not in the order that the API requires",
	messages.FaultUnsupported:  "the model does not support it, or compat: strict rejects it",
	messages.FaultLimit:        "the request exceeds a limit of Dragoman",
}

// Failures that begin in this package.
var (
	// errShutDown ends the exchanges that outlast a drain.
	errShutDown = &failure{status: 529, typ: messages.ErrorOverloaded, message: "the server is shutting down"}

	// internalFailure replaces an error whose text the client should not see. The log has the error itself.
	internalFailure = &failure{status: http.StatusInternalServerError, typ: messages.ErrorAPI, message: "internal error"}
)

// The codes of a failure.
const (
	codeOverflow = "context_length_exceeded"
	codeNoModel  = "model_not_found"
)

// The log's reasons of a 400, in addition to [messages.Faults]. docs/reference/log.md explains them.
const (
	reasonBody     = "unreadable_body"
	reasonUpstream = "upstream_refused"
)

// unreadableBody returns the error for a request body that could not be read.
func unreadableBody(message string) error {
	return &failure{status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest, message: message, reason: reasonBody}
}

// invalidField returns the error for a wrong field or header of a request.
func invalidField(path, message string) error {
	return &messages.InvalidRequestError{Path: path, Message: message}
}

func bodyTooLarge(limit int64) error {
	return &failure{status: http.StatusRequestEntityTooLarge, typ: messages.ErrorTooLarge, message: fmt.Sprintf(
		"the body of the request is longer than %d bytes, the value of limits.body_bytes; send less, or raise limits.body_bytes in the server's configuration", limit)}
}

// errUnmet is the error under compat: strict if the model has not made the call that tool_choice forces. The proxy has
// already asked the model a second time.
var errUnmet = &failure{
	status: http.StatusBadGateway, typ: messages.ErrorAPI, final: true,
	message: "tool_choice: the model did not make the call that it forces. Offer fewer tools, or set compat: lenient to get the model's text instead.",
}

// errNoPlace is the error for a Vertex path whose project, location or publisher is not a valid name. Any valid name
// will do: Dragoman does not use them.
var errNoPlace = &failure{
	status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest,
	message: "the project, the location or the publisher in the path is not a valid name",
}

// errClientGone ends an exchange whose client has closed its connection or accepts no more data. It wraps
// [context.Canceled], so that [translate.Events] does not ask the upstream to continue a message.
var errClientGone = fmt.Errorf("the client is gone: %w", context.Canceled)

// statusClientGone is only for the log: no client is left to get a status.
const statusClientGone = 499

// clip returns the first 128 bytes of a text that the client chose, without control characters.
func clip(s string) string {
	const longest = 128
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), longest)], ""))
}

// panicError is a panic that [recoverPanic] turned into an error.
type panicError struct {
	value any
	stack []byte
}

// Error describes the panic. It omits the value, which may quote a request, unless the value is the Go runtime's own.
func (e *panicError) Error() string {
	if err, ok := e.value.(runtime.Error); ok {
		return "panic: " + err.Error()
	}
	return fmt.Sprintf("panic with a %T", e.value)
}

// recoverPanic runs f, and returns a *panicError if f panics.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

// failureFor returns the failure that the client gets for an error. An unexpected error is internal: the client does
// not see its text.
func failureFor(err error) *failure {
	var (
		own         *failure
		invalid     *messages.InvalidRequestError
		upstreamErr *upstream.Error
		timeout     *timeoutError
		exhausted   *exhaustedError
	)
	switch {
	case errors.Is(err, errClientGone):
		return &failure{status: statusClientGone, message: err.Error()}
	case errors.As(err, &own):
		return own
	case errors.As(err, &invalid):
		return &failure{status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest, message: invalid.Error(), details: invalid.Details, param: invalid.Path, reason: cmp.Or(invalid.Fault, messages.FaultValue)}
	case errors.As(err, &upstreamErr):
		status := upstreamErr.Status
		if status < 400 || status > 599 {
			status = http.StatusInternalServerError
		}
		code, param := "", ""
		switch {
		case upstreamErr.Overflow != nil:
			code, param = codeOverflow, "messages"
		case upstreamErr.Type == messages.ErrorNotFound:
			code = codeNoModel
		}
		return &failure{
			code: code, param: param,
			status: status, typ: cmp.Or(upstreamErr.Type, messages.ErrorAPI), message: upstreamErr.Message + adviceFor(upstreamErr), reason: reasonUpstream,
			retryAfter: upstreamErr.RetryAfter, notReady: upstreamErr.NotReady,
			final:     upstreamErr.Final || upstreamErr.Credentials != "" || upstreamErr.RetryAfter > longestRetryAfter,
			exhausted: errors.As(err, &exhausted),
		}
	case errors.As(err, &timeout):
		return &failure{status: http.StatusGatewayTimeout, typ: messages.ErrorTimeout, message: timeout.Error()}
	}
	return internalFailure
}

// adviceFor returns what the operator can do about an upstream that cannot be called. It follows the message to the
// client.
func adviceFor(e *upstream.Error) string {
	if e.Unreachable || e.Credentials != "" {
		return "; the operator of this server can find out why: run `dragoman check --online` with the same --config or --base-url as the server"
	}
	return ""
}

// exhaustedError is an upstream's error after more than one call.
type exhaustedError struct{ error }

func (e *exhaustedError) Unwrap() error { return e.error }

// causeOr returns why ctx, a context of the exchange, has ended, or err if it has not. When a client leaves, net/http
// cancels its context without a cause. Everything else that cancels a context gives a cause: a timeout, or the end of a
// drain.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if wasCut(ctx) {
		return context.Cause(ctx)
	}
	return errClientGone
}

// wasCut reports whether ctx ended with a cause, that is, through this program and not because the client left.
func wasCut(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled)
}
