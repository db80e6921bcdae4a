package proxy

import (
	"cmp"
	"errors"
	"net/http"

	"dragoman/metrics"
	"dragoman/upstream"
)

// fail ends the exchange with an error: an answer with a status of its own if
// none has gone out, else the dialect's frame for errors at the end of the
// stream. What was cut never looks finished.
func (x *exchange) fail(err error) {
	f := failureFor(err)
	x.record.ErrorType = f.typ
	x.record.Terminal = x.terminalOf(err)
	x.blame(err)
	x.logCause(err, f)
	switch {
	case x.record.Terminal == metrics.ClientGone:
		x.record.Status = cmp.Or(x.record.Status, f.status)
	case x.record.Status == 0:
		f.setHeader(x.w.Header())
		status, body := x.dialect.failureBody(x.w.Header(), f, x.record.RequestID)
		_ = x.respond(status, body) // nobody is left to tell
	}
}

// terminal says how an exchange ended that failed with err.
func (x *exchange) terminalOf(err error) metrics.Terminal {
	var late *timeoutError
	switch {
	case errors.Is(err, errClientGone):
		return metrics.ClientGone
	case cutByServer(x.r.Context()):
		return metrics.Drained
	case errors.As(err, &late) && late.name == idleTimeout:
		return metrics.IdleTimeout
	}
	return metrics.Failed
}

// blame takes down whose fault an error is.
func (x *exchange) blame(err error) {
	var (
		failed   *upstream.Error
		panicked *panicError
	)
	if errors.As(err, &failed) && failed.RequestID != "" {
		x.record.UpstreamRequestID = failed.RequestID
	}
	x.record.Panicked = errors.As(err, &panicked)
}

// charge takes down what the last call of an upstream failed with, unless it was
// not the upstream that ended it.
func (x *exchange) recordCallError(err error) {
	if n := len(x.record.Attempts); n > 0 && x.r.Context().Err() == nil && !errors.Is(err, errClientGone) {
		x.record.Attempts[n-1].ErrorType = failureFor(err).typ
	}
}

// passOver logs a failure that the client is not told of, because there is another
// try. What an upstream says may hold parts of the prompt, and is not logged.
func (x *exchange) logPassedOver(err error) {
	line := x.s.log.Warn().
		Str("request_id", x.record.RequestID).
		Str("upstream", x.record.Upstream).
		Str("error_type", failureFor(err).typ)
	var failed *upstream.Error
	if errors.As(err, &failed) && failed.Err != nil {
		line.Str("error", failed.Err.Error())
	}
	line.Str("msg", "the upstream failed and is passed over").Send()
}

// explain logs what the client is not told of an error.
func (x *exchange) logCause(err error, f *failure) {
	var (
		failed   *upstream.Error
		panicked *panicError
	)
	line := x.s.log.Error().Str("request_id", x.record.RequestID)
	switch {
	case errors.As(err, &panicked):
		line.Str("error", err.Error()).Bytes("stack", panicked.stack).Str("msg", "panic").Send()
	case errors.As(err, &failed) && failed.Err != nil:
		line.Str("upstream", x.record.Upstream).Str("error", failed.Err.Error()).Str("msg", "the upstream failed").Send()
	case f == internalFailure:
		line.Str("error", err.Error()).Str("msg", "internal error").Send()
	}
}

// end counts and logs the exchange. The connection of a client that is taken for
// gone is cut: if somebody is still there, the answer must not look whole.
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
