package upstream

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter returns how long a response asks the client to wait: retry-after-ms, or retry-after in seconds
// or as an HTTP date (docs/reference/errors.md §3). It returns 0 if the response does not ask.
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

// parseNonNegative parses a number of at least 0 that fits a time.Duration as seconds. It returns false for
// any other text.
func parseNonNegative(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && f >= 0 && f <= 1e9
}
