package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// serveAs serves a handler with a certificate of an authority, and TLS versions up to most.
func serveAs(t *testing.T, h http.Handler, authority *upstreamtest.Authority, most uint16) string {
	t.Helper()
	pair, err := authority.Pair("upstream.example")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are expected
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS10, MaxVersion: most}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// An upstream with a certificate of a company's own authority works if ca names that authority, and fails if nothing
// does. The client learns nothing about certificates; the log says what is wrong. The same holds for the token server
// of Vertex. The system's authorities always count.
func TestAuthorities(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	company, others := newAuthority(t, "company"), newAuthority(t, "others")
	ca, other := write(t, "ca.pem", string(company.PEM())), write(t, "other.pem", string(others.PEM()))
	vertex := upstreamtest.NewVertex(nil)
	for kind, fake := range map[string]struct {
		handler  http.Handler
		upstream string
	}{
		"bedrock":   {upstreamtest.NewBedrock(nil), `kind: bedrock, region: us-east-1, endpoint: %q`},
		"anthropic": {upstreamtest.NewMessages(nil), `kind: anthropic, base_url: %q`},
		"openai":    {upstreamtest.NewChat(nil), `kind: openai, base_url: "%s/v1"`},
		"vertex":    {vertex, `kind: vertex, project: p, location: global, endpoint: %q`},
	} {
		for name, tt := range map[string]struct {
			ca, bundle string // the key ca, and AWS_CA_BUNDLE
			most       uint16
			answered   bool
		}{
			"with ca":           {ca, "", tls.VersionTLS13, true},
			"with TLS 1.2":      {ca, "", tls.VersionTLS12, true},
			"with TLS 1.1":      {ca, "", tls.VersionTLS11, false},
			"without":           {"", "", tls.VersionTLS13, false},
			"with another ca":   {other, "", tls.VersionTLS13, false},
			"ca, and a bundle":  {ca, other, tls.VersionTLS13, true},
			"bundle, with a ca": {other, ca, tls.VersionTLS13, kind == "bedrock"},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Setenv("AWS_CA_BUNDLE", tt.bundle)
				url, more := serveAs(t, fake.handler, company, tt.most), ""
				if tt.ca != "" {
					more = fmt.Sprintf(", ca: %q", tt.ca)
				}
				credentials, err := vertex.Tokens.ServiceAccount(t.TempDir(), url)
				if err != nil {
					t.Fatal(err)
				}
				proxy := start(t, map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": credentials}, "--config", write(t, "dragoman.yaml", fmt.Sprintf(
					"upstreams: {up: {"+fake.upstream+"%s}}\nmodels: [{name: \"*\", upstream: up, model: claude-opus-4-6}]\nlimits: {attempts: 1}\n", url, more)))
				response := post(t, client, proxy.url, weatherRequest)
				answer := body(t, response)
				if tt.answered != (response.StatusCode == http.StatusOK) {
					t.Fatalf("%s: %s", response.Status, answer)
				}
				if tt.answered {
					return
				}
				if response.StatusCode != http.StatusBadGateway || strings.Contains(answer, "certificate") || strings.Contains(answer, "tls") {
					t.Errorf("%s: %s", response.Status, answer)
				}
				if tt.most == tls.VersionTLS13 {
					proxy.await(t, "certificate signed by unknown authority")
				}
			})
		}
	}
}
