package upstreamtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	cloudPlatform = "https://www.googleapis.com/auth/cloud-platform"
	jwtBearer     = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	account       = "dragoman@test-project.iam.gserviceaccount.com"
	audience      = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/cluster"
)

// User writes the credentials file of a user into a folder and returns its path.
// Tokens are had from the server at this URL. The quota is test-quota's.
func (t *Tokens) User(folder, server string) (string, error) {
	return write(folder, "user.json", map[string]string{
		"type": "authorized_user", "client_id": "client.test", "client_secret": "secret",
		"refresh_token": t.secret("1//refresh"), "token_uri": server + "/token", "quota_project_id": "test-quota",
	})
}

// ServiceAccount writes the key file of a service account, likewise. The project is
// test-project.
func (t *Tokens) ServiceAccount(folder, server string) (string, error) {
	key, err := t.serviceKey()
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	return write(folder, "service_account.json", map[string]string{
		"type": "service_account", "project_id": "test-project", "client_email": account, "private_key_id": t.secret("key"),
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"token_uri":   server + "/token",
	})
}

// ExternalAccount writes the file of workload identity federation, likewise, and
// beside it the file with the token of the other identity provider.
func (t *Tokens) ExternalAccount(folder, server string) (string, error) {
	subject := filepath.Join(folder, "subject_token")
	if err := os.WriteFile(subject, []byte(t.secret("subject")+"\n"), 0o600); err != nil {
		return "", err
	}
	return write(folder, "external_account.json", map[string]any{
		"type": "external_account", "audience": audience, "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
		"token_url": server + "/v1/token", "credential_source": map[string]string{"file": subject},
	})
}

func write(folder, name string, v any) (string, error) {
	path := filepath.Join(folder, name)
	return path, os.WriteFile(path, quote(v), 0o600)
}

// secret returns the secret of this name, of the present generation.
func (t *Tokens) secret(name string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%s-%d", name, t.generation)
}

// serviceKey returns the key of the service account.
func (t *Tokens) serviceKey() (*rsa.PrivateKey, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	if t.key == nil {
		t.key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	return t.key, err
}

// user checks a request with the refresh token of a user (RFC 6749, §6), or with
// the assertion of a service account.
func (t *Tokens) user(r *http.Request) (string, error) {
	if r.PostFormValue("grant_type") == jwtBearer {
		return "jwt-bearer", t.assertion(r.PostFormValue("assertion"), r.Host)
	}
	return "refresh_token", want(r.PostFormValue, url.Values{
		"grant_type": {"refresh_token"}, "client_id": {"client.test"}, "client_secret": {"secret"}, "refresh_token": {t.secret("1//refresh")},
	})
}

// exchange checks a token exchange (RFC 8693, §2.1).
func (t *Tokens) exchange(r *http.Request) (string, error) {
	return "token-exchange", want(r.PostFormValue, url.Values{
		"grant_type": {tokenExchange}, "audience": {audience}, "scope": {cloudPlatform},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		"subject_token":        {t.secret("subject")}, "subject_token_type": {"urn:ietf:params:oauth:token-type:jwt"},
	})
}

func (t *Tokens) metadata(r *http.Request) (string, error) {
	if err := want(r.Header.Get, url.Values{"Metadata-Flavor": {"Google"}}); err != nil {
		return "", err
	}
	return "metadata", want(r.FormValue, url.Values{"scopes": {cloudPlatform}})
}

// want compares fields with what they should be.
func want(get func(string) string, fields url.Values) error {
	for name := range fields {
		if get(name) != fields.Get(name) {
			return fmt.Errorf("%s is not what it should be", name)
		}
	}
	return nil
}

// assertion checks the JWT of a service account (RFC 7523, §2.1, RS256).
func (t *Tokens) assertion(jwt, host string) error {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return errors.New("the assertion is no JWT")
	}
	var head struct{ Alg, Kid string }
	var claims struct {
		Iss, Scope, Aud string
		Exp, Iat        int64
	}
	if err := errors.Join(unpack(parts[0], &head), unpack(parts[1], &claims)); err != nil {
		return err
	}
	now := time.Now().Unix()
	switch {
	case head.Alg != "RS256" || head.Kid != t.secret("key"):
		return errors.New("the header of the assertion is not what it should be")
	case claims.Iss != account || claims.Scope != cloudPlatform || !strings.HasSuffix(claims.Aud, "://"+host+"/token"):
		return errors.New("the claims of the assertion are not what they should be")
	case claims.Iat > now+60 || claims.Exp <= now || claims.Exp > claims.Iat+3600:
		return errors.New("the assertion is not of this hour")
	}
	key, err := t.serviceKey()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2]) // what is not base64 is no signature
	return rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], signature)
}

// unpack reads a part of a JWT.
func unpack(part string, to any) error {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to, json.MatchCaseInsensitiveNames(true))
}
