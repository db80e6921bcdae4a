package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const request = `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}`

func post(h http.Handler, path, body string) (int, string) {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("anthropic-version", "2023-06-01")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Result().Body)
	return w.Code, fmt.Sprint(string(answer), err)
}

func TestFaultsOnCue(t *testing.T) {
	h, err := newHandler("messages", "", "refuse 529 overloaded_error 3", 1, credentials{})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/messages", request, 529, "refused on cue"},
		{"/v1/messages", request, 200, "message_stop"},
		{"/fault", "lie 3", 400, "no fault"},
		{"/fault", "refuse many api_error", 400, "not a number"},
		{"/fault", "stall", 400, "wants EVENTS"},
		{"/fault", "", 400, "named"},
		{"/fault?times=x", "stall 3", 400, "times"},
		{"/fault?times=2", "fail 1 api_error", 200, ""},
		{"/v1/messages", request, 200, "failed on cue"},
		{"/fault", "reply 200 text/html <p>no such page</p>", 200, ""},
		{"/v1/messages", request, 200, "<p>no such page</p>"},
		{"/v1/messages", request, 200, "<p>no such page</p>"},
		{"/fault", "none", 200, ""},
		{"/v1/messages", request, 200, "message_stop"},
	} {
		if status, body := post(h, step.path, step.body); status != step.status || !strings.Contains(body, step.want) {
			t.Errorf("%s %q: %d %s, want %d with %q", step.path, step.body, status, body, step.status, step.want)
		}
	}
}

func TestEveryKind(t *testing.T) {
	for kind := range kinds {
		if _, err := newHandler(kind, "", "none", 0, credentials{lifetime: time.Minute}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := newHandler("oracle", "", "none", 0, credentials{}); err == nil {
		t.Error("there is an oracle")
	}
}
