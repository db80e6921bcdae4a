package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

// listenUnencrypted serves a handler over HTTP/1 and HTTP/2 on a loopback port until the test ends.
func listenUnencrypted(t *testing.T, h http.Handler) *httptest.Server {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetHTTP1(true)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

// sendRaw writes a raw request to a server and returns the answer.
func sendRaw(t *testing.T, srv *httptest.Server, request string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func onLoopback(o *Options) { o.Loopback, o.AdminLoopback = true, true }

func onNetwork(o *Options) { o.Loopback, o.AdminLoopback = false, false }

func named(hosts ...string) func(*Options) { return func(o *Options) { o.Hosts = hosts } }

// A server on loopback answers to the names of loopback and to its configured hosts, so a foreign name that resolves to
// loopback gets nothing. A server that other machines can reach checks names once hosts are configured. The admin
// listener does the same.
func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		host              string
		loopback, network bool // loopback: a server on loopback answers; network: a server with configured hosts does
	}{
		{"localhost", true, true},
		{"LocalHost:8484", true, true},
		{"localhost.:8484", true, true},
		{"dragoman.localhost:1", true, true},
		{"127.0.0.1:8484", true, true},
		{"127.8.8.8", true, true},
		{"[::1]:8484", true, true},
		{"[::1]", true, true},
		{"[::ffff:127.0.0.1]:8484", true, true},
		{"told.example:8484", true, true},
		{"TOLD.example.", true, true},
		{"a.told-too.example", true, true},
		{"a.b.told-too.example:1", true, true},
		{"10.1.2.3:8484", false, true}, // an address: no DNS lookup was involved
		{"[2001:db8::1]:8484", false, true},
		{"told-too.example", false, false},
		{"a.told.example", false, false},
		{"nottold.example", false, false},
		{"localhost.evil.example:8484", false, false},
		{"127.0.0.1.evil.example", false, false},
		{"evil.example:8484", false, false},
		{"evillocalhost", false, false},
		{"x", false, false},
		{"[::1", false, false}, // no host at all
		{"::1]", false, false},
	} {
		for where, answered := range map[string]bool{"loopback": tt.loopback, "network": tt.network} {
			t.Run(where+" "+tt.host, func(t *testing.T) {
				reach := map[string]func(*Options){"loopback": onLoopback, "network": onNetwork}[where]
				var log logged
				s := newServer(t, completing(endOfTurn, "hi"), reach, log.option, named("Told.example:80", "*.told-too.example"))
				clients, operators := listenUnencrypted(t, s.Handler()), listenUnencrypted(t, s.Admin())
				want := http.StatusOK
				if !answered {
					want = http.StatusForbidden
				}
				ask := "POST /v1/messages HTTP/1.1\r\nHost: " + tt.host + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s", len(question), question)
				res, body := sendRaw(t, clients, ask)
				if res.StatusCode != want || !answered && !strings.Contains(body, `"type":"permission_error"`) {
					t.Errorf("clients: status %d: %s", res.StatusCode, body)
				}
				if got := log.exchange(t); got["status"] != float64(want) || !answered && got["error_type"] != "permission_error" {
					t.Errorf("logged %v", got)
				}
				if res, body := sendRaw(t, operators, "GET /metrics HTTP/1.1\r\nHost: "+tt.host+"\r\n\r\n"); res.StatusCode != want {
					t.Errorf("operators: status %d: %s", res.StatusCode, body)
				}
				for _, path := range []string{"/healthz", "/readyz"} {
					if res, _ := sendRaw(t, operators, "GET "+path+" HTTP/1.1\r\nHost: "+tt.host+"\r\n\r\n"); res.StatusCode != http.StatusOK {
						t.Errorf("%s: status %d", path, res.StatusCode)
					}
				}
				if strings.Contains(log.String(), "example") {
					t.Errorf("the log has the header: %s", log.String())
				}
			})
		}
	}
}

