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

// failure is what a client is told of an error. It is an error itself: one that is found
// here and needs no translation. A dialect puts the type in its own words.
type failure struct {
	status     int    // of HTTP
	typ        string // of package messages (ErrorAPI, …), or what the upstream said
	message    string
	logged     string         // what the log has in place of message, which repeats words of the client; "" for message
	details    jsontext.Value // error.details, for programs; nil for none
	reason     string         // why it is a 400, for the log: one of messages.Faults, or below; "" for messages.FaultValue
	retryAfter time.Duration  // 0 for no advice
	final      bool           // trying again is of no use, whatever the status
	notReady   bool           // the model is still being loaded
	exhausted  bool           // trying again has been done here, and may be of use later
}

// longestRetryAfter is the longest wait after which a client is to try again by itself. Some SDKs wait for
// however long they are told, with their user in front of them; a quota of a day is for the user to hear of.
const longestRetryAfter = time.Hour

func (f *failure) Error() string { return f.message }

// setHeader advises the client when to try again, and whether to. Seconds are rounded
// up, so that no client comes too early (docs/reference/errors.md §3).
func (f *failure) setHeader(h http.Header) {
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	if f.final || f.exhausted {
		h.Set("X-Should-Retry", "false")
	}
}

// inOurWords returns what the log may say of the error whose failure this is: nothing that a client, a model or an
// upstream wrote. It is "" for a client that has left.
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

// faultTexts is what the log says of a request for each of [messages.Faults]: the message repeats what the client wrote.
var faultTexts = map[string]string{
	messages.FaultJSON:         "the body is not a JSON object in UTF-8, or has a name twice",
	messages.FaultUnknownField: "the API does not have the field",
	messages.FaultMissingField: "a field is missing that the API requires",
	messages.FaultValue:        "the value has the wrong type, or is not allowed",
	messages.FaultSchema:       "the schema cannot be used, or an example does not fit it",
	messages.FaultConversation: "messages, calls and results do not follow each other as the API requires",
	messages.FaultUnsupported:  "the model cannot do it, or compat: strict refuses it",
	messages.FaultLimit:        "the request has more than Dragoman reads",
}

// Failures that have no error of another package as their cause.
var (
	// errShutDown ends the exchanges that outlast a drain.
	errShutDown = &failure{status: 529, typ: messages.ErrorOverloaded, message: "the server is shutting down"}

	// internalFailure is told in place of an error whose words are not for the client. The
	// error itself is logged.
	internalFailure = &failure{status: http.StatusInternalServerError, typ: messages.ErrorAPI, message: "internal error"}
)

// The reasons of a 400 beside [messages.Faults], as the log has them. docs/operations.md says what each means.
const (
	reasonBody     = "unreadable_body"
	reasonUpstream = "upstream_refused"
)

// unreadableBody returns the error of a request whose body could not be read.
func unreadableBody(message string) error {
	return &failure{status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest, message: message, reason: reasonBody}
}

// invalidField returns the error of a request in which this field, or header, is wrong.
func invalidField(path, message string) error {
	return &messages.InvalidRequestError{Path: path, Message: message}
}

func bodyTooLarge(limit int64) error {
	return &failure{status: http.StatusRequestEntityTooLarge, typ: messages.ErrorTooLarge, message: fmt.Sprintf(
		"the body of the request is longer than %d bytes, the value of limits.body_bytes; send less, or raise limits.body_bytes in the server's configuration", limit)}
}

// errUnmet is the answer to a client that wants nothing else (compat is strict) where the model has
// not made the call that tool_choice forces. The model has been asked again for it already.
var errUnmet = &failure{
	status: http.StatusBadGateway, typ: messages.ErrorAPI, final: true,
	message: "tool_choice: the model did not make the call that it forces. Under compat: lenient the answer would be what the model said instead.",
}

// errNoPlace says that the project, the location or the publisher in a path of Vertex is not
// the name of one. Any name will do: they mean nothing here.
var errNoPlace = &failure{
	status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest,
	message: "the project, the location or the publisher in the path is not the name of one",
}

// errClientGone ends an exchange whose client has closed its connection or takes nothing
// any more. It is a [context.Canceled]: for [translate.Events] that is a reason not to
// ask the upstream to go on with a message.
var errClientGone = fmt.Errorf("the client is gone: %w", context.Canceled)

// statusClientGone is for the log: nobody is there to be answered.
const statusClientGone = 499

// clip returns the first 128 bytes of a text that the client chose, without control
// characters.
func clip(s string) string {
	const longest = 128
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), longest)], ""))
}

// panicError is a panic that [recoverPanic] made an error.
type panicError struct {
	value any
	stack []byte
}

// Error describes the panic. The value itself is left out unless it is the runtime's
// own: it may hold words of a request.
func (e *panicError) Error() string {
	if err, ok := e.value.(runtime.Error); ok {
		return "panic: " + err.Error()
	}
	return fmt.Sprintf("panic with a %T", e.value)
}

// recoverPanic runs f, and returns a *panicError if it panics.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

// failureFor returns what the client is told of an error. Errors that nobody foresaw
// are internal: what they say is not for the client.
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
		return &failure{status: http.StatusBadRequest, typ: messages.ErrorInvalidRequest, message: invalid.Error(), details: invalid.Details, reason: cmp.Or(invalid.Fault, messages.FaultValue)}
	case errors.As(err, &upstreamErr):
		status := upstreamErr.Status
		if status < 400 || status > 599 {
			status = http.StatusInternalServerError
		}
		return &failure{
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

// adviceFor returns what the operator can do about an upstream that cannot be called, behind the message to the client.
func adviceFor(e *upstream.Error) string {
	if e.Unreachable || e.Credentials != "" {
		return "; the operator of this server can run `dragoman check --online` to find out why"
	}
	return ""
}

// exhaustedError is an error of an upstream that this program has called more than once.
type exhaustedError struct{ error }

func (e *exhaustedError) Unwrap() error { return e.error }

// causeOr returns why ctx, a context of the exchange, has ended, or err if it has not.
// net/http cancels the context of a request whose client has left, and gives no cause.
// Whatever else cancels it gives one: a timeout, or the end of a drain.
func causeOr(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if wasCut(ctx) {
		return context.Cause(ctx)
	}
	return errClientGone
}

// wasCut reports whether ctx was ended with a cause, which means by this program and not
// by a client that left.
func wasCut(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled)
}
