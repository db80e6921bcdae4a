package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// resource is where the requests of a wire over plain HTTP go.
type resource struct {
	url    string
	header func(h http.Header) // adds what the server wants, such as a key; may be nil
	client *http.Client
}

// post sends a body in JSON and returns the response if it is an answer of one of
// these media types. read maps the body of any other. Of the client's headers
// none goes upstream.
func (r *resource) post(ctx context.Context, body []byte, read readRefusal, kinds ...string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return nil, transportError(err)
	}
	h := request.Header
	h.Set("content-type", "application/json")
	h.Set("accept", strings.Join(kinds, ", "))
	h.Set("user-agent", "dragoman")
	replayable(h)
	if r.header != nil {
		r.header(h)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, transportError(err)
	}
	if err := refusal(response, read, kinds...); err != nil {
		response.Body.Close()
		return nil, err
	}
	return response, nil
}

// readRefusal maps the body of a response that is not an answer.
type readRefusal func(status int, kind string, body []byte) *Error

// refusal returns the error in a response, nil if it is an answer of one of these
// media types, or of none. read maps the body of any other.
func refusal(r *http.Response, read readRefusal, kinds ...string) error {
	kind := mediaType(r)
	encoding := r.Header.Get("content-encoding")
	if r.StatusCode == http.StatusOK && (kind == "" || slices.Contains(kinds, kind)) && (encoding == "" || encoding == "identity") {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody)) // half a body may still say why
	e := read(r.StatusCode, kind, body)
	if e.RequestID == "" {
		e.RequestID = requestID(r.Header)
	}
	e.RetryAfter = max(e.RetryAfter, retryAfter(r.Header, time.Now()))
	return e
}

// withVersion returns a base URL that ends in /v1, as which it may or may not
// have been given.
func withVersion(base *url.URL) string {
	s := strings.TrimRight(base.String(), "/")
	return strings.TrimRight(strings.TrimSuffix(s, "/v1"), "/") + "/v1"
}
