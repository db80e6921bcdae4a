package proxy

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// Ids that are made here or come from the client, and which of the latter may be printed.

// idLetters is the length of an id after its prefix, as in the Messages API
// (docs/reference/messages-api.md §8).
const idLetters = 24

// newID returns an id that nobody can guess: the prefix and 24 capitals and digits.
func newID(prefix string) string { return prefix + rand.Text()[:idLetters] }

// setRequestIDs sets request-id in the header of an answer, to a new id, and x-request-id to the
// client's own, if it sent one that may be printed. It returns both, clientID "" for none.
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

// isClientID reports whether s looks like an id. Nothing else is printed: it could be
// taken for another header, a field of the log, or a part of a page.
func isClientID(s string) bool {
	return s != "" && len(s) <= 128 && strings.Trim(s, alphanumeric+"-_.:/+=@") == ""
}

// traceID returns the trace id of a traceparent header, or "" (W3C Trace Context,
// section 3.2).
func traceID(h http.Header) string {
	const hex = "0123456789abcdef"
	fields := strings.Split(h.Get("Traceparent"), "-")
	if len(fields) < 4 || len(fields[0]) != 2 || len(fields[1]) != 32 ||
		strings.Trim(fields[1], hex) != "" || strings.Trim(fields[1], "0") == "" {
		return ""
	}
	return fields[1]
}
