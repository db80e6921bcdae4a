package upstream

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// The access tokens of Vertex AI. One is kept and used until shortly before its end. The
// next one is fetched while it still serves, so that only the first request has to wait.

// When tokens are fetched.
const (
	// refreshEarly is how long before the end of a token the next one is looked for. Earlier
	// the metadata server has no new one to give.
	refreshEarly = 225 * time.Second
	// tokenSlack is how long before its end a token is no longer used: a request would find
	// it expired when it arrives.
	tokenSlack = 10 * time.Second
	// tokenTimeout is how long a token server has to answer.
	tokenTimeout = 30 * time.Second
	// refreshPause is the time between two attempts, after a failure, while the old token
	// still serves.
	refreshPause = 10 * time.Second
)

// token is an access token.
type token struct {
	value        string
	quotaProject string    // a header of each request; "" for none
	end          time.Time // when it stops being used; zero for never
	due          time.Time // when the next one is first looked for; zero for never
}

// newToken returns a token that expires at expiry, or never if expiry is zero. The next
// token is looked for refreshEarly before the expiry, but not before three quarters of the
// token's life are over. The token is no longer used tokenSlack before the expiry, but not
// before seven eighths of its life are over.
func newToken(value, quotaProject string, expiry time.Time) *token {
	t := &token{value: value, quotaProject: quotaProject}
	if !expiry.IsZero() {
		life := time.Until(expiry)
		t.end = expiry.Add(-min(tokenSlack, life/8))
		t.due = expiry.Add(-min(refreshEarly, life/4))
	}
	return t
}

// isPast reports whether a moment has come. The zero time never comes.
func isPast(at time.Time) bool { return !at.IsZero() && !time.Now().Before(at) }

// tokenCache keeps the access token of an upstream. At any time one look-up for a new
// token is under way at most, and all requests that need it wait for the same one.
type tokenCache struct {
	fetch func(context.Context) (*token, error)

	mu      sync.Mutex
	kept    *token // nil: there is none, or it was rejected
	pending *pendingToken
}

// pendingToken is a look-up for a token that is under way.
type pendingToken struct {
	done  chan struct{} // closed when it is over
	token *token
	err   error
}

// get returns a token that can be used, or an [*Error] if there is none. It waits no
// longer than ctx.
func (t *tokenCache) get(ctx context.Context) (*token, error) {
	kept, next := t.current()
	if kept != nil {
		return kept, nil
	}
	select {
	case <-next.done:
		if next.err != nil {
			return nil, noCredentials(next.err)
		}
		return next.token, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// current returns the token if it can be used, else the look-up to wait for. It begins
// one if the next token is due.
func (t *tokenCache) current() (*token, *pendingToken) {
	t.mu.Lock()
	defer t.mu.Unlock()
	serves := t.kept != nil && !isPast(t.kept.end)
	if t.pending == nil && (!serves || isPast(t.kept.due)) {
		t.pending = &pendingToken{done: make(chan struct{})}
		go t.run(t.pending) // it outlives the request: others wait for it too
	}
	if serves {
		return t.kept, nil
	}
	return nil, t.pending
}

// run fetches a token for a look-up. It is not bound to a request's context: other
// requests wait for the same token.
func (t *tokenCache) run(l *pendingToken) {
	ctx, cancel := context.WithTimeout(context.Background(), tokenTimeout)
	defer cancel()
	l.token, l.err = t.fetch(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case l.err == nil:
		t.kept = l.token
	case t.kept != nil:
		t.kept.due = time.Now().Add(refreshPause)
	}
	t.pending = nil
	close(l.done)
}

// reject drops a token that the server did not take, unless a newer one has replaced it.
func (t *tokenCache) reject(bad *token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == bad {
		t.kept = nil
	}
}

// bearerTransport sends requests with an access token. A token that the server refuses
// with a 401 is not used again.
type bearerTransport struct {
	base   http.RoundTripper
	tokens *tokenCache
}

func (b *bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t, err := b.tokens.get(r.Context())
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	own := *r // a RoundTripper must not change the request of its caller
	own.Header = r.Header.Clone()
	own.Header.Set("authorization", "Bearer "+t.value)
	if t.quotaProject != "" {
		own.Header.Set("x-goog-user-project", t.quotaProject)
	}
	response, err := b.base.RoundTrip(&own)
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		b.tokens.reject(t)
	}
	return response, err
}
