package proxy

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

// An error message says what to do. The log line of the exchange has the path and the error in our own words.
func TestErrorsNameTheFix(t *testing.T) {
	failing := func(err *upstream.Error) any {
		return upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) })
	}
	locked := func(opt *Options) { opt.Keys = []Key{NewKey("a-key-that-is-long-enough")} }
	short := func(opt *Options) { opt.BodyBytes = 10 }
	for _, tt := range []struct {
		method, path string
		up           any
		option       func(*Options)
		message      string // has this
		logged       string // the log's field error contains this
		shape        string
	}{
		{"POST", "/v1/mesages", nil, nil, "/v1/mesages; did you mean /v1/messages?", "there is nothing at the path", "/v1/*"},
		{"POST", "/c4n4ry", nil, nil, "/c4n4ry; the paths here are POST /v1/messages", "there is nothing at the path", "/*"},
		{"GET", "/inspector/c4n4ry", nil, nil, "/inspector is on the admin listener", "there is nothing at the path", "/inspector/*"},
		{"GET", "/metrics", nil, nil, "127.0.0.1:8485", "there is nothing at the path", "/metrics"},
		{"POST", "/v1/files/c4n4ry", nil, nil, "write images and documents into", "write images and documents into", "/v1/files/*"},
		{"POST", "/model/c4n4ry/x", nil, nil, "POST /model/ID/invoke", "POST /model/ID/invoke", "/model/*/*"},
		{"DELETE", "/v1/messages", nil, nil, "use POST", "use POST", "/v1/messages"},
		{"DELETE", "/", nil, nil, "use GET or HEAD", "use GET or HEAD", "/"},
		{"POST", "/v1/messages", nil, short, "longer than 10 bytes, the value of limits.body_bytes", "limits.body_bytes", "/v1/messages"},
		{"POST", "/v1/messages", nil, locked, "openssl rand -hex 24", "auth.keys", "/v1/messages"},
		{
			"POST", "/v1/messages", failing(&upstream.Error{Status: 502, Message: "c4n4ry", Unreachable: true, Err: &upstream.Error{}}), nil,
			"dragoman check --online", "", "/v1/messages",
		},
		{
			"POST", "/v1/messages", failing(&upstream.Error{Status: 502, Message: "c4n4ry", Credentials: upstream.CredentialsMissing}), nil,
			"dragoman check --online", "", "/v1/messages",
		},
	} {
		if tt.up == nil {
			tt.up = completing(endOfTurn, "hi")
		}
		if tt.option == nil {
			tt.option = func(*Options) {}
		}
		var log logged
		w := httptest.NewRecorder()
		answerTo(newServer(t, tt.up, log.option, tt.option), w, newRequest(tt.method, tt.path, question))
		if !strings.Contains(w.Body.String(), tt.message) {
			t.Errorf("%s %s: no %q in %s", tt.method, tt.path, tt.message, w.Body)
		}
		line := log.exchange(t)
		if text, _ := line["error"].(string); !strings.Contains(text, tt.logged) || strings.Contains(text, "c4n4ry") || strings.Contains(text, "exhausted") {
			t.Errorf("%s %s: error %q, want %q", tt.method, tt.path, text, tt.logged)
		}
		if line["path"] != tt.shape {
			t.Errorf("%s %s: path %v, want %s", tt.method, tt.path, line["path"], tt.shape)
		}
	}
}
