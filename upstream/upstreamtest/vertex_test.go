package upstreamtest

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// asked returns a request to a Vertex with a valid token.
func (v *Vertex) asked(path, body string) *http.Request {
	token, _ := v.Tokens.issue("test")
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("authorization", "Bearer "+token)
	return r
}

func TestVertexChecksRequests(t *testing.T) {
	const location = "/v1/projects/p/locations/global"
	const claude = location + "/publishers/anthropic/models/claude-opus-4-6@20260101:streamRawPredict"
	const chat = location + "/endpoints/openapi/chat/completions"
	const good = `{"anthropic_version":"vertex-2023-10-16","stream":true,` + minimal + "}"
	tests := []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"good", claude, good, 200, "message_stop"},
		{"the new version", claude, strings.Replace(good, "vertex-2023-10-16", "2026-10-21", 1), 200, ""},
		{"another version", claude, strings.Replace(good, "vertex-2023-10-16", "2023-06-01", 1), 400, "anthropic_version"},
		{"no version", claude, `{"stream":true,` + minimal + "}", 400, "anthropic_version"},
		{"not streaming", claude, `{"anthropic_version":"vertex-2023-10-16",` + minimal + "}", 400, "stream"},
		{"a model in the body", claude, strings.Replace(good, "{", `{"model":"m",`, 1), 400, "model"},
		{"tools", claude, strings.Replace(good, "{", `{"tools":[],`, 1), 400, "tools: Extra inputs are not permitted"},
		{"no model", location + "/publishers/anthropic/models/:streamRawPredict", good, 404, "NOT_FOUND"},
		{"another method", strings.Replace(claude, "streamRaw", "un", 1), good, 404, "NOT_FOUND"},
		{"another publisher", strings.Replace(claude, "anthropic", "nobody", 1), good, 404, "NOT_FOUND"},
		{"no project", strings.Replace(claude, "/p/", "/", 1), good, 404, "NOT_FOUND"},
		{"chat", chat, `{"model":"meta/llama","messages":[{"role":"user","content":"Hi"}]}`, 200, "chat.completion"},
		{"chat without a model", chat, `{"messages":[{"role":"user","content":"Hi"}]}`, 400, "model"},
	}
	for _, test := range tests {
		v := NewVertex(nil)
		status, _, body := serve(v, v.asked(test.path, test.body))
		if status != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s: %d %s", test.name, status, body)
		}
		if got := len(v.Requests()); got != 1 && status == 200 || got != 0 && status != 200 {
			t.Errorf("%s: %d requests remembered", test.name, got)
		}
	}
}

