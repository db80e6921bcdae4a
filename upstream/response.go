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

// What becomes of a response that is not an answer: an error, which says as much as the
// body lets us know.

const (
	// maxErrorBody bounds how much of the body of a refusal is read, in bytes.
	maxErrorBody = 64 << 10
	// maxErrorText bounds how much of a refusal in plain words is passed on, in bytes.
	maxErrorText = 500
)

// unreadError maps a response whose body has no error that we can read.
func unreadError(status int, kind string, body []byte) *Error {
	if status >= 400 {
		return statusError(status, errorText(kind, body))
	}
	if status >= 300 {
		return gatewayError(fmt.Sprintf("the upstream answered with status %d, a redirect that is not followed", status), nil)
	}
	return gatewayError(fmt.Sprintf("the upstream answered with status %d, but not with an event stream", status),
		plain("its content type is "+knownKind(kind)))
}

// knownKind returns a media type as the log may have it.
func knownKind(kind string) string {
	switch kind {
	case "":
		return "missing"
	case "application/json", "text/html", "text/plain", "text/event-stream", "application/octet-stream", "application/xml":
		return kind
	}
	return "another"
}

// checkResponse returns nil if the response is an answer: of status 200, not compressed,
// and of one of these media types or of none. Else it returns the error that read makes
// of the body, with what the headers say of it: the request's id, how long to wait, and
// whether to try again at all.
func checkResponse(r *http.Response, read errorReader, kinds ...string) error {
	kind := mediaType(r)
	encoding := r.Header.Get("content-encoding")
	if r.StatusCode == http.StatusOK && (kind == "" || slices.Contains(kinds, kind)) && (encoding == "" || encoding == "identity") {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody)) // half a body may still say why
	e := read(r.StatusCode, kind, body)
	if a, ok := e.Err.(*answered); ok && r.StatusCode >= 400 {
		a.status = r.StatusCode // the body may have named another
	}
	if e.RequestID == "" {
		e.RequestID = requestID(r.Header)
	}
	e.RetryAfter = max(e.RetryAfter, retryAfter(r.Header, time.Now()))
	e.Final = e.Final || r.Header.Get("x-should-retry") == "false"
	return e
}

// errorReader maps the body of a response that is not an answer, given its status and
// its media type ("" if there is none).
type errorReader func(status int, kind string, body []byte) *Error

// mediaType returns the media type of a response's body, "" if it names none.
func mediaType(r *http.Response) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("content-type"))
	return kind
}

// requestID returns the upstream's id of a request: Anthropic and most servers write it
// in one of two headers.
func requestID(h http.Header) string {
	return cmp.Or(h.Get("request-id"), h.Get("x-request-id"))
}
