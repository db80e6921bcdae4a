package proxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"dragoman/metrics"
	"dragoman/proxy/convert"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// record is the record of one exchange. It is logged and counted when the exchange is over. The headers of the answer
// tell the client some of it.
type record struct {
	metrics.Exchange
	began  time.Time       // when the request arrived
	header http.Header     // of the answer
	logger *zerolog.Logger // of the server

	conversion *convert.Conversion // the client's names for the request's fields; nil for a request of the Messages API
	ignored    []string            // unsupported options in headers: sorted, under the client's names
	leftOut    []string            // types of blocks that the model wrote and the client does not get: see noteChoice
	dropped    []string            // fields of the body that the model does not get, under the API's names: see setDropped
}

// elapsed returns the time since the request arrived.
func (r *record) elapsed() time.Duration { return time.Since(r.began) }

// noteEvent adds what an event shows about the exchange.
func (r *record) noteEvent(e messages.Event) {
	switch e.Type {
	case messages.MessageStart:
		r.FirstEvent = r.elapsed()
		r.noteUsage(e.Message)
	case messages.MessageDelta:
		r.noteUsage(e.Message)
		r.StopReason = string(e.Message.StopReason)
		for _, o := range e.Message.Outcomes {
			r.ToolCalls = append(r.ToolCalls, metrics.ToolCall{Outcome: string(o.Kind), Reason: o.Reason, FromServer: o.FromServer})
		}
	}
}

// noteUsage records the tokens so far. The usage in an event is a total, so it replaces the earlier record.
func (r *record) noteUsage(m *messages.Message) {
	u := m.Usage
	r.InputTokens, r.OutputTokens = u.InputTokens, u.OutputTokens
	r.CacheReadTokens, r.CacheWriteTokens = u.CacheReadInputTokens, u.CacheCreationInputTokens
	r.UsageEstimated = m.UsageEstimated
}

// noteAttempt adds a call to an upstream, and counts it in the header. After the answer has begun, the header no longer
// changes.
func (r *record) noteAttempt(call metrics.Attempt) {
	r.Attempts = append(r.Attempts, call)
	r.header.Set("X-Dragoman-Attempts", strconv.Itoa(len(r.Attempts)))
}

// noteUnconstrained records that the answer is not constrained, and logs the reason. If the server rejected a
// constraint before, that stays on record.
func (r *record) noteUnconstrained(why string) {
	r.Constraint = cmp.Or(r.Constraint, constraintSkipped)
	r.logger.Info().Str("upstream", r.Upstream).Str("upstream_model", clip(r.UpstreamModel)).Str("reason", why).Str("msg", "asked without a constraint").Send()
}

// noteCallError adds the error of the last call to an upstream. If the client's context has ended, nobody waits for the
// answer, and the error is not recorded.
func (r *record) noteCallError(client context.Context, err error) {
	if n := len(r.Attempts); n > 0 && client.Err() == nil && !errors.Is(err, errClientGone) {
		r.Attempts[n-1].ErrorType = failureFor(err).typ
		if notReady(err) {
			r.Attempts[n-1].ErrorType = metrics.ErrorNotReady
		}
	}
}

// noteChoice records what the beginning or the end of the answer shows about a tool_choice that forces a call.
// x-dragoman-dropped names what was removed before the call. x-dragoman-unmet names a choice that is not met.
func (r *record) noteChoice(m *messages.Message) {
	if len(m.LeftOut) > 0 {
		r.leftOut = m.LeftOut
		r.setDropped(r.dropped)
	}
	if len(m.Unmet) > 0 {
		r.setUnmet(m.Unmet)
	}
}

// setUnmet records the demands of the request that the answer does not meet, and names them in x-dragoman-unmet.
// Another model may meet them: each call replaces the list.
func (r *record) setUnmet(fields []string) {
	r.Unmet = fields
	r.setHeader("X-Dragoman-Unmet", fields)
}

// setDropped records which fields of the request the model does not get, and names them in x-dragoman-dropped. The
// header also names fields that no model gets, and types of blocks that the client does not get. Callers use the names
// of the Messages API, and the client sees its own names. Another model may get more or fewer fields: each call
// replaces the list.
func (r *record) setDropped(fields []string) {
	r.dropped = fields
	names := slices.Concat(r.conversion.DroppedWith(fields), r.ignored, r.leftOut)
	slices.Sort(names)
	r.Dropped = slices.Compact(names)
	r.setHeader("X-Dragoman-Dropped", r.Dropped)
}

