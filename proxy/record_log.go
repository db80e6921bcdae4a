package proxy

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"dragoman/metrics"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// log writes one line for the exchange. It omits empty texts, usage_estimated if false, and ttfe_ms if there was no
// event; numbers are always there. From a body it logs only names: the model's name, clipped, and names of fields. A
// field that the API does not have was named by the client, and becomes "other". An upstream's error type is logged
// only if the API has it. An upstream's stop reason is logged if the API has it, or if it looks like a word.
func (r *record) log() {
	level := zerolog.InfoLevel
	if r.Status >= 500 || r.Terminal == metrics.Failed && r.StreamBegan {
		level = zerolog.WarnLevel
	}
	line := r.logger.WithLevel(level)
	if level == zerolog.WarnLevel {
		line.Str("event", "exchange_failed")
	}
	for _, text := range []struct{ name, value string }{
		{"request_id", r.RequestID},
		{"client_request_id", r.ClientRequestID},
		{"trace_id", r.TraceID},
		{"dialect", r.Dialect},
		{"model", clip(r.Model)},
		{"upstream", r.Upstream},
		{"upstream_model", clip(r.UpstreamModel)},
		{"format", r.Format},
		{"variant", r.Variant},
		{"format_reason", r.FormatReason},
		{"upstream_request_id", idOrNone(r.UpstreamRequestID)},
		{"error_type", metrics.ErrorType(r.ErrorType)},
		{"path", r.Shape},
		{"error", r.Error},
		{"error_path", r.InvalidPath},
		{"stop_reason", stopReason(r.StopReason)},
		{"unknown_stop_reason", r.UnknownStop},
		{"terminal", string(r.Terminal)},
		{"key_id", r.KeyID},
		{"tool_call_source", r.ToolCallSource()},
	} {
		if text.value != "" {
			line.Str(text.name, text.value)
		}
	}
	if r.Status == http.StatusBadRequest {
		line.Str("error_reason", r.ErrorReason)
	}
	if r.FirstEvent > 0 {
		line.Float64("ttfe_ms", milliseconds(r.FirstEvent))
	}
	if len(r.Dropped) > 0 {
		line.Strs("dropped", fieldNames(r.Dropped))
	}
	if len(r.Unmet) > 0 {
		line.Strs("unmet", fieldNames(r.Unmet))
	}
	if len(r.ToolCalls) > 0 {
		reasons := r.ToolCallReasons()
		line.Strs("tool_call_outcomes", r.ToolCallOutcomes()[:min(len(reasons), mostReasons)])
		line.Strs("tool_call_reasons", reasons[:min(len(reasons), mostReasons)])
	}
	if r.UsageEstimated {
		line.Bool("usage_estimated", true)
	}
	line.Int("status", r.Status).
		Bool("stream", r.Stream).
		Int("attempts", len(r.Attempts)).
		Float64("duration_ms", milliseconds(r.Duration)).
		Float64("overhead_ms", milliseconds(r.Overhead())).
		Int64("bytes_in", r.BytesIn).
		Int64("bytes_out", r.BytesOut).
		Int("input_tokens", r.InputTokens).
		Int("output_tokens", r.OutputTokens).
		Int("tool_calls", r.CountToolCalls()).
		Str("msg", "exchange").
		Send()
}

// mostReasons limits the lists of outcomes and reasons in a line.
const mostReasons = 64

// milliseconds returns a duration in milliseconds with three decimals.
func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

