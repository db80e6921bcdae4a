package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// net/http logs an upstream that sends more than asked, in a log of its own and with a quotation.
func TestUpstreamThatSaysTooMuch(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 c4n4ry\r\n\r\n")
	}))
	defer upstream.Close()
	server := startProgram(t, write(t, "dragoman.yaml", fmt.Sprintf("upstreams: {relay: {kind: anthropic, base_url: %q}}\nmodels: [{name: \"*\", upstream: relay}]\n", upstream.URL)))
	body(t, post(t, client, server.url, weatherRequest))
	line := server.await(t, "Unsolicited response")
	if decode[logLine](t, line); strings.Contains(line, "c4n4ry") {
		t.Errorf("logged %s", line)
	}
}
