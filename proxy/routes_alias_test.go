package proxy

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestPlainPath(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/messages":               "/v1/messages",
		"//v1//messages":             "/v1/messages",
		"/anthropic/v1/v1/models":    "/v1/models",
		"/models/a%2Fb":              "/v1/models/a%2Fb",
		"/v1/models/v1/models":       "/v1/models/v1/models",
		"/model//converse":           "/model//converse",
		"//model/a%2F/converse":      "/model/a%2F/converse",
		"/v1/projects//locations":    "/v1/projects//locations",
		"/v1/%6dessages":             "/v1/%6dessages",
		"/foundation-models":         "/foundation-models",
		"/anthropic/v1/model/a":      "/anthropic/v1/model/a",
		"/anthropic":                 "/anthropic",
		"/":                          "/",
		"*":                          "*",
		"":                           "",
		"/chat/completions":          "/v1/chat/completions",
		strings.Repeat("/v1", 1000):  strings.Repeat("/v1", 1000),
		strings.Repeat("/", 1<<16):   "/",
		"/v1/v1/models/" + "%2F%2F/": "/v1/models/%2F%2F/",
	} {
		if got := plainPath(path); got != want {
			t.Errorf("%.100s: %.100s, want %s", path, got, want)
		}
	}
}

// An alias keeps the request's query, and the escapes in a model's id.
func TestAliasKeepsTheRest(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	var got *url.URL
	h := s.plainPaths(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL }))
	h.ServeHTTP(httptest.NewRecorder(), newRequest("GET", "/anthropic//models/a%2Fb%20c?limit=2&x=//v1", ""))
	if got.String() != "/v1/models/a%2Fb%20c?limit=2&x=//v1" || got.Path != "/v1/models/a/b c" {
		t.Errorf("%s, path %s", got, got.Path)
	}
}

// The log names each alias once, and nothing that a client chose.
func TestAliasesInTheLog(t *testing.T) {
	var log logged
	s := newServer(t, completing(endOfTurn, "hi"), log.option)
	for range 3 {
		for _, path := range []string{"//v1/messages", "/messages", "/v1/messages"} {
			answerTo(s, httptest.NewRecorder(), newRequest("POST", path+"?c4n4ry=1", question))
		}
	}
	said := 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "base URL") {
			said++
		}
	}
	if text := log.String(); said != 2 || strings.Contains(text, "c4n4ry") || !strings.Contains(text, `"path":"//v1/messages","served_as":"/v1/messages"`) {
		t.Errorf("%d warnings: %s", said, text)
	}
	for i := range 2 * maxAliases {
		answerTo(s, httptest.NewRecorder(), newRequest("POST", strings.Repeat("/", i+2)+"x", ""))
	}
	if n := len(s.aliases.seen); n > maxAliases {
		t.Errorf("%d aliases are remembered", n)
	}
}

// Nearly all paths are plain. Checking them allocates no memory.
func TestPlainPathsNeedNoMemory(t *testing.T) {
	for _, path := range []string{"/v1/messages", "/v1/models/claude-2.1", "/model/a%2Fb/converse", "/metrics"} {
		if n := testing.AllocsPerRun(100, func() { plainPath(path) }); n > 0 {
			t.Errorf("%s: %v allocations", path, n)
		}
	}
}
