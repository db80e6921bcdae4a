package upstreamtest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
)

// The checks of the token server: a request must have the secrets of its credentials file.

const (
	cloudPlatform = "https://www.googleapis.com/auth/cloud-platform"
	jwtBearer     = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	account       = "dragoman@test-project.iam.gserviceaccount.com"
	audience      = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/cluster"
)

// userGrant checks a request with the refresh token of a user (RFC 6749, §6), or with the assertion of a
// service account. It returns the grant's name in [Tokens.Grants], or an error if the request must get no
// token. The checks below do the same.
func (t *Tokens) userGrant(r *http.Request) (string, error) {
	if r.PostFormValue("grant_type") == jwtBearer {
		return "jwt-bearer", t.assertion(r.PostFormValue("assertion"), r.Host)
	}
	return "refresh_token", want(r.PostFormValue, url.Values{
		"grant_type": {"refresh_token"}, "client_id": {"client.test"}, "client_secret": {"secret"}, "refresh_token": {t.secret("1//refresh")},
	})
}

// exchangeGrant checks a token exchange (RFC 8693, §2.1).
func (t *Tokens) exchangeGrant(r *http.Request) (string, error) {
	return "token-exchange", want(r.PostFormValue, url.Values{
		"grant_type": {tokenExchange}, "audience": {audience}, "scope": {cloudPlatform},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		"subject_token":        {t.secret("subject")}, "subject_token_type": {"urn:ietf:params:oauth:token-type:jwt"},
	})
}

// metadataGrant checks a request to the metadata server.
func (t *Tokens) metadataGrant(r *http.Request) (string, error) {
	if err := want(r.Header.Get, url.Values{"Metadata-Flavor": {"Google"}}); err != nil {
		return "", err
	}
	return "metadata", want(r.FormValue, url.Values{"scopes": {cloudPlatform}})
}

// want returns an error that names a field, if get does not return the expected value for each field.
func want(get func(string) string, fields url.Values) error {
	for name := range fields {
		if get(name) != fields.Get(name) {
			return fmt.Errorf("%s has the wrong value", name)
		}
	}
	return nil
}

// assertion checks the JWT of a service account (RFC 7523, §2.1, RS256).
func (t *Tokens) assertion(jwt, host string) error {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return errors.New("the assertion is not a JWT")
	}
	var head struct{ Alg, Kid string }
	var claims struct {
		Iss, Scope, Aud string
		Exp, Iat        int64
	}
	if err := errors.Join(unpack(parts[0], &head), unpack(parts[1], &claims)); err != nil {
		return err
	}
	now := t.now().Unix()
	switch {
	case head.Alg != "RS256" || head.Kid != t.secret("key"):
		return errors.New("the header of the assertion is wrong")
	case claims.Iss != account || claims.Scope != cloudPlatform || !strings.HasSuffix(claims.Aud, "://"+host+"/token"):
		return errors.New("the claims of the assertion are wrong")
	case claims.Iat > now+60 || claims.Exp <= now || claims.Exp > claims.Iat+3600:
		return errors.New("the assertion is not valid at this time")
	}
	key, err := t.serviceKey()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2]) // if it is not base64, it is no valid signature
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
