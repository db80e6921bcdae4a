package upstream

import (
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"
)

// Responses that are not an answer: turning them into an error, with as much detail as the body has.

const (
	// maxErrorBody limits how much of an error body is read, in bytes.
	maxErrorBody = 64 << 10
	// maxErrorText limits how much of an error's text the client gets, in bytes.
	maxErrorText = 500
)

// unreadError maps a response without an error that Dragoman can read.
func unreadError(status int, kind string, body []byte) *Error {
	if status >= 400 {
		return statusError(status, errorText(kind, body))
	}
	if status >= 300 {
		return gatewayError(fmt.Sprintf("the upstream answered with status %d, and Dragoman does not follow redirects. Set base_url or endpoint to the final URL", status), nil)
	}
	return gatewayError(fmt.Sprintf("the upstream answered with status %d, but not with an event stream. Check base_url", status),
		plain("its content type is "+knownKind(kind)))
}

// knownKind returns a media type for the log. It hides unknown ones, which a server could use for any text.
func knownKind(kind string) string {
	switch kind {
	case "":
		return "missing"
	case "application/json", "text/html", "text/plain", "text/event-stream", "application/octet-stream", "application/xml":
		return kind
	}
	return "another"
}

// checkResponse returns nil if the response is an answer: status 200, not compressed, with one of these media
// types or none. Otherwise it returns the error that read makes of the body, with the facts in the headers:
// the id of the request, how long to wait, and whether a retry makes sense.
func checkResponse(r *http.Response, read errorReader, kinds ...string) error {
	kind := mediaType(r)
	encoding := r.Header.Get("content-encoding")
	if r.StatusCode == http.StatusOK && (kind == "" || slices.Contains(kinds, kind)) && (encoding == "" || encoding == "identity") {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody)) // a cut body may still tell the reason
	e := read(r.StatusCode, kind, body)
	if a, ok := e.Err.(*answered); ok && r.StatusCode >= 400 {
		a.status = r.StatusCode // the body may have named another status
	}
	if e.RequestID == "" {
		e.RequestID = requestID(r.Header)
	}
	e.RetryAfter = max(e.RetryAfter, retryAfter(r.Header, time.Now()))
	e.Final = e.Final || r.Header.Get("x-should-retry") == "false"
	return e
}

// errorReader maps the body of a response that is not an answer; kind is its media type, or "".
type errorReader func(status int, kind string, body []byte) *Error

// mediaType returns the media type of a response's body, or "".
func mediaType(r *http.Response) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("content-type"))
	return kind
}

// requestID returns the upstream's id of a request. Most servers write it into one of two headers.
func requestID(h http.Header) string {
	return cmp.Or(h.Get("request-id"), h.Get("x-request-id"))
}
