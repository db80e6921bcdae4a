package conformance

import (
	"encoding/json"
	"net/http"
	"testing"
)

// Dialect is the API that a client speaks: it checks how that tells of a failure which the Messages
// API would answer with the status and the type; 200 if it is in a stream.
type Dialect func(t *testing.T, f *Failure, status int, kind string)

// Messages is the Messages API.
func Messages(t *testing.T, f *Failure, status int, kind string) {
	t.Helper()
	var body struct {
		Type  string
		Error struct{ Type, Message string }
	}
	read(t, f, &body)
	if f.Status != status || body.Type != "error" || body.Error.Type != kind || body.Error.Message == "" {
		t.Errorf("failure is %d %s, want %d %s", f.Status, f.Body, status, kind)
	}
}

// Vertex is the API of Vertex AI: what Google's front end finds out is told in its words.
func Vertex(t *testing.T, f *Failure, status int, kind string) {
	t.Helper()
	name, google := map[int]string{http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusNotFound: "NOT_FOUND"}[status]
	if !google {
		Messages(t, f, status, kind)
		return
	}
	var body struct {
		Error struct {
			Code            int
			Message, Status string
		}
	}
	read(t, f, &body)
	if f.Status != status || body.Error.Code != status || body.Error.Status != name || body.Error.Message == "" {
		t.Errorf("failure is %d %s, want %d %s", f.Status, f.Body, status, name)
	}
}

// Bedrock is the InvokeModel API of Bedrock, whose failures before a stream have its statuses. In a
// stream, Anthropic's libraries are told those of the Messages API.
func Bedrock(t *testing.T, f *Failure, status int, kind string) {
	t.Helper()
	if status == http.StatusOK {
		Messages(t, f, status, kind)
		return
	}
	var body struct{ Message string }
	read(t, f, &body)
	want := map[string]int{"authentication_error": http.StatusForbidden, "api_error": http.StatusInternalServerError}[kind]
	if want == 0 {
		want = status
	}
	if f.Status != want || body.Message == "" {
		t.Errorf("failure is %d %s, want %d", f.Status, f.Body, want)
	}
}

// read reads the body of a failure.
func read(t *testing.T, f *Failure, body any) {
	t.Helper()
	if err := json.Unmarshal([]byte(f.Body), body); err != nil {
		t.Fatalf("body is not JSON: %s", f.Body)
	}
}
