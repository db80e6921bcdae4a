package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func scrape(t *testing.T, s *Server) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.Admin().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	return w.Body.String()
}

func TestRoutes(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	tests := []struct {
		method, path string
		status       int
		typ          string // of an error
		allow        string
	}{
		{"GET", "/", 200, "", ""},
		{"HEAD", "/", 200, "", ""},
		{"POST", "/v1/messages", 200, "", ""},
		{"POST", "/v1/messages?beta=true&x=%2F", 200, "", ""},
		{"POST", "/messages", 200, "", ""},
		{"POST", "/v1/v1/messages", 200, "", ""},
		{"POST", "/anthropic/v1/messages?beta=true", 200, "", ""},
		{"POST", "/v1/messages/count_tokens?beta=true", 200, "", ""},
		{"POST", "/anthropic/v1/messages/count_tokens", 200, "", ""},
		{"POST", "/anthropic/messages?beta=true", 200, "", ""},
		{"POST", "/anthropic/v1/v1/messages", 200, "", ""},
		{"POST", "/anthropic//v1//messages/count_tokens", 200, "", ""},
		{"POST", "/v1/v1/messages/count_tokens", 200, "", ""},
		{"GET", "/models?limit=5", 200, "", ""},
		{"GET", "/v1/v1/models", 200, "", ""},
		{"GET", "/anthropic/v1/models", 200, "", ""},
		{"GET", "/anthropic/models/claude-2.1", 200, "", ""},
		{"GET", "/models?limit=0", 400, "invalid_request_error", ""},
		{"GET", "/anthropic/messages", 405, "invalid_request_error", "POST"},
		{"POST", "/models", 405, "invalid_request_error", "GET"},
		{"POST", "/v1/v1/v1/messages", 404, "not_found_error", ""},
		{"POST", "/v1/anthropic/messages", 404, "not_found_error", ""},
		{"POST", "/anthropicmessages", 404, "not_found_error", ""},
		{"POST", "/v1messages", 404, "not_found_error", ""},
		{"POST", "/anthropic/v1", 404, "not_found_error", ""},
		{"POST", "/other/v1/messages", 404, "not_found_error", ""},
		{"GET", "/v1/models?beta=true", 200, "", ""},
		{"GET", "/v1/models/claude-2.1?beta=true", 200, "", ""},
		{"GET", "/v1/models/gpt", 404, "not_found_error", ""},
		{"POST", "/v1/models", 405, "invalid_request_error", "GET"},
		{"POST", "/v1/complete", 404, "not_found_error", ""},
		{"DELETE", "/v1/messages/batches/b1", 404, "not_found_error", ""},
		{"POST", "/v1/projects/p/locations/l/publishers/anthropic/models/claude-2.1:rawPredict", 200, "", ""},
		{"POST", "/projects/p/locations/global/publishers/anthropic/models/claude-2.1:streamRawPredict", 200, "", ""},
		{"GET", "/v1/messages", 405, "invalid_request_error", "POST"},
		{"PROPFIND", "/v1/messages", 405, "invalid_request_error", "POST"},
		{"DELETE", "/", 405, "invalid_request_error", "GET, HEAD"},
		{"GET", "/favicon.ico", 404, "not_found_error", ""},
		{"POST", "/v1/messages/", 404, "not_found_error", ""},
		{"POST", "//v1/messages", 200, "", ""},
		{"POST", "/x/../v1/messages", 404, "not_found_error", ""},
		{"POST", "/v1/%6dessages", 404, "not_found_error", ""},
		{"POST", "/v1/messages%2Fx", 404, "not_found_error", ""},
		{"GET", "/metrics", 404, "not_found_error", ""},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, newRequest(tt.method, tt.path, question))
			res := w.Result()
			if res.StatusCode != tt.status || !isRequestID(res.Header.Get("request-id")) {
				t.Errorf("status %d, request-id %q", res.StatusCode, res.Header.Get("request-id"))
			}
			if tt.typ != "" {
				checkError(t, res, tt.status, tt.typ)
			}
			if got := strings.Join(res.Header.Values("Allow"), ", "); got != tt.allow {
				t.Errorf("Allow %q, want %q", got, tt.allow)
			}
		})
	}
}

func TestHead(t *testing.T) {
	srv := listen(t, newServer(t, completing(endOfTurn)))
	res, err := srv.Client().Head(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != 200 || len(body) > 0 || err != nil {
		t.Errorf("status %d, body %q, %v", res.StatusCode, body, err)
	}
}

func TestClientRequestID(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	for id, want := range map[string]string{
		"abc-123/x:y.z_Z=": "abc-123/x:y.z_Z=", "": "", "a b": "", "<script>": "", "a,b": "", `"`: "",
		strings.Repeat("a", 128): strings.Repeat("a", 128), strings.Repeat("a", 129): "",
	} {
		if got := post(s, question, "x-request-id", id).Header().Get("x-request-id"); got != want {
			t.Errorf("x-request-id %q came back as %q", id, got)
		}
	}
}

// If an operator opens the inspector while it is off, or takes the admin listener for the client listener, the error
// says so.
func TestAdminSaysWhere(t *testing.T) {
	for path, want := range map[string]string{
		"/inspector/": "--inspect", "/inspector": "--inspect", "/v1/messages": "the key listen", "/": "/healthz, /readyz",
	} {
		w := httptest.NewRecorder()
		newServer(t, completing(endOfTurn, "hi")).Admin().ServeHTTP(w, newRequest("GET", path, ""))
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %q, want %q", path, w.Code, w.Body, want)
		}
	}
}

