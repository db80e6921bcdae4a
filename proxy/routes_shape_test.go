package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestShapeOfAPath(t *testing.T) {
	for path, want := range map[string]string{
		"/":                               "/",
		"/v1/messages":                    "/v1/messages",
		"/v1/secret/messages":             "/v1/*/messages",
		"//v1//x":                         "//v1//*",
		"/model/a:b/converse":             "/model/*/converse",
		"/v1/projects/p/locations/global": "/v1/projects/*/locations/*",
		strings.Repeat("/x", 1000):        strings.Repeat("/*", 11),
	} {
		if got := shapeOf(path); got != want {
			t.Errorf("%.100s: %s, want %s", path, got, want)
		}
	}
}

// A panic outside of an exchange is also logged on one line, without its value.
func TestPanicOutsideOfAnExchange(t *testing.T) {
	var log logged
	s := newServer(t, completing(endOfTurn, "hi"), log.option)
	h := s.incoming(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("c4n4ry") }))
	func() {
		defer func() {
			if v := recover(); v != http.ErrAbortHandler {
				t.Errorf("net/http would log %v", v)
			}
		}()
		h.ServeHTTP(httptest.NewRecorder(), newRequest("GET", "/", ""))
	}()
	if line := log.String(); strings.Count(line, "\n") != 1 || !json.Valid([]byte(line)) || !strings.Contains(line, "panic with a string") || strings.Contains(line, "c4n4ry") {
		t.Errorf("logged %s", line)
	}
}

// Of a deep stack, the innermost calls are logged, with a note that there are more.
func TestDeepPanic(t *testing.T) {
	var log logged
	s := newServer(t, completing(endOfTurn, "hi"), log.option)
	var deep func(n int)
	deep = func(n int) {
		if n == 0 {
			panic("c4n4ry")
		}
		deep(n - 1)
	}
	err := recoverPanic(func() error { deep(1000); return nil })
	logPanic(&s.log, err.(*panicError), "req_1")
	line := log.String()
	if len(line) > 8<<10 || !json.Valid([]byte(line)) || !strings.Contains(line, "… (cut)") || !strings.Contains(line, "TestDeepPanic") || strings.Contains(line, "c4n4ry") {
		t.Errorf("logged %d bytes: %s", len(line), line)
	}
}
