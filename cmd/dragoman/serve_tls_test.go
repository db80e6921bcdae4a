package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// The client listener speaks both versions of HTTP over TLS, including streams, and nothing older than TLS 1.2. The
// admin listener has no TLS.
func TestServeTLS(t *testing.T) {
	authority := newAuthority(t, "company")
	var files mount
	files.putPair(t, authority, authority)
	path := files.config(t, "")
	server := start(t, nil, "--config", path)
	if !strings.HasPrefix(server.url, "https://127.0.0.1:") || !strings.HasPrefix(server.admin, "http://") || !strings.Contains(server.first.Msg, "ANTHROPIC_BASE_URL=https://") {
		t.Errorf("first line of the log: %+v", server.first)
	}
	for proto, change := range map[string]func(*http.Transport){
		"HTTP/1.1": func(*http.Transport) {},
		"HTTP/2.0": overHTTP2,
	} {
		for _, ask := range []string{weatherRequest, streaming} {
			response := post(t, clientOf(t, authority, nil, change), server.url, ask)
			if answer := read(t, response); response.Proto != proto || response.TLS.Version != tls.VersionTLS13 || !strings.Contains(answer, "tool_use") {
				t.Errorf("%s, TLS %x: %s", response.Proto, response.TLS.Version, answer)
			}
		}
	}
	for version, fine := range map[uint16]bool{tls.VersionTLS12: true, tls.VersionTLS11: false} {
		response, err := clientOf(t, authority, nil, func(t *http.Transport) {
			t.TLSClientConfig.MinVersion, t.TLSClientConfig.MaxVersion = tls.VersionTLS10, version
		}).Get(server.url)
		if fine != (err == nil) {
			t.Errorf("TLS %x: %v", version, err)
		}
		if err == nil {
			response.Body.Close()
		}
	}
	if got := status(t, strings.Replace(server.url, "https", "http", 1)); got != http.StatusBadRequest {
		t.Errorf("without TLS: status %d", got)
	}
	server.await(t, `"event":"plain_http_to_tls"`)
	admin := strings.TrimPrefix(server.admin, "http://")
	if health := (invocation{}).run(t, "healthcheck", "--config", write(t, "admin.yaml", "admin_listen: "+admin+"\ntls: {cert: /nowhere, key: /nowhere}\n")); health.code != 0 {
		t.Errorf("healthcheck: %+v", health)
	}
	if check := (invocation{}).run(t, "check", "--config", path); check.code != 0 || !strings.Contains(check.stdout, "listen    127.0.0.1:8484, TLS, no authentication\n") {
		t.Errorf("check: %+v", check)
	}
}

// With client_ca, a client needs a certificate of that authority, and no key, even on a listener that other machines
// can reach. The log has the name that they verify.
func TestServeClientCertificates(t *testing.T) {
	company, others := newAuthority(t, "company"), newAuthority(t, "company")
	var files mount
	files.putPair(t, company, company)
	server := start(t, nil, "--config", files.config(t, fmt.Sprintf(", client_ca: %q", files.path("ca.crt"))), "--listen", "0.0.0.0:0")
	port, named := strings.CutPrefix(server.url, "https://dragoman.example:")
	if !named {
		t.Errorf("the log has %s", server.url)
	}
	for name, tt := range map[string]struct {
		has      *upstreamtest.Authority
		answered bool
	}{"none": {nil, false}, "one of somebody else": {others, false}, "one of the company": {company, true}} {
		for _, change := range []func(*http.Transport){overHTTP2, func(*http.Transport) {}} {
			response, err := clientOf(t, company, tt.has, change).Get("https://127.0.0.1:" + port + "/v1/models")
			if tt.answered != (err == nil) {
				t.Errorf("%s: %v", name, err)
			}
			if err == nil {
				response.Body.Close()
			}
		}
	}
}

// A client that speaks TLS to a port without TLS gets an answer at once, which says that the port speaks HTTP. The log
// says it once.
func TestServeTLSClientWithoutTLS(t *testing.T) {
	server := start(t, nil, "--simulated")
	for _, url := range []string{server.url, server.url, server.admin} {
		response, err := client.Get(strings.Replace(url, "http", "https", 1))
		if err == nil {
			response.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, port := range []string{"clients", "operators"} { // one line each
		if line := server.await(t, `"event":"tls_to_plain_http"`); line == "" {
			t.Error(port)
		}
	}
	if got := status(t, server.url); got != http.StatusOK {
		t.Errorf("status %d", got)
	}
}
