package upstream

import (
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// What becomes of a response that is not an answer: an error, which says as much as the
// body lets us know.

const (
	// maxErrorBody bounds how much of the body of a refusal is read, in bytes.
	maxErrorBody = 64 << 10
	// maxErrorText bounds how much of a refusal in plain words is passed on, in bytes.
	maxErrorText = 500
)

// readMessagesError is the [errorReader] of servers with the Messages API. An error of
// that API counts as one whatever the status; Google's front end may stand before the
// server.
func readMessagesError(status int, kind string, body []byte) *Error {
	if e := googleError(body); e != nil {
		return e
	}
	var shaped struct {
		Type      string        `json:"type"`
		Error     messagesError `json:"error"`
		RequestID string        `json:"request_id"`
	}
	if json.Unmarshal(body, &shaped, lenient) == nil && shaped.Error.Type != "" && (status >= 400 || shaped.Type == "error") {
		e := apiError(shaped.Error.Type, shaped.Error.Message, status)
		e.RequestID = shaped.RequestID
		return e
	}
	return unreadError(status, kind, body)
}

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

// errorText returns what a refusal says in words: the message of some other error in
// JSON, or a short plain text. It is "" for anything else: a page of HTML says nothing
// to the client of an API.
func errorText(kind string, body []byte) string {
	var other struct {
		Message string `json:"message"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := ""
	if json.Unmarshal(body, &other, lenient) == nil {
		text = cmp.Or(other.Error.Message, other.Message)
	} else if kind == "text/plain" && utf8.Valid(body) {
		text = strings.TrimSpace(string(body))
	}
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
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
