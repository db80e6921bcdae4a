package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/rs/zerolog"

	"dragoman/metrics"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// fail records and logs the error that ended the exchange, and answers with it unless a
// status has been sent already. The last frame of a stream has told the client by then.
func (x *exchange) fail(err error) {
	f := failureFor(err)
	x.recordFailure(err, f)
	x.logCause(err, f)
	x.observed.failed(f)
	switch {
	case x.record.Terminal == metrics.ClientGone:
		x.record.Status = cmp.Or(x.record.Status, f.status)
	case x.record.Status == 0:
		f.setHeader(x.reply.header)
		status, body := x.dialect.failureBody(x.reply.header, f, x.record.RequestID)
		_ = x.reply.respond(status, body) // if the client is gone, nobody is left to tell
	}
}

// recordFailure adds to the record how the exchange failed.
func (x *exchange) recordFailure(err error, f *failure) {
	var (
		upstreamErr *upstream.Error
		invalid     *messages.InvalidRequestError
		panicked    *panicError
	)
	x.record.ErrorType, x.record.ErrorReason = f.typ, cmp.Or(f.reason, messages.FaultValue)
	x.record.Terminal = x.terminalOf(err)
	x.record.Panicked = errors.As(err, &panicked)
	if errors.As(err, &upstreamErr) && upstreamErr.RequestID != "" {
		x.record.UpstreamRequestID = upstreamErr.RequestID
	}
	switch {
	case errors.As(err, &invalid):
		x.record.InvalidPath = metrics.Path(invalid.Path)
	case f.status == http.StatusBadRequest && upstreamErr != nil:
		x.record.InvalidPath = pathIn(f.message)
	}
	if f.status == http.StatusNotFound || f.status == http.StatusMethodNotAllowed || f == errNoPlace {
		x.record.Shape = shapeOf(x.r.URL.Path)
	}
}

// pathIn returns the path that the message of an upstream begins with, as those of the Messages API do:
// "messages.3.content.0.text: …". It is "" if the message begins with anything else, which is not for
// the log.
func pathIn(message string) string {
	path, _, found := strings.Cut(message, ": ")
	first, _, _ := strings.Cut(path, ".")
	if !found || strings.Trim(first, "0123456789") == "" || strings.Contains(metrics.Path(path), "*") {
		return ""
	}
	return path
}

// terminalOf returns how an exchange ended that failed with err.
func (x *exchange) terminalOf(err error) metrics.Terminal {
	var timeout *timeoutError
	switch {
	case errors.Is(err, errClientGone):
		return metrics.ClientGone
	case wasCut(x.r.Context()):
		return metrics.Drained
	case errors.As(err, &timeout) && timeout.name == idleTimeout:
		return metrics.IdleTimeout
	}
	return metrics.Failed
}

// recordCallError adds to the record what the last call of an upstream failed with,
// unless the call ended because the exchange did.
func (x *exchange) recordCallError(err error) {
	if n := len(x.record.Attempts); n > 0 && x.r.Context().Err() == nil && !errors.Is(err, errClientGone) {
		x.record.Attempts[n-1].ErrorType = failureFor(err).typ
	}
}

// logPassedOver logs an error of an upstream that the client is not told of, because
// something else is tried.
func (x *exchange) logPassedOver(err error) {
	x.causeLine(zerolog.WarnLevel, err, failureFor(err)).Str("msg", "the upstream failed and is passed over").Send()
}

// logCause logs what the client is not told of the error that ended the exchange.
func (x *exchange) logCause(err error, f *failure) {
	var (
		upstreamErr *upstream.Error
		panicked    *panicError
	)
	switch {
	case errors.As(err, &panicked):
		x.s.logPanic(panicked, x.record.RequestID)
	case errors.As(err, &upstreamErr) && upstreamErr.Err != nil:
		level := zerolog.ErrorLevel
		if f.status < http.StatusInternalServerError {
			level = zerolog.WarnLevel // the request may be at fault
		}
		x.causeLine(level, err, f).Str("msg", "the upstream failed").Send()
	case f == internalFailure:
		x.s.log.Error().Str("request_id", x.record.RequestID).
			Str("error", cmp.Or(upstream.Explain(err), fmt.Sprintf("%T", err))).Str("msg", "internal error").Send()
	}
}

// causeLine begins a line for a failure of an upstream. What the upstream said is not in
// it: that may quote the request.
func (x *exchange) causeLine(level zerolog.Level, err error, f *failure) *zerolog.Event {
	line := x.s.log.WithLevel(level).
		Str("request_id", x.record.RequestID).
		Str("upstream", x.record.Upstream).
		Str("error_type", metrics.ErrorType(f.typ))
	if explained := upstream.Explain(err); explained != "" {
		line.Str("error", explained)
	}
	var upstreamErr *upstream.Error
	if errors.As(err, &upstreamErr) && idOrNone(upstreamErr.RequestID) != "" {
		line.Str("upstream_request_id", upstreamErr.RequestID)
	}
	return line
}

// longestStack is how much of a stack is logged, in bytes: the innermost calls. With it
// the line stays below 8 KB.
const longestStack = 6 << 10

// logPanic logs a panic, of an exchange or of what serves it.
func (s *Server) logPanic(p *panicError, requestID string) {
	stack := p.stack
	if len(stack) > longestStack {
		stack = append(stack[:longestStack:longestStack], "… (cut)"...)
	}
	line := s.log.Error()
	if requestID != "" {
		line.Str("request_id", requestID)
	}
	line.Str("error", p.Error()).Bytes("stack", stack).Str("msg", "panic").Send()
}

// finish counts and logs the exchange. If the client is taken for gone, finish panics, by
// which net/http cuts the connection: a client that is there all the same must not take
// the answer for a whole one.
func (x *exchange) finish() {
	if x.record.StreamBegan {
		x.s.metrics.OpenStreams.Dec()
	}
	x.record.Duration = x.elapsed()
	x.s.metrics.Observe(&x.record)
	x.log()
	x.observed.ended(&x.record)
	if x.record.Terminal == metrics.ClientGone {
		panic(http.ErrAbortHandler)
	}
}