// fieldNames returns the metrics' names of the dropped fields, without duplicates.
func fieldNames(dropped []string) []string {
	names := make([]string, len(dropped))
	for i, name := range dropped {
		names[i] = metrics.Field(name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stopReason returns why a model stopped, or "other" if the API does not have this reason: with native tools it is the
// upstream's own word.
func stopReason(reason string) string {
	if reason == "" || messages.Stop(reason).IsKnown() {
		return reason
	}
	return "other"
}

// stopWord returns an upstream's own stop reason, or "other" if it does not look like a word.
func stopWord(word string) string {
	if len(word) > 40 || strings.Trim(word, alphanumeric+"-_.") != "" {
		return "other"
	}
	return word
}

// idOrNone returns an upstream's id if it looks like an id, and "" if not.
func idOrNone(id string) string {
	if isClientID(id) {
		return id
	}
	return ""
}

// once remembers which log lines have been written. Clients can make up keys, so it remembers at most this many; then
// no key counts as new.
type once[K comparable] struct {
	most int
	mu   sync.Mutex
	seen map[K]bool
}

// add adds a key, and reports whether it is new.
func (o *once[K]) add(key K) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[key] || len(o.seen) >= o.most {
		return false
	}
	if o.seen == nil {
		o.seen = map[K]bool{}
	}
	o.seen[key] = true
	return true
}

// logPassedOver logs an upstream's error that the client does not see, because the proxy tries something else.
func (r *record) logPassedOver(err error) {
	r.causeLine(zerolog.WarnLevel, err, failureFor(err)).Str("event", "upstream_passed_over").Str("msg", "the upstream failed, and Dragoman tries something else").Send()
}

// logNotReady logs that a model is still being loaded, and that the proxy waits for it.
func (r *record) logNotReady(err error, pause time.Duration) {
	r.causeLine(zerolog.WarnLevel, err, failureFor(err)).Float64("pause_s", pause.Seconds()).
		Str("event", "model_not_ready").Str("msg", "the model is still being loaded; Dragoman asks again after a pause, until timeouts.model_ready is over").Send()
}

// logCause logs the details of the final error that the client does not see.
func (r *record) logCause(err error, f *failure) {
	var (
		upstreamErr *upstream.Error
		panicked    *panicError
	)
	switch {
	case errors.As(err, &panicked):
		logPanic(r.logger, panicked, r.RequestID)
	case errors.As(err, &upstreamErr) && upstreamErr.Err != nil:
		level := zerolog.ErrorLevel
		if f.status < http.StatusInternalServerError {
			level = zerolog.WarnLevel // the request may have caused it
		}
		r.causeLine(level, err, f).Str("event", "upstream_failed").Str("msg", "the upstream failed").Send()
	case f == internalFailure:
		r.logger.Error().Str("request_id", r.RequestID).
			Str("error", cmp.Or(upstream.Explain(err), "unknown error")).Str("event", "internal_error").Str("msg", "internal error").Send()
	}
}

// causeLine begins a log line for an upstream's failure. It omits the upstream's own text, which may quote the request.
func (r *record) causeLine(level zerolog.Level, err error, f *failure) *zerolog.Event {
	line := r.logger.WithLevel(level).
		Str("request_id", r.RequestID).
		Str("upstream", r.Upstream).
		Str("error_type", metrics.ErrorType(f.typ))
	if explained := upstream.Explain(err); explained != "" {
		line.Str("error", explained)
	}
	var upstreamErr *upstream.Error
	if errors.As(err, &upstreamErr) {
		if idOrNone(upstreamErr.RequestID) != "" {
			line.Str("upstream_request_id", upstreamErr.RequestID)
		}
		if refused := upstreamErr.Refuses.LogString(); refused != "" {
			line.Str("refused", refused)
		}
	}
	return line
}

// longestStack is how many bytes of a stack are logged: the innermost calls. The line then stays below 8 KB.
const longestStack = 6 << 10

// logPanic logs a panic, in an exchange or around it.
func logPanic(logger *zerolog.Logger, p *panicError, requestID string) {
	stack := p.stack
	if len(stack) > longestStack {
		stack = append(stack[:longestStack:longestStack], "… (cut)"...)
	}
	line := logger.Error()
	if requestID != "" {
		line.Str("request_id", requestID)
	}
	line.Str("error", p.Error()).Bytes("stack", stack).Str("event", "panic").Str("msg", "panic").Send()
}
