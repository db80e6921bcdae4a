package proxy

import (
	"cmp"
	"errors"
	"net/http"

	"dragoman/metrics"
	"dragoman/upstream"
)

// fail records and logs the error that ended the exchange, and answers with it unless a
// status has been sent already. The last frame of a stream has told the client by then.
func (x *exchange) fail(err error) {
	f := failureFor(err)
	x.recordFailure(err, f)
	x.logCause(err, f)
	switch {
	case x.record.Terminal == metrics.ClientGone:
		x.record.Status = cmp.Or(x.record.Status, f.status)
	case x.record.Status == 0:
		f.setHeader(x.w.Header())
		status, body := x.dialect.failureBody(x.w.Header(), f, x.record.RequestID)
		_ = x.respond(status, body) // if the client is gone, nobody is left to tell
	}
}

// recordFailure adds to the record how the exchange failed.
func (x *exchange) recordFailure(err error, f *failure) {
	var (
		upstreamErr *upstream.Error
		panicked    *panicError
	)
	x.record.ErrorType = f.typ
	x.record.Terminal = x.terminalOf(err)
	x.record.Panicked = errors.As(err, &panicked)
	if errors.As(err, &upstreamErr) && upstreamErr.RequestID != "" {
		x.record.UpstreamRequestID = upstreamErr.RequestID
	}
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
// something else is tried. The upstream's own message may hold parts of the prompt, and
// is not logged.
func (x *exchange) logPassedOver(err error) {
	line := x.s.log.Warn().
		Str("request_id", x.record.RequestID).
		Str("upstream", x.record.Upstream).
		Str("error_type", failureFor(err).typ)
	var upstreamErr *upstream.Error
	if errors.As(err, &upstreamErr) && upstreamErr.Err != nil {
		line.Str("error", upstreamErr.Err.Error())
	}
	line.Str("msg", "the upstream failed and is passed over").Send()
}

// logCause logs what the client is not told of the error that ended the exchange.
func (x *exchange) logCause(err error, f *failure) {
	var (
		upstreamErr *upstream.Error
		panicked    *panicError
	)
	line := x.s.log.Error().Str("request_id", x.record.RequestID)
	switch {
	case errors.As(err, &panicked):
		line.Str("error", err.Error()).Bytes("stack", panicked.stack).Str("msg", "panic").Send()
	case errors.As(err, &upstreamErr) && upstreamErr.Err != nil:
		line.Str("upstream", x.record.Upstream).Str("error", upstreamErr.Err.Error()).Str("msg", "the upstream failed").Send()
	case f == internalFailure:
		line.Str("error", err.Error()).Str("msg", "internal error").Send()
	}
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
	if x.record.Terminal == metrics.ClientGone {
		panic(http.ErrAbortHandler)
	}
}
