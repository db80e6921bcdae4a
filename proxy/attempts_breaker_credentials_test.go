package proxy

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/upstream"
)

// readiness returns the status and the body of /readyz.
func readiness(s *Server) (int, string) {
	w := httptest.NewRecorder()
	s.Admin().ServeHTTP(w, newRequest("GET", "/readyz", ""))
	return w.Code, w.Body.String()
}

// /readyz and the metrics name the upstream whose credentials fail, until a call succeeds.
func TestCredentialsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fault := func(f upstream.CredentialsFault) error {
			return &upstream.Error{Status: 502, Type: "api_error", Message: "ours", Credentials: f, Final: true}
		}
		var east error
		s := newServer(t, newFleet(func(string) error { return east }), func(o *Options) {
			o.Routes = append(o.Routes, Route{Name: "west", UpstreamModel: UpstreamModel{Upstream: "west"}})
			o.Upstreams["west"] = play(newFleet(func(string) error { return nil }))
		})
		check := func(when, line, value string) {
			t.Helper()
			if status, body := readiness(s); status != 200 || body != "ready\n"+line {
				t.Errorf("%s: %d %q", when, status, body)
			}
			metrics := scrape(t, s)
			for _, want := range []string{`{upstream="east"} ` + value, `{upstream="west"} 1`} {
				if !strings.Contains(metrics, "dragoman_upstream_credentials_ok"+want+"\n") {
					t.Errorf("%s: no %s", when, want)
				}
			}
		}
		check("at first", "", "1")
		began := time.Now().UTC().Format(time.RFC3339)
		east = fault(upstream.CredentialsMissing)
		post(s, question)
		check("missing", "upstream east: credentials missing since "+began+"\n", "0")
		time.Sleep(time.Hour)
		east = fault(upstream.CredentialsRefused)
		post(s, question)
		check("refused", "upstream east: credentials refused since "+began+"\n", "0")
		east = busy
		post(s, question)
		check("another failure", "upstream east: credentials refused since "+began+"\n", "0")
		east = nil
		post(s, question)
		check("a success", "", "1")
	})
}

func TestCircuitIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var err error
		s := newServer(t, newFleet(func(string) error { return err }), entries("claude-a", "claude-b"))
		check := func(value string) {
			t.Helper()
			if got := scrape(t, s); !strings.Contains(got, `dragoman_circuit_open{upstream="east"} `+value+"\n") {
				t.Errorf("no %s in %s", value, got)
			}
		}
		check("0")
		err = busy
		for range tripAfter {
			post(s, askFor("claude-a"))
			post(s, askFor("claude-b"))
		}
		check("2")
		err = &upstream.Error{Status: 502, Type: "api_error", Unreachable: true}
		for range tripAfter {
			post(s, askFor("claude-c"))
		}
		check("3")
		err = nil
		time.Sleep(openFor)
		post(s, askFor("claude-a"))
		check("1")
		time.Sleep(forgetAfter)
		check("0")
	})
}
