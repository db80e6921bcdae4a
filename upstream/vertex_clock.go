package upstream

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// A service account signs the time into what it asks for a token with. Google's library
// takes that from this machine, and a token server refuses what is signed in its future.

// assert asks for a token of the service account whose key file this is, by the token
// server's clock (RFC 7523, §2.1).
func (s *tokenSource) assert(ctx context.Context, file []byte) (*oauth2.Token, error) {
	account, err := google.JWTConfigFromJSON(file, googleScope)
	if err != nil {
		return nil, err
	}
	key, err := parseKey(account.PrivateKey)
	if err != nil {
		return nil, err
	}
	now := time.Now().Add(s.clock.skew())
	assertion, err := signJWT(key,
		map[string]string{"alg": "RS256", "typ": "JWT", "kid": account.PrivateKeyID},
		map[string]any{"iss": account.Email, "scope": googleScope, "aud": account.TokenURL, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()})
	if err != nil {
		return nil, err
	}
	return postAssertion(ctx, account.TokenURL, assertion)
}

// signJWT returns a JSON Web Token that is signed with RS256 (RFC 7515, §3.1).
func signJWT(key *rsa.PrivateKey, header, claims any) (string, error) {
	encode := base64.RawURLEncoding.EncodeToString
	token := encode(asJSON(header)) + "." + encode(asJSON(claims))
	sum := sha256.Sum256([]byte(token))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	return token + "." + encode(signature), err
}

// postAssertion exchanges an assertion for a token, with the client of the context.
func postAssertion(ctx context.Context, tokenURL, assertion string) (*oauth2.Token, error) {
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, tokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("content-type", "application/x-www-form-urlencoded")
	response, err := oauth2.NewClient(ctx, nil).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, &oauth2.RetrieveError{Response: response, Body: answer}
	}
	return readToken(answer)
}

// parseKey reads the private key of a service account, PKCS #8 in PEM.
func parseKey(data []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, plain("the private key is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plain("the private key cannot be read"), err)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, plain("the private key is not of RSA")
	}
	return key, nil
}
