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

// googleScope is the scope that a token is asked for (docs/reference/vertex.md §4).
const googleScope = "https://www.googleapis.com/auth/cloud-platform"

// renewGoogle is how long before the end of an access token the next one is looked for.
// Earlier the metadata server has no new one to give.
const renewGoogle = 225 * time.Second

// token is an access token.
type token struct {
	value        string
	quotaProject string // a header of each request; "" for none
}

// googleTokens keeps the access token of an upstream. [oauth2.ReuseTokenSource] would not do: it keeps a
// token that the upstream has refused, and none that serves while its server is away.
type googleTokens struct {
	file    string       // of credentials; "" for the metadata server
	client  *http.Client // for token servers
	onToken func(expiry time.Time)
	meta    *metadata.Client

	mu         sync.Mutex // held while a token is fetched: there is one look-up at a time
	kept       *token     // nil if there is none, or the upstream has refused it
	renew, end time.Time  // when the next one is looked for, and when kept stops to serve
}

// newGoogleTokens returns the tokens of an upstream with these options.
// Token servers are asked with a copy of client that has a time-out: Google's library
// does not heed the context everywhere. A client of the options' own is for the metadata
// server, too; else the library's client goes round all proxies.
func newGoogleTokens(opt VertexOptions, client http.Client) *googleTokens {
	client.Timeout = renewRequest
	g := &googleTokens{file: opt.Credentials, client: &client, onToken: opt.OnToken, meta: metadata.NewClient(nil)}
	if opt.HTTPClient != nil {
		g.meta = metadata.NewClient(&client)
	}
	return g
}

// get returns a token that can be used, or an [*Error] if there is none. It waits no longer than ctx.
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

// current returns the token that is kept or, if it is time, a new one. If there is no new one, the old
// one serves to its end.
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
	ctx, cancel := context.WithTimeout(context.Background(), wait) // it outlives the request: others wait for it too
	defer cancel()
	found, end, err := g.fetch(ctx)
	switch {
	case err == nil:
		g.kept, g.end, g.renew = found, end, renewAt(end, renewGoogle)
	case serves:
		g.renew = time.Now().Add(min(renewPause, time.Until(g.end)-expirySlack)) // or at once, near its end
	default:
		g.kept = nil
		return nil, err
	}
	return g.kept, nil
}

// reject ends a token that the upstream did not take, unless a newer one has replaced it.
func (g *googleTokens) reject(bad *token) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.kept == bad {
		g.kept = nil
	}
}

// fetch returns a new token and its end. The error is an [*Error].
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
		e.Final = isFirst || isRefusal(seen.status) || errors.As(err, &meta) && isRefusal(meta.Code) // else the server will be back
		return nil, time.Time{}, e
	}
	end := fetched.Expiry
	switch {
	case end.IsZero():
		end = time.Now().AddDate(1, 0, 0) // it does not end
	case g.onToken != nil:
		g.onToken(end)
	}
	return &token{fetched.AccessToken, quotaProject}, end, nil
}

// tokenTransport keeps what came of the last request: some errors of Google's library
// hold it as text alone.
type tokenTransport struct {
	base   http.RoundTripper
	status int         // of the response; 0 for none
	header http.Header // likewise
	err    error       // why there was none
}

func (t *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(r)
	t.status, t.header, t.err = 0, nil, err
	if err == nil {
		t.status, t.header = response.StatusCode, response.Header
	}
	return response, err
}

// explained returns the error of a look-up with what is known of its last request. A service account
// signs the time into what it asks for a token with, so a wrong clock is refused.
func (t *tokenTransport) explained(err error) error {
	switch {
	case t.err != nil:
		return fmt.Errorf("%w: %w", plain("the token server cannot be asked"), t.err)
	case isRefusal(t.status):
		return withClock(err, t.header)
	}
	return err
}

// ask returns a new token, and the project whose quota it uses if the file names
// one. Nothing is kept between calls, so a file that was rotated counts from the next
// token on.
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
		return nil, "", fmt.Errorf("%w: %s: %w", plain("not a credentials file of Google"), g.file, cmp.Or(err, fmt.Errorf("type %q", file.Type)))
	}
	found, err := google.CredentialsFromJSONWithType(ctx, data, file.Type, googleScope)
	if err != nil {
		return nil, "", err
	}
	t, err := found.TokenSource.Token()
	return t, file.QuotaProject, err
}

// credentialTypes are the types of file that are read. Google warns of files from
// others, which can name any server as the one to send secrets to; this file is the
// operator's own.
var credentialTypes = []google.CredentialsType{
	google.AuthorizedUser, google.ServiceAccount, google.ExternalAccount,
	google.ExternalAccountAuthorizedUser, google.ImpersonatedServiceAccount,
}

// metadataToken asks the metadata server. Google's own token source first looks whether
// there is such a server, and keeps to what it found for good: but a pod may be up
// before its metadata server.
func (g *googleTokens) metadataToken(ctx context.Context) (*oauth2.Token, error) {
	answer, err := g.meta.GetWithContext(ctx, "instance/service-accounts/default/token?"+url.Values{"scopes": {googleScope}}.Encode())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plain("no credentials file, and the metadata server"), err)
	}
	var t oauth2.Token
	if err := json.Unmarshal([]byte(answer), &t); err != nil {
		return nil, fmt.Errorf("%w: %w", plain("the answer of the token server"), err)
	}
	if t.ExpiresIn > 0 {
		t.Expiry = time.Now().Add(time.Duration(t.ExpiresIn) * time.Second)
	}
	return &t, nil
}