func TestAdmin(t *testing.T) {
	s := newServer(t, completing(endOfTurn))
	get := func(path string) int {
		w := httptest.NewRecorder()
		s.Admin().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code
	}
	for _, tt := range []struct {
		healthz, readyz int
		then            func()
	}{{200, 200, s.Drain}, {200, 503, func() {}}} {
		if healthz, readyz := get("/healthz"), get("/readyz"); healthz != tt.healthz || readyz != tt.readyz {
			t.Errorf("healthz %d, readyz %d; want %d, %d", healthz, readyz, tt.healthz, tt.readyz)
		}
		tt.then()
	}
	if got := get("/v1/messages"); got != 404 {
		t.Errorf("the admin listener answers a client with %d", got)
	}
	if w := post(s, question); w.Code == 404 {
		t.Error("a draining server does not answer")
	}
}

func zip(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBody(t *testing.T) {
	const limit = 1000
	padded := func(n int) string { return question + strings.Repeat(" ", n-len(question)) }
	packed := zip(t, question)
	tests := []struct {
		name     string
		body     string
		encoding string
		status   int
		typ      string
	}{
		{"as long as may be", padded(limit), "", 200, ""},
		{"too long", padded(limit + 1), "", 413, "request_too_large"},
		{"identity", question, "identity", 200, ""},
		{"gzip", packed, "gzip", 200, ""},
		{"gzip, written large", packed, "GZIP", 200, ""},
		{"gzip, as long as may be", zip(t, padded(limit)), "gzip", 200, ""},
		{"gzip, too long unpacked", zip(t, padded(limit+1)), "gzip", 413, "request_too_large"},
		{"gzip bomb", zip(t, padded(1<<20)), "gzip", 413, "request_too_large"},
		{"not gzip", question, "gzip", 400, "invalid_request_error"},
		{"gzip with a wrong checksum", packed[:len(packed)-8] + "\x00\x00\x00\x00" + packed[len(packed)-4:], "gzip", 400, "invalid_request_error"},
		{"cut gzip", packed[:len(packed)-9], "gzip", 400, "invalid_request_error"},
		{"unknown encoding", question, "br", 400, "invalid_request_error"},
		{"empty", "", "", 400, "invalid_request_error"},
		{"not JSON", "{", "", 400, "invalid_request_error"},
		{"two values", question + "{}", "", 400, "invalid_request_error"},
		{"a name twice", `{"model":"x",` + question[1:], "", 400, "invalid_request_error"},
	}
	srv := listen(t, newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.BodyBytes = limit }))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, chunked := range []bool{false, true} {
				var body io.Reader = strings.NewReader(tt.body)
				if chunked {
					body = io.MultiReader(body)
				}
				r, err := http.NewRequest("POST", srv.URL+"/v1/messages", body)
				if err != nil {
					t.Fatal(err)
				}
				if tt.encoding != "" {
					r.Header.Set("Content-Encoding", tt.encoding)
				}
				res, err := srv.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				if tt.typ != "" {
					checkError(t, res, tt.status, tt.typ)
				} else if res.StatusCode != tt.status {
					t.Errorf("status %d, want %d", res.StatusCode, tt.status)
				}
				res.Body.Close()
			}
		})
	}
}

func TestVersion(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	warm := `{"temperature":0.5,` + question[1:]
	for version, want := range map[string]int{"": 200, "2023-06-01": 200, "2030-01-01": 200, "2026-10-21": 400} {
		if got := post(s, warm, "anthropic-version", version).Code; got != want {
			t.Errorf("version %q: status %d, want %d", version, got, want)
		}
	}
}

// TestUnfinishedBody: a request that is rejected without its body is answered at once, and its connection reads nothing
// more.
func TestUnfinishedBody(t *testing.T) {
	srv := listen(t, newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Keys = []Key{NewKey("secret")} }))
	for path, status := range map[string]int{"/v1/messages": http.StatusUnauthorized, "/nope": http.StatusUnauthorized} {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhello", path)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != status || !resp.Close {
			t.Errorf("%s: status %d, close %t", path, resp.StatusCode, resp.Close)
		}
	}
}

// TestFieldsMakeNoSeries: field names with dots look like paths of the API.
func TestFieldsMakeNoSeries(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	for _, name := range []string{"system.tools.type", "messages.content.text", "a.b"} {
		if w := post(s, strings.Replace(question, "{", `{"`+name+`":1,`, 1)); w.Code != 200 {
			t.Fatalf("%s: status %d", name, w.Code)
		}
	}
	w := httptest.NewRecorder()
	s.Admin().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if got := strings.Count(w.Body.String(), "dragoman_dropped_fields_total{"); got != 1 {
		t.Errorf("%d series", got)
	}
}