func TestVertexChecksTokens(t *testing.T) {
	v := NewVertex(nil)
	status := func(change func(r *http.Request)) int {
		r := v.asked("/v1/projects/p/locations/global/endpoints/openapi/chat/completions", `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`)
		change(r)
		status, _, _ := serve(v, r)
		return status
	}
	for name, change := range map[string]func(r *http.Request){
		"none":    func(r *http.Request) { r.Header.Del("authorization") },
		"basic":   func(r *http.Request) { r.Header.Set("authorization", "Basic ya29.fake-1") },
		"foreign": func(r *http.Request) { r.Header.Set("authorization", "Bearer ya29.fake-99") },
		"revoked": func(*http.Request) { v.Tokens.Revoke() },
	} {
		if got := status(change); got != 401 {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := status(func(*http.Request) {}); got != 200 {
		t.Errorf("its own: %d", got)
	}
	v.Tokens.Last(0)
	if got := status(func(*http.Request) {}); got != 401 {
		t.Errorf("one that has ended: %d", got)
	}
}

// form posts a form to a token server.
func form(tokens *Tokens, path string, fields url.Values) (int, string) {
	r := httptest.NewRequest(http.MethodPost, "http://tokens.test"+path, strings.NewReader(fields.Encode()))
	r.Header.Set("content-type", "application/x-www-form-urlencoded")
	status, _, body := serve(tokens, r)
	return status, body
}

// TestTokensCheckGrants changes one field of a valid request after the other.
func TestTokensCheckGrants(t *testing.T) {
	for path, good := range map[string]url.Values{
		"/token": {"grant_type": {"refresh_token"}, "client_id": {"client.test"}, "client_secret": {"secret"}, "refresh_token": {"1//refresh-0"}},
		"/v1/token": {
			"grant_type": {tokenExchange}, "audience": {audience}, "scope": {cloudPlatform}, "subject_token": {"subject-0"},
			"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"}, "subject_token_type": {"urn:ietf:params:oauth:token-type:jwt"},
		},
	} {
		tokens := NewTokens()
		if status, body := form(tokens, path, good); status != 200 || !strings.Contains(body, `"expires_in":3600`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		for name, right := range good {
			good[name] = []string{"wrong"}
			if status, body := form(tokens, path, good); status != 400 || !strings.Contains(body, "invalid_grant") {
				t.Errorf("%s: a wrong %s: %d %s", path, name, status, body)
			}
			good[name] = right
		}
		tokens.Rotate()
		if status, _ := form(tokens, path, good); status != 400 {
			t.Errorf("%s: an outdated secret: %d", path, status)
		}
	}
}

func TestTokensCheckMetadataRequests(t *testing.T) {
	get := func(query, flavor string) int {
		r := httptest.NewRequest(http.MethodGet, "/computeMetadata/v1/instance/service-accounts/default/token"+query, nil)
		r.Header.Set("metadata-flavor", flavor)
		status, _, _ := serve(NewTokens(), r)
		return status
	}
	const scopes = "?scopes=" + cloudPlatform
	if a, b, c := get(scopes, "Google"), get(scopes, ""), get("", "Google"); a != 200 || b != 400 || c != 400 {
		t.Errorf("%d, without the header %d, without scopes %d", a, b, c)
	}
}

// TestTokensCheckAssertions checks assertions that the library, which signs the valid ones, would not sign.
func TestTokensCheckAssertions(t *testing.T) {
	tokens := NewTokens()
	pack := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	now := time.Now().Unix()
	claims := func(change map[string]any) string {
		all := map[string]any{"iss": account, "scope": cloudPlatform, "aud": "http://tokens.test/token", "iat": now, "exp": now + 3600}
		for name, v := range change {
			all[name] = v
		}
		return pack(string(quote(all)))
	}
	const head = `{"alg":"RS256","kid":"key-0","typ":"JWT"}`
	for name, jwt := range map[string]string{
		"empty":         "",
		"two parts":     pack(head) + "." + claims(nil),
		"no JSON":       "x.y.z",
		"unsigned":      pack(head) + "." + claims(nil) + ".",
		"badly signed":  pack(head) + "." + claims(nil) + "." + pack("signature"),
		"no algorithm":  pack(`{"alg":"none","kid":"key-0"}`) + "." + claims(nil) + ".",
		"another key":   pack(`{"alg":"RS256","kid":"key-1"}`) + "." + claims(nil) + ".",
		"of yesterday":  pack(head) + "." + claims(map[string]any{"iat": now - 86400, "exp": now - 82800}) + ".",
		"for a day":     pack(head) + "." + claims(map[string]any{"exp": now + 86400}) + ".",
		"for others":    pack(head) + "." + claims(map[string]any{"aud": "http://other.test/token"}) + ".",
		"another scope": pack(head) + "." + claims(map[string]any{"scope": "openid"}) + ".",
	} {
		if status, body := form(tokens, "/token", url.Values{"grant_type": {jwtBearer}, "assertion": {jwt}}); status != 400 {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// TestCredentialsFiles writes files that only their owner can read.
func TestCredentialsFiles(t *testing.T) {
	tokens := NewTokens()
	for want, write := range map[string]func(folder, server string) (string, error){
		"authorized_user": tokens.User, "service_account": tokens.ServiceAccount, "external_account": tokens.ExternalAccount,
	} {
		path, err := write(t.TempDir(), "http://tokens.test")
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		var file struct{ Type string }
		if info, failed := os.Stat(path); err != nil || failed != nil || info.Mode().Perm() != 0o600 || json.Unmarshal(data, &file, json.MatchCaseInsensitiveNames(true)) != nil || file.Type != want {
			t.Errorf("%s: %v, %v: %s", path, err, failed, data)
		}
	}
}
