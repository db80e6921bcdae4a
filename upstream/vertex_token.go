package upstream

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// A new token is looked for this long before the end of the old one. The
	// metadata server has none to give earlier.
	refreshEarly = 225 * time.Second
	// Requests are not sent with a token that ends on the way.
	tokenSlack = 10 * time.Second
	// How long a token server has to answer.
	tokenTimeout = 30 * time.Second
	// How long to wait after a failure while the old token still serves.
	refreshPause = 10 * time.Second
)

// token is an access token.
type token struct {
	value        string
	quotaProject string    // sent with it; "" for none
	end          time.Time // from then on it is of no use; zero: it has no end
	due          time.Time // from then on a new one is looked for
}

// newToken returns a token of which the server said when it ends, or did not.
func newToken(value, quotaProject string, expiry time.Time) *token {
	t := &token{value: value, quotaProject: quotaProject}
	if !expiry.IsZero() {
		life := time.Until(expiry)
		t.end = expiry.Add(-min(tokenSlack, life/8))
		t.due = expiry.Add(-min(refreshEarly, life/4))
	}
	return t
}

// isPast reports whether a moment, if it is one, lies behind us.
func isPast(at time.Time) bool { return !at.IsZero() && !time.Now().Before(at) }

// tokenCache keeps the access token of an upstream. A new one is looked for while the
// old one still serves, so that requests wait for the first one alone. At any
// time there is one look-up at most.
type tokenCache struct {
	fetch func(context.Context) (*token, error)

	mu      sync.Mutex
	kept    *token // nil: there is none, or it was rejected
	pending *pendingToken
}

// pendingToken is a request for a token, on its way.
type pendingToken struct {
	done  chan struct{} // closed when it is over
	token *token
	err   error
}

// get returns a get that serves, or an *Error that says that there is none.
// It waits no longer than ctx.
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

// current returns the token if it serves, else the current-up to wait for.
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

// reject drops a token that was not taken, unless there is a newer one.
func (t *tokenCache) reject(bad *token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == bad {
		t.kept = nil
	}
}

// bearerTransport sends requests with a token.
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
	own := *r // which is the caller's to keep
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
