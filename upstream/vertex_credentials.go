package upstream

import (
	"cmp"
	"context"
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

// newTokenCache returns the access tokens of an upstream, which come from a credentials
// file or, if file is "", from the metadata server. They are fetched with a copy of
// client that has a time-out: Google's library does not heed the context everywhere.
func newTokenCache(file string, onToken func(expiry time.Time), client http.Client) *tokenCache {
	client.Timeout = tokenTimeout
	return &tokenCache{fetch: func(ctx context.Context) (*token, error) {
		fetched, quotaProject, err := fetchToken(context.WithValue(ctx, oauth2.HTTPClient, &client), file)
		switch {
		case err != nil:
			return nil, err
		case fetched.AccessToken == "":
			return nil, plain("the token server sent no token")
		}
		if onToken != nil && !fetched.Expiry.IsZero() {
			onToken(fetched.Expiry)
		}
		return newToken(fetched.AccessToken, quotaProject, fetched.Expiry), nil
	}}
}

// fetchToken returns a new token, and the project whose quota it uses if the file names
// one. Nothing is kept between calls, so a file that was rotated counts from the next
// token on.
func fetchToken(ctx context.Context, path string) (*oauth2.Token, string, error) {
	if path == "" {
		t, err := metadataToken(ctx)
		return t, "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	var file struct {
		Type         google.CredentialsType `json:"type"`
		QuotaProject string                 `json:"quota_project_id"`
	}
	if err := json.Unmarshal(data, &file); err != nil || !slices.Contains(credentialTypes, file.Type) {
		return nil, "", fmt.Errorf("%w: %s: %w", plain("not a credentials file of Google"), path, cmp.Or(err, fmt.Errorf("type %q", file.Type)))
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
func metadataToken(ctx context.Context) (*oauth2.Token, error) {
	answer, err := metadata.GetWithContext(ctx, "instance/service-accounts/default/token?"+url.Values{"scopes": {googleScope}}.Encode())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plain("no credentials file, and the metadata server"), err)
	}
	var t oauth2.Token
	if err := json.Unmarshal([]byte(answer), &t); err != nil {
		return nil, fmt.Errorf("%w: %w", plain("the token of the metadata server"), err)
	}
	if t.ExpiresIn > 0 {
		t.Expiry = time.Now().Add(time.Duration(t.ExpiresIn) * time.Second)
	}
	return &t, nil
}
