package main

import (
	"fmt"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Every line is JSON and bounded, whoever wrote it, and nothing is quoted that others sent.
func TestLinesOfTheLog(t *testing.T) {
	var out strings.Builder
	log := newLog(&out, "", "", false)
	library := stdlog.New(libraryLog{log}, "", 0)
	library.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "c4n4ry", nil)
	library.Print("http: TLS handshake error from 127.0.0.1:1: EOF\n\tc4n4ry\n")
	library.Print("http: " + strings.Repeat("x", 100_000))
	log.Error().Str("error", cut(strings.Repeat("é\n", 100_000))).Str("msg", "long").Send()
	log.Error().Str("error", strings.Repeat("c4n4ry", 100_000)).Str("msg", "too long").Send()
	var messages []string
	for line := range strings.Lines(out.String()) {
		fields := decode[map[string]any](t, line)
		if len(line) > longestLine || strings.Contains(line, "c4n4ry") || fields["time"] == nil || fields["level"] == nil {
			t.Errorf("%d bytes: %.300s", len(line), line)
		}
		message, _ := fields["msg"].(string)
		messages = append(messages, message)
	}
	got := strings.Join(messages, "\n")
	for _, want := range []string{
		"Unsolicited response received on idle HTTP channel starting with …\n", "http: TLS handshake error from 127.0.0.1:1: EOF\n", "\nlong\n", "a line of the log was too long",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%.1000s", want, got)
		}
	}
}

// An upstream that says more than it was asked is complained of by net/http, on a log of its
// own and with what it said.
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
