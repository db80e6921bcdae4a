package upstream

import (
	"io"
	"net/http"
)

// bearerTransport sends requests with an access token. If the server rejects a token with a 401,
// bearerTransport drops the token and sends the request once more with the next one.
type bearerTransport struct {
	base   http.RoundTripper
	tokens *googleTokens
}

func (b *bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t, err := b.tokens.get(r.Context())
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	response, err := b.send(r, r.Body, t)
	if err != nil || response.StatusCode != http.StatusUnauthorized || r.GetBody == nil {
		return response, err
	}
	b.tokens.reject(t)
	next, err := b.tokens.get(r.Context())
	if err != nil || next.value == t.value {
		return response, nil // the server's response tells more
	}
	body, err := r.GetBody()
	if err != nil {
		return response, nil
	}
	response.Body.Close()
	return b.send(r, body, next)
}

// CloseIdleConnections implements the method that [http.Client.CloseIdleConnections] looks for.
func (b *bearerTransport) CloseIdleConnections() {
	(&http.Client{Transport: b.base}).CloseIdleConnections()
}

// send sends a copy of a request with a body and a token, because a RoundTripper must not change its caller's
// request.
func (b *bearerTransport) send(r *http.Request, body io.ReadCloser, t *token) (*http.Response, error) {
	own := *r
	own.Body = body
	own.Header = r.Header.Clone()
	own.Header.Set("authorization", "Bearer "+t.value)
	if t.quotaProject != "" {
		own.Header.Set("x-goog-user-project", t.quotaProject)
	}
	return b.base.RoundTrip(&own)
}
