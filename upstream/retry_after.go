package upstream

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter returns how long a response asks to wait: in retry-after-ms, or in
// retry-after as seconds or an HTTP date (docs/reference/errors.md §3). It is 0 if the
// response does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := parseNonNegative(h.Get("retry-after-ms")); ok {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("retry-after")
	if s, ok := parseNonNegative(value); ok {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// parseNonNegative reads a number that is not negative and that, as seconds, fits a
// time.Duration. It is false for anything else.
func parseNonNegative(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && f >= 0 && f <= 1e9
}
