package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	vertexModels   = "/v1/projects/p1/locations/us-east5/publishers/anthropic/models/"
	vertexQuestion = `{"anthropic_version":"vertex-2023-10-16",` + `"stream":true,` +
		`"max_tokens":100,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],` +
		`"tools":[{"name":"get_weather","description":"Weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}`
)

// checkGoogleError checks an answer that is an error of Google's front end.
func checkGoogleError(t *testing.T, w *http.Response, status int, name string) {
	t.Helper()
	var e struct {
		Error struct {
			Code            int
			Message, Status string
			Details         []any
		}
	}
	if err := json.NewDecoder(w.Body).Decode(&e); err != nil {
		t.Fatal(err)
	}
	if w.StatusCode != status || e.Error.Code != status || e.Error.Status != name || e.Error.Message == "" || e.Error.Details == nil {
		t.Errorf("status %d, %+v; want %d, %s", w.StatusCode, e, status, name)
	}
}

func vertexPost(s *Server, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	answerTo(s, w, newRequest("POST", path, body))
	return w
}

// The method decides whether the answer is streamed, and the path who answers.
func TestVertex(t *testing.T) {
	for _, model := range []string{"claude-3-haiku@20240307", "claude-3-haiku%4020240307", "claude-2.1"} {
		for _, prefix := range []string{"", "/v1"} {
			up := &asked{Upstream: completing(endOfCall, weather...)}
			s := newServer(t, up)
			path := prefix + strings.TrimPrefix(vertexModels, "/v1") + model
			whole := vertexPost(s, path+":rawPredict", vertexQuestion)
			var want message
			if err := json.Unmarshal(whole.Body.Bytes(), &want); err != nil || whole.Code != 200 {
				t.Fatalf("%s: status %d, %s", path, whole.Code, whole.Body)
			}
			if model := strings.Replace(model, "%40", "@", 1); want.Model != model || want.StopReason != "tool_use" {
				t.Errorf("message %+v", want)
			}
			stream := vertexPost(s, path+":streamRawPredict", strings.Replace(vertexQuestion, `"stream":true,`, "", 1))
			got := accumulate(t, readFrames(t, stream.Body))
			got.ID, want.ID = "", ""
			for _, m := range []*message{&got, &want} {
				for i := range m.Content {
					m.Content[i].ID = ""
				}
			}
			if diff := cmp.Diff(want.Content, got.Content); diff != "" || !strings.HasPrefix(stream.Header().Get("Content-Type"), "text/event-stream") {
				t.Errorf("streamed as %s: %s", stream.Header().Get("Content-Type"), diff)
			}
		}
	}
}

func TestVertexCount(t *testing.T) {
	s := newServer(t, &counting{})
	w := vertexPost(s, vertexModels+"count-tokens:rawPredict", `{"anthropic_version":"2026-10-21","model":"claude-2.1","messages":[{"role":"user","content":"Hi"}]}`)
	if w.Code != 200 || w.Body.String() != `{"input_tokens":123}` {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

func TestVertexFailures(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	for path, status := range map[string]int{
		vertexModels + "gpt:rawPredict":                                  404,
		vertexModels + "claude-2.1:predict":                              404,
		vertexModels + "claude-2.1":                                      404,
		vertexModels + ":rawPredict":                                     404,
		vertexModels + "count-tokens:streamRawPredict":                   400,
		"/v1/projects/p1/locations/x/endpoints/openapi/chat/completions": 404,
		"/projects/p1": 404,
		strings.Replace(vertexModels, "p1", "p%2F1", 1) + "claude-2.1:rawPredict":       400,
		strings.Replace(vertexModels, "us-east5", "x%20y", 1) + "claude-2.1:rawPredict": 400,
	} {
		w := vertexPost(s, path, vertexQuestion).Result()
		if status == 404 {
			checkGoogleError(t, w, 404, "NOT_FOUND")
		} else {
			checkError(t, w, status, "invalid_request_error")
		}
	}
	// What the Messages API says has its own shape, with the place in the request.
	w := vertexPost(s, vertexModels+"claude-2.1:rawPredict", `{"anthropic_version":"vertex-2023-10-16","max_tokens":1,"messages":[]}`).Result()
	if got := checkError(t, w, 400, "invalid_request_error"); !strings.Contains(got, "messages") {
		t.Error(got)
	}
	throttled := &flaky{always: throttled}
	checkError(t, vertexPost(newServer(t, throttled), vertexModels+"claude-2.1:rawPredict", vertexQuestion).Result(), 429, "rate_limit_error")
}

func TestModels(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) {
		o.Models = nil
		for _, name := range []string{"a", "b*", "c", "c", "d", "e/f"} {
			o.Models = append(o.Models, Model{Name: name, Way: Way{Upstream: "east"}})
		}
	})
	get := func(path string) *http.Response {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, newRequest("GET", path, ""))
		return w.Result()
	}
	for query, want := range map[string]string{
		"":                       "a c d e/f|false|a|e/f",
		"?beta=true&limit=2":     "a c|true|a|c",
		"?limit=2&after_id=c":    "d e/f|false|d|e/f",
		"?limit=1&after_id=c":    "d|true|d|d",
		"?after_id=e/f":          "|false||",
		"?limit=2&before_id=e/f": "c d|true|c|d",
		"?limit=2&before_id=d":   "a c|false|a|c",
		"?before_id=a":           "|false||",
	} {
		var page struct {
			Data    []struct{ Type, ID string }
			HasMore bool    `json:"has_more"`
			First   *string `json:"first_id"`
			Last    *string `json:"last_id"`
		}
		if err := json.NewDecoder(get("/v1/models" + query).Body).Decode(&page); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range page.Data {
			if names = append(names, m.ID); m.Type != "model" {
				t.Errorf("%+v", m)
			}
		}
		text := func(s *string) string {
			if s == nil {
				return ""
			}
			return *s
		}
		if got := strings.Join(names, " ") + "|" + map[bool]string{true: "true", false: "false"}[page.HasMore] + "|" + text(page.First) + "|" + text(page.Last); got != want || page.Data == nil {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=x", "?limit=1001", "?after_id=z", "?before_id=b"} {
		checkError(t, get("/v1/models"+query), 400, "invalid_request_error")
	}
	for path, status := range map[string]int{"a": 200, "bcd": 200, "e%2Ff": 200, "e/f": 200, "z": 404} {
		if w := get("/v1/models/" + path); w.StatusCode != status {
			t.Errorf("%s: status %d", path, w.StatusCode)
		}
	}
}

// What is not served says what is.
func TestNotServed(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	for _, path := range []string{"/v1/complete", "/v1/messages/batches", "/v1/messages/batches/b1/results"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, newRequest(method, path, "{}"))
			if got := checkError(t, w.Result(), 404, "not_found_error"); !strings.Contains(got, "POST /v1/messages") {
				t.Error(got)
			}
		}
	}
	if w := vertexPost(s, "/anthropic/v1/messages", question); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
}
