package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/compute/metadata"
	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// googleScope is the OAuth scope of the tokens (docs/reference/vertex.md §4).
const googleScope = "https://www.googleapis.com/auth/cloud-platform"

// renewGoogle is how long before its expiry a token is renewed. The metadata server returns the same token
// until then.
const renewGoogle = 225 * time.Second

// token is an access token.
type token struct {
	value        string
	quotaProject string // sent in a header of each request; "" for none
}

// googleTokens caches the access token of an upstream. [oauth2.ReuseTokenSource] is not enough. It would keep
// a token that the upstream has rejected. It would also drop a token that still works when the token server
// is away.
type googleTokens struct {
	file    string       // the credentials file; "" for the metadata server
	client  *http.Client // for token servers
	onToken func(expiry time.Time)
	meta    *metadata.Client

	mu         sync.Mutex // held during a look-up, so there is only one at a time
	kept       *token     // nil for none, or after the upstream has rejected it
	renew, end time.Time  // when to look for the next token, and when kept expires
}

// newGoogleTokens returns the tokens of an upstream with these options. Requests to token servers use a copy
// of client with a timeout, because Google's library ignores the context in some places. If the options have
// a client, the metadata server gets it too; otherwise the library's own client reaches it without a proxy.
func newGoogleTokens(opt VertexOptions, client http.Client) *googleTokens {
	client.Timeout = renewRequest
	g := &googleTokens{file: opt.Credentials, client: &client, onToken: opt.OnToken, meta: metadata.NewClient(nil)}
	if opt.HTTPClient != nil {
		g.meta = metadata.NewClient(&client)
	}
	return g
}

// get returns a valid token. If there is none, the error is an [*Error]. It waits no longer than ctx.
func (g *googleTokens) get(ctx context.Context) (*token, error) {
	var found *token
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		found, err = g.current()
	}()
	select {
	case <-done:
		return found, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// current returns the cached token or, if it is due for renewal, a new one. If renewal fails, the old token
// is used until it expires.
func (g *googleTokens) current() (*token, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.kept != nil && now.Before(g.renew) {
		return g.kept, nil
	}
	serves := g.kept != nil && now.Add(expirySlack).Before(g.end)
	wait := renewTimeout
	if serves {
		wait = renewWait
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait) // not the request's context: other requests wait for the same look-up
	defer cancel()
	found, end, err := g.fetch(ctx)
	switch {
	case err == nil:
		g.kept, g.end, g.renew = found, end, renewAt(end, renewGoogle)
	case serves:
		g.renew = time.Now().Add(min(renewPause, time.Until(g.end)-expirySlack)) // or immediately, near its expiry
	default:
		g.kept = nil
		return nil, err
	}
	return g.kept, nil
}

// reject drops a token that the upstream rejected. It does nothing if a newer token has replaced it.
func (g *googleTokens) reject(bad *token) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.kept == bad {
		g.kept = nil
	}
}

// fetch returns a new token and its expiry. The error is an [*Error].
func (g *googleTokens) fetch(ctx context.Context) (*token, time.Time, error) {
	seen := &tokenTransport{base: g.client.Transport}
	client := *g.client
	client.Transport = seen
	if end, ok := ctx.Deadline(); ok {
		client.Timeout = min(client.Timeout, time.Until(end))
	}
	fetched, quotaProject, err := g.ask(context.WithValue(ctx, oauth2.HTTPClient, &client))
	if err == nil && fetched.AccessToken == "" {
		err = plain("the token server sent no token")
	}
	if err != nil {
		e := noCredentials(seen.explained(err))
		var meta *metadata.Error
		isFirst := g.end.IsZero()
		e.Final = isFirst || isRefusal(seen.status) || errors.As(err, &meta) && isRefusal(meta.Code) // otherwise the server may work again soon
		return nil, time.Time{}, e
	}
	end := fetched.Expiry
	switch {
	case end.IsZero():
		end = time.Now().AddDate(1, 0, 0) // it never expires
	case g.onToken != nil:
		g.onToken(end)
	}
	return &token{fetched.AccessToken, quotaProject}, end, nil
}

// tokenTransport stores the result of the last request, because some errors of Google's library have it only
// as text.
type tokenTransport struct {
	base   http.RoundTripper
	status int         // of the response; 0 for none
	header http.Header // of the response; nil for none
	err    error       // why there was no response
}

func (t *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(r)
	t.status, t.header, t.err = 0, nil, err
	if err == nil {
		t.status, t.header = response.StatusCode, response.Header
	}
	return response, err
}

// explained returns the error of a look-up with the facts about its last request. A service account signs the
// time into its request, so Google rejects it if the clock is wrong.
func (t *tokenTransport) explained(err error) error {
	switch {
	case t.err != nil:
		return fmt.Errorf("%w: %w", plain("the token server cannot be reached"), t.err)
	case isRefusal(t.status):
		return withClock(err, t.header)
	}
	return err
}

// ask returns a new token, and the quota project that the file names. It reads the file each time, so a
// rotated file counts from the next token on.
func (g *googleTokens) ask(ctx context.Context) (*oauth2.Token, string, error) {
	if g.file == "" {
		t, err := g.metadataToken(ctx)
		return t, "", err
	}
	data, err := os.ReadFile(g.file)
	if err != nil {
		return nil, "", err
	}
	var file struct {
		Type         google.CredentialsType `json:"type"`
		QuotaProject string                 `json:"quota_project_id"`
	}
	if err := json.Unmarshal(data, &file); err != nil || !slices.Contains(credentialTypes, file.Type) {
		return nil, "", fmt.Errorf("%w: %s: %w", plain("not a Google credentials file"), g.file, cmp.Or(err, fmt.Errorf("type %q", file.Type)))
	}
	found, err := google.CredentialsFromJSONWithType(ctx, data, file.Type, googleScope)
	if err != nil {
		return nil, "", err
	}
	t, err := found.TokenSource.Token()
	return t, file.QuotaProject, err
}

// credentialTypes are the types of file that Dragoman accepts. Google warns against files from other people,
// because a file can name any server as the one that receives secrets. Dragoman's file comes from the
// operator.
var credentialTypes = []google.CredentialsType{
	google.AuthorizedUser, google.ServiceAccount, google.ExternalAccount,
	google.ExternalAccountAuthorizedUser, google.ImpersonatedServiceAccount,
}

// metadataToken asks the metadata server. Google's own token source first checks whether there is such a
// server, and never checks again. But a Pod may start before its metadata server.
func (g *googleTokens) metadataToken(ctx context.Context) (*oauth2.Token, error) {
	answer, err := g.meta.GetWithContext(ctx, "instance/service-accounts/default/token?"+url.Values{"scopes": {googleScope}}.Encode())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plain("no credentials file, and the metadata server gave no token"), err)
	}
	var t oauth2.Token
	if err := json.Unmarshal([]byte(answer), &t); err != nil {
		return nil, fmt.Errorf("%w: %w", plain("the answer of the token server is not a token"), err)
	}
	if t.ExpiresIn > 0 {
		t.Expiry = time.Now().Add(time.Duration(t.ExpiresIn) * time.Second)
	}
	return &t, nil
}