// HTTP may have the host of a request in three places: in the URL of the request line, in :authority, or nowhere.
func TestHostOfRequest(t *testing.T) {
	srv := listenUnencrypted(t, newServer(t, completing(endOfTurn, "hi"), onLoopback).Handler())
	for request, want := range map[string]int{
		"GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n": 403,
		"GET http://localhost/v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n": 200,
		"GET /v1/models HTTP/1.0\r\n\r\n":                                       200,
		"GET /v1/models HTTP/1.0\r\nHost: evil.example\r\n\r\n":                 403,
		"GET /v1/models HTTP/1.1\r\n\r\n":                                       400,
	} {
		if res, body := sendRaw(t, srv, request); res.StatusCode != want {
			t.Errorf("%q: status %d: %s", request, res.StatusCode, body)
		}
	}
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	for host, want := range map[string]int{"evil.example": 403, "localhost": 200} {
		r, err := http.NewRequest("GET", srv.URL+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		res, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want || res.ProtoMajor != 2 {
			t.Errorf(":authority %s: %s, status %d", host, res.Proto, res.StatusCode)
		}
	}
}

// Without a key, a page of another origin gets nothing but a 403 in the form of the API, before its body is read.
func TestForeignOrigin(t *testing.T) {
	app := func(o *Options) { o.Origins = []string{"https://app.example"} }
	keys := func(o *Options) { o.Keys = []Key{NewKey("secret")} }
	for _, tt := range []struct {
		origin   string
		change   func(*Options)
		answered bool
	}{
		{"https://evil.example", onLoopback, false},
		{"https://evil.example", onNetwork, false},
		{"https://evil.example", app, false},
		{"http://localhost:3000", onLoopback, false},
		{"null", onLoopback, false},
		{"http://", onLoopback, false},
		{"https://app.example.evil.example", app, false},
		{"http://app.example", app, false},
		{"https://app.example", app, true},
		{"http://LOCALHOST:8484", onLoopback, true}, // its own
		{"https://localhost:8484", onLoopback, false},
		{"ftp://localhost:8484", onLoopback, false},
		{"https://evil.example", keys, true}, // the key decides
	} {
		t.Run(tt.origin, func(t *testing.T) {
			s := newServer(t, completing(endOfTurn, "hi"), tt.change)
			clients, operators := listenUnencrypted(t, s.Handler()), listenUnencrypted(t, s.Admin())
			head := " HTTP/1.1\r\nHost: localhost:8484\r\nX-Api-Key: secret\r\nContent-Type: text/plain\r\nOrigin: " + tt.origin + "\r\n"
			for path, body := range map[string]string{
				"/v1/messages":                      question,
				"/model/claude-2.1/converse-stream": `{"messages":[{"role":"user","content":[{"text":"Hello"}]}]}`,
			} {
				res, answer := sendRaw(t, clients, "POST "+path+head+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
				if tt.answered != (res.StatusCode == 200) || !tt.answered && res.StatusCode != 403 {
					t.Errorf("%s: status %d: %s", path, res.StatusCode, answer)
				}
				if refused := res.Header.Get("X-Amzn-ErrorType"); !tt.answered && strings.HasPrefix(path, "/model/") && refused != "AccessDeniedException" {
					t.Errorf("%s: %q", path, refused)
				}
			}
			own := tt.origin == "http://LOCALHOST:8484" // the admin listener has no configured origins
			if res, body := sendRaw(t, operators, "GET /metrics"+head+"\r\n"); own != (res.StatusCode == 200) || !own && res.StatusCode != 403 {
				t.Errorf("/metrics: status %d: %.200s", res.StatusCode, body)
			}
		})
	}
}

// A server that other machines can reach and that has no configured hosts answers to any name, such as the name of a
// Kubernetes or Compose service.
func TestHostsThatNobodyTold(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), onNetwork)
	clients, operators := listenUnencrypted(t, s.Handler()), listenUnencrypted(t, s.Admin())
	for _, host := range []string{"dragoman:8484", "dragoman.my-team.svc.cluster.local:8484", "10.1.2.3:8485"} {
		if res, body := sendRaw(t, clients, "GET /v1/models HTTP/1.1\r\nHost: "+host+"\r\n\r\n"); res.StatusCode != http.StatusOK {
			t.Errorf("clients: status %d: %s", res.StatusCode, body)
		}
		if res, body := sendRaw(t, operators, "GET /metrics HTTP/1.1\r\nHost: "+host+"\r\n\r\n"); res.StatusCode != http.StatusOK {
			t.Errorf("operators: status %d: %s", res.StatusCode, body)
		}
	}
}

// Every route of the admin listener rejects pages, except the routes that only say that the server is there.
func TestEveryAdminRouteIsGuarded(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), onLoopback)
	guarded := 0
	err := chi.Walk(s.Admin().(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		for _, header := range []string{"Host", "Origin"} {
			r := newRequest(method, "http://localhost"+route, "")
			if r.Header.Set(header, "https://evil.example"); header == "Host" {
				r.Host = "evil.example"
			}
			w := httptest.NewRecorder()
			s.Admin().ServeHTTP(w, r)
			want := http.StatusForbidden
			if route == "/healthz" || route == "/readyz" {
				want = http.StatusOK
			} else {
				guarded++
			}
			if w.Code != want {
				t.Errorf("%s %s with the wrong %s: status %d, want %d", method, route, header, w.Code, want)
			}
		}
		return nil
	})
	if err != nil || guarded == 0 {
		t.Errorf("%d guarded, %v", guarded, err)
	}
}
