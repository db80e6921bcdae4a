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
	"time"

	"cloud.google.com/go/compute/metadata"
	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// googleScope is the scope that a token is asked for (docs/reference/vertex.md §4).
const googleScope = "https://www.googleapis.com/auth/cloud-platform"

// tokenSource is where the access tokens of an upstream come from.
type tokenSource struct {
	file    string       // of credentials; "" for the metadata server
	client  *http.Client // for token servers
	onToken func(expiry time.Time)
	meta    *metadata.Client
	clock   clock // of the token server
}

// newTokenSource returns the source of the tokens of an upstream with these options.
// Token servers are asked with a copy of client that has a time-out: Google's library
// does not heed the context everywhere. A client of the options' own is for the metadata
// server, too; else the library's client goes round all proxies.
func newTokenSource(opt VertexOptions, client http.Client) *tokenSource {
	client.Timeout = renewRequest
	s := &tokenSource{file: opt.Credentials, client: &client, onToken: opt.OnToken, meta: metadata.NewClient(nil)}
	if opt.HTTPClient != nil {
		s.meta = metadata.NewClient(&client)
	}
	return s
}

// lease returns a lease of a new token.
func (s *tokenSource) lease(ctx context.Context) (*lease[token], error) {
	seen := &tokenTransport{base: s.client.Transport, clock: &s.clock}
	client := *s.client
	client.Transport = seen
	fetched, quotaProject, err := s.fetch(context.WithValue(ctx, oauth2.HTTPClient, &client))
	switch {
	case err != nil && isRefusal(seen.status):
		return nil, &refusedToken{s.clock.explained(err)}
	case err != nil && seen.err != nil:
		return nil, fmt.Errorf("%w: %w", plain("the token server cannot be asked"), seen.err)
	case err != nil:
		return nil, err
	case fetched.AccessToken == "":
		return nil, plain("the token server sent no token")
	}
	value := token{fetched.AccessToken, quotaProject}
	if fetched.Expiry.IsZero() {
		return &lease[token]{value: value}, nil
	}
	if s.onToken != nil {
		s.onToken(fetched.Expiry)
	}
	return newLease(value, time.Until(fetched.Expiry), refreshEarly), nil
}

// tokenTransport keeps what came of the last request: some errors of Google's library
// hold it as text alone. It sets the clock by each response.
type tokenTransport struct {
	base   http.RoundTripper
	clock  *clock
	status int   // of the response; 0 for none
	err    error // why there was none
}

func (t *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := time.Now()
	response, err := t.base.RoundTrip(r)
	t.status, t.err = 0, err
	if err == nil {
		t.status = response.StatusCode
		t.clock.note(sent, response.Header)
	}
	return response, err
}

// refusedToken is the error of a token server that has said no.
type refusedToken struct{ error }

func (r *refusedToken) Unwrap() error { return r.error }

// isRefusedByGoogle reports whether a token server, or the metadata server, has said no.
func isRefusedByGoogle(err error) bool {
	var refused *refusedToken
	var meta *metadata.Error
	return errors.As(err, &refused) || errors.As(err, &meta) && isRefusal(meta.Code)
}

// fetch returns a new token, and the project whose quota it uses if the file names
// one. Nothing is kept between calls, so a file that was rotated counts from the next
// token on.
func (s *tokenSource) fetch(ctx context.Context) (*oauth2.Token, string, error) {
	if s.file == "" {
		t, err := s.metadataToken(ctx)
		return t, "", err
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		return nil, "", err
	}
	var file struct {
		Type         google.CredentialsType `json:"type"`
		QuotaProject string                 `json:"quota_project_id"`
	}
	if err := json.Unmarshal(data, &file); err != nil || !slices.Contains(credentialTypes, file.Type) {
		return nil, "", fmt.Errorf("%w: %s: %w", plain("not a credentials file of Google"), s.file, cmp.Or(err, fmt.Errorf("type %q", file.Type)))
	}
	found, err := google.CredentialsFromJSONWithType(ctx, data, file.Type, googleScope)
	if err != nil {
		return nil, "", err
	}
	t, err := found.TokenSource.Token()
	if err != nil && file.Type == google.ServiceAccount && s.clock.skew().Abs() > maxSkew {
		t, err = s.assert(ctx, data)
	}
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
func (s *tokenSource) metadataToken(ctx context.Context) (*oauth2.Token, error) {
	answer, err := s.meta.GetWithContext(ctx, "instance/service-accounts/default/token?"+url.Values{"scopes": {googleScope}}.Encode())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plain("no credentials file, and the metadata server"), err)
	}
	return readToken([]byte(answer))
}

// readToken reads the answer of a token server (RFC 6749, §5.1).
func readToken(answer []byte) (*oauth2.Token, error) {
	var t oauth2.Token
	if err := json.Unmarshal(answer, &t); err != nil {
		return nil, fmt.Errorf("%w: %w", plain("the answer of the token server"), err)
	}
	if t.ExpiresIn > 0 {
		t.Expiry = time.Now().Add(time.Duration(t.ExpiresIn) * time.Second)
	}
	return &t, nil
}