// drop adds a field to the list of [record.setDropped].
func (r *record) drop(field string) {
	if !slices.Contains(r.dropped, field) {
		r.setDropped(append(slices.Clip(r.dropped), field))
	}
}

// setHeader sets a header of the answer to names, joined with commas. Without names, the header is removed. Clients can
// make up names, so setHeader omits a name that is too long or contains a comma, for example, and all names after the
// first 50.
func (r *record) setHeader(header string, names []string) {
	if len(names) == 0 {
		r.header.Del(header)
		return
	}
	const most, longest = 50, 100
	var list []string
	for _, name := range names[:min(len(names), most)] {
		if len(name) <= longest && strings.Trim(name, alphanumeric+"-_.") == "" {
			list = append(list, name)
		}
	}
	r.header.Set(header, strings.Join(list, ","))
}

// noteFailure adds how the exchange of a request failed.
func (r *record) noteFailure(request *http.Request, err error, f *failure) {
	var (
		upstreamErr *upstream.Error
		invalid     *messages.InvalidRequestError
		panicked    *panicError
	)
	r.ErrorType, r.ErrorReason = f.typ, cmp.Or(f.reason, messages.FaultValue)
	r.Error = f.inOurWords(err)
	r.Terminal = terminalOf(request.Context(), err)
	r.Panicked = errors.As(err, &panicked)
	if errors.As(err, &upstreamErr) && upstreamErr.RequestID != "" {
		r.UpstreamRequestID = upstreamErr.RequestID
	}
	switch {
	case errors.As(err, &invalid):
		r.InvalidPath = metrics.Path(invalid.Path)
	case f.status == http.StatusBadRequest && upstreamErr != nil:
		r.InvalidPath = pathIn(f.message)
	}
}

// pathIn returns the path at the beginning of an upstream's message, as in the Messages API:
// "messages.3.content.0.text: …". It is "" if the message begins with anything else, which must not reach the log.
func pathIn(message string) string {
	path, _, found := strings.Cut(message, ": ")
	first, _, _ := strings.Cut(path, ".")
	if !found || strings.Trim(first, "0123456789") == "" || strings.Contains(metrics.Path(path), "*") {
		return ""
	}
	return path
}

// terminalOf returns how an exchange with this context ended, if it failed with err.
func terminalOf(ctx context.Context, err error) metrics.Terminal {
	var timeout *timeoutError
	switch {
	case errors.Is(err, errClientGone):
		return metrics.ClientGone
	case wasCut(ctx):
		return metrics.Drained
	case errors.As(err, &timeout) && timeout.name == idleTimeout:
		return metrics.IdleTimeout
	}
	return metrics.Failed
}

// idLetters is the length of an id after its prefix, as in the Messages API (docs/reference/messages-api.md §8).
const idLetters = 24

// newID returns an id that nobody can guess: the prefix and 24 capital letters and digits.
func newID(prefix string) string { return prefix + rand.Text()[:idLetters] }

// setRequestIDs sets the response header request-id to a new id, and x-request-id to the client's own id, if the client
// sent a valid one. It returns both; clientID is "" without one.
func setRequestIDs(answer http.Header, r *http.Request) (requestID, clientID string) {
	requestID = newID("req_")
	answer.Set("Request-Id", requestID)
	if id := r.Header.Get("X-Request-Id"); isClientID(id) {
		clientID = id
		answer.Set("X-Request-Id", id)
	}
	return requestID, clientID
}

const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isClientID reports whether s looks like an id. Anything else could pass for another header, a field of the log or a
// part of a page, so it is never printed.
func isClientID(s string) bool {
	return s != "" && len(s) <= 128 && strings.Trim(s, alphanumeric+"-_.:/+=@") == ""
}

// traceID returns the trace id of a traceparent header, or "" (W3C Trace Context, section 3.2).
func traceID(h http.Header) string {
	const hex = "0123456789abcdef"
	fields := strings.Split(h.Get("Traceparent"), "-")
	if len(fields) < 4 || len(fields[0]) != 2 || len(fields[1]) != 32 ||
		strings.Trim(fields[1], hex) != "" || strings.Trim(fields[1], "0") == "" {
		return ""
	}
	return fields[1]
}
