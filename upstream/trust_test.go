package upstream_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// No upstream follows a redirect, over any wire: the prompt and the credentials stay at the configured
// server.
func TestNoRedirectIsFollowed(t *testing.T) {
	credentials, err := upstreamtest.NewTokens().User(t.TempDir(), "https://"+tokenHost)
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		var asked []string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == tokenHost {
				return response(200, "application/json", `{"access_token":"t","expires_in":3600}`), nil
			}
			asked = append(asked, r.URL.Host)
			answer := response(status, "text/plain", "")
			answer.Header.Set("location", "http://169.254.169.254/latest/meta-data/")
			return answer, nil
		})}
		for _, way := range allWays(t, client, credentials) {
			asked = nil
			_, err := collect(t, invoke(way, t.Context(), upstream.Model{ID: "anthropic.claude", Can: upstream.Streaming}, ask("Hi")))
			if e := new(upstream.Error); !errors.As(err, &e) || len(asked) != 1 || strings.HasPrefix(asked[0], "169.") {
				t.Errorf("%d over %T: asked %q, %v", status, way, asked, err)
			}
		}
	}
}

// roundTrip is a transport that calls the function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	answer, err := f(r)
	if answer != nil {
		answer.Request = r
	}
	return answer, err
}

// Dragoman sends nothing to a server with an untrusted certificate or an outdated TLS version.
func TestUntrustedServers(t *testing.T) {
	var asked bool
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true })
	for name, tt := range map[string]struct {
		version uint16
		known   bool
	}{
		"a certificate of its own": {tls.VersionTLS13, false},
		"TLS 1.1":                  {tls.VersionTLS11, true},
	} {
		server := httptest.NewUnstartedServer(handler)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tt.version}
		server.StartTLS()
		defer server.Close()
		var client *http.Client // the package's own client
		if tt.known {
			roots := x509.NewCertPool()
			roots.AddCert(server.Certificate())
			client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
		}
		up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL, APIKey: "sk", HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		_, err = collect(t, invoke(up, t.Context(), upstream.Model{ID: "m"}, ask("Hi")))
		wantGateway(t, err)
		if asked {
			t.Errorf("%s: a request was sent", name)
		}
	}
}
