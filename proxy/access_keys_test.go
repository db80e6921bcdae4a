package proxy

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

func TestAuthentication(t *testing.T) {
	tests := []struct {
		name   string
		header []string
		keyID  string // "": refused
	}{
		{"x-api-key", []string{"x-api-key", "key-one"}, "9b346041"},
		{"bearer", []string{"Authorization", "Bearer key-two"}, "c8df5146"},
		{"bearer, written small", []string{"Authorization", "bearer  key-two"}, "c8df5146"},
		{"both", []string{"x-api-key", "key-one", "Authorization", "Bearer key-one"}, "9b346041"},
		{"one of both", []string{"x-api-key", "wrong", "Authorization", "Bearer key-two"}, "c8df5146"},
		{"the other of both", []string{"x-api-key", "key-one", "Authorization", "Bearer wrong"}, "9b346041"},
		{"none", nil, ""},
		{"wrong", []string{"x-api-key", "key-on"}, ""},
		{"empty", []string{"x-api-key", "", "Authorization", "Bearer "}, ""},
		{"another scheme", []string{"Authorization", "Basic key-one"}, ""},
		{"no scheme", []string{"Authorization", "key-one"}, ""},
		{"forwarded", []string{"X-Forwarded-For", "127.0.0.1", "X_Api_Key", "key-one", "Proxy-Authorization", "Bearer key-one"}, ""},
	}
	var log logged
	s := newServer(t, completing(endOfTurn, "hi"), log.option, func(o *Options) { o.Keys = []Key{NewKey("key-one"), NewKey("key-two")} })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := post(s, question, tt.header...)
			id, _ := log.exchange(t)["key_id"].(string)
			if id != tt.keyID {
				t.Errorf("key_id %q, want %q", id, tt.keyID)
			}
			if tt.keyID != "" && w.Code != 200 {
				t.Errorf("status %d", w.Code)
			}
			if tt.keyID == "" {
				checkError(t, w.Result(), 401, "authentication_error")
				if w.Header().Get("WWW-Authenticate") == "" {
					t.Error("no WWW-Authenticate")
				}
			}
		})
	}
}

// openAIRoutes are the routes of OpenAI's API.
var openAIRoutes = []string{"/v1/chat/completions", "/v1/chat/completions/*", "/v1/responses", "/v1/responses/*", "/v1/completions", "/v1/embeddings"}

// Every route of the server needs a key.
func TestEveryRouteNeedsAKey(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Keys = []Key{NewKey("key-one")} })
	routes := 0
	refused := func(method, path string) {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, newRequest(method, path, question))
		if strings.HasPrefix(path, "/model/") || strings.HasPrefix(path, "/guardrail/") || strings.HasPrefix(path, "/foundation-models") || strings.HasPrefix(path, "/inference-profiles") ||
			strings.HasPrefix(path, "/imported-models") {
			checkException(t, w.Result(), 403, "UnrecognizedClientException")
			return
		}
		if strings.Contains(path, "/projects/") {
			checkGoogleError(t, w.Result(), 401, "UNAUTHENTICATED")
			return
		}
		if route := chi.NewRouteContext(); s.Handler().(chi.Routes).Match(route, method, path) && slices.Contains(openAIRoutes, route.RoutePattern()) {
			if e := chatFailure(t, w.Result()); w.Code != 401 || orEmpty(e.Code) != "invalid_api_key" {
				t.Errorf("%s: %d %+v", path, w.Code, e)
			}
			return
		}
		checkError(t, w.Result(), 401, "authentication_error")
	}
	err := chi.Walk(s.Handler().(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if routes++; route != "/" {
			refused(method, route)
		}
		return nil
	})
	if err != nil || routes < 5 {
		t.Fatalf("%d routes, %v", routes, err)
	}
	refused("GET", "/v1/messages")
	refused("GET", "/nowhere")
	refused("DELETE", "/")
}
