package proxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// corsHeaders returns the headers of an answer that are for browsers.
func corsHeaders(h http.Header) string {
	var found []string
	for _, name := range []string{"Allow-Origin", "Allow-Methods", "Allow-Headers", "Max-Age", "Expose-Headers", "Allow-Credentials"} {
		if value := h.Get("Access-Control-" + name); value != "" {
			found = append(found, name+": "+value)
		}
	}
	return strings.Join(found, "; ")
}

// wantedHeaders are the headers that Anthropic's JavaScript library asks a browser to allow.
const wantedHeaders = "anthropic-beta,anthropic-dangerous-direct-browser-access,anthropic-version,content-type,x-api-key,x-dragoman-dry-run,x-stainless-arch"

// A page of a configured origin may call the API: its preflight needs no key, and it can read every answer, including
// errors. No other page gets CORS headers.
func TestCORS(t *testing.T) {
	app := func(o *Options) { o.Origins = []string{"https://app.example", "app://local"} }
	none := func(*Options) {}
	const allowed = "; Allow-Methods: GET, HEAD, POST; Allow-Headers: " + wantedHeaders + "; Max-Age: 600; Expose-Headers: *"
	for _, tt := range []struct {
		name, method, path, origin string
		change                     func(*Options)
		status                     int
		cors                       string
		exchange                   bool // the request starts an exchange
	}{
		{"preflight", "OPTIONS", "/v1/messages", "https://app.example", app, 204, "Allow-Origin: https://app.example" + allowed, false},
		{"preflight of another named one", "OPTIONS", "/model/m/converse", "app://local", app, 204, "Allow-Origin: app://local" + allowed, false},
		{"preflight of no named one", "OPTIONS", "/v1/messages", "https://evil.example", app, 204, "", false},
		{"preflight while it is off", "OPTIONS", "/v1/messages", "https://app.example", none, 401, "", true},
		{"OPTIONS without origin", "OPTIONS", "/v1/messages", "", app, 401, "", true},
		{"answer", "POST", "/v1/messages", "https://app.example", app, 200, "Allow-Origin: https://app.example; Expose-Headers: *", true},
		{"failure", "POST", "/nothing", "https://app.example", app, 404, "Allow-Origin: https://app.example; Expose-Headers: *", true},
		{"answer to no named one", "POST", "/v1/messages", "https://evil.example", app, 200, "", true},
		{"answer without origin", "POST", "/v1/messages", "", app, 200, "", true},
		{"answer while it is off", "POST", "/v1/messages", "https://app.example", none, 200, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log logged
			s := newServer(t, completing(endOfTurn, "hi"), log.option, tt.change, func(o *Options) { o.Keys = []Key{NewKey("secret")} })
			r := newRequest(tt.method, tt.path, question)
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if tt.method == http.MethodOptions {
				r.Header.Set("Access-Control-Request-Method", "POST")
				r.Header.Set("Access-Control-Request-Headers", wantedHeaders)
			} else {
				r.Header.Set("X-Api-Key", "secret")
			}
			w := httptest.NewRecorder()
			answerTo(s, w, r)
			if got := corsHeaders(w.Header()); w.Code != tt.status || got != tt.cors {
				t.Errorf("status %d, %q; want %d, %q", w.Code, got, tt.status, tt.cors)
			}
			if on := len(s.origins) > 0; on != (w.Header().Get("Vary") == "Origin") {
				t.Errorf("Vary: %q", w.Header().Get("Vary"))
			}
			if !isRequestID(w.Header().Get("Request-Id")) {
				t.Error("no request-id")
			}
			if tt.exchange != strings.Contains(log.String(), `"exchange"`) {
				t.Errorf("logged %s", log.String())
			}
		})
	}
}

// If the value is not a list of header names, the answer does not repeat it.
func TestCORSRequestedHeaders(t *testing.T) {
	s := newServer(t, completing(endOfTurn), func(o *Options) { o.Origins = []string{"https://app.example"} })
	for wanted, allowed := range map[string]bool{"x-api-key": true, "x-api-key, content-type": true, "": false, "x: y": false, "*": false, "<b>": false} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, newRequest("OPTIONS", "/v1/messages", "", "Origin", "https://app.example",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", wanted))
		got := w.Header().Get("Access-Control-Allow-Headers")
		if allowed != (got == wanted && got != "") || !allowed && got != "" {
			t.Errorf("%q: allowed %q", wanted, got)
		}
	}
}
