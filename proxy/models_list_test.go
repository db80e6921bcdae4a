package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
)

func TestModels(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) {
		o.Routes = nil
		for _, name := range []string{"a", "b*", "c", "c", "d", "e/f"} {
			o.Routes = append(o.Routes, Route{Name: name, UpstreamModel: UpstreamModel{Upstream: "east"}})
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
	for path, status := range map[string]int{"a": 200, "bcd": 200, "e%2Ff": 200, "e/f": 200, "z": 404, "": 404, "b%ff": 404} {
		if w := get("/v1/models/" + path); w.StatusCode != status {
			t.Errorf("%s: status %d", path, w.StatusCode)
		}
	}
}

// The error for an unserved path says which paths are served.
func TestNotServed(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	for _, path := range []string{
		"/v1/complete", "/v1/messages/batches", "/v1/messages/batches/b1/results", "/v1/files", "/v1/files/f/content",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, newRequest(method, path, "{}"))
			if got := checkError(t, w.Result(), 404, "not_found_error"); !strings.Contains(got, "POST /v1/messages") || !strings.Contains(got, "(/v1/") {
				t.Error(path, got)
			}
		}
	}
	for path, want := range map[string]string{
		"/v1/responses": "POST /v1/chat/completions", "/responses/r1": "POST /v1/chat/completions", "/v1/v1/completions": "POST /v1/chat/completions",
		"/v1/chat/completions/c1": "POST /v1/chat/completions", "/v1/embeddings": "--no-openai",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, newRequest(method, path, "{}"))
			if e := chatFailure(t, w.Result()); w.Code != 404 || !strings.Contains(e.Message, want) || !strings.Contains(e.Message, "(/v1/") {
				t.Error(path, w.Code, e)
			}
		}
	}
	if w := vertexPost(s, "/chat/completions", chatQuestion); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
	if w := vertexPost(s, "/anthropic/v1/messages", question); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
}

// If an upstream lists the context window of a model, the proxy reports it under every name of that model.
func TestModelsWindow(t *testing.T) {
	east := &listing{window: 8192, answer: func(context.Context, int64) ([]string, error) { return []string{"m"}, nil }}
	s := newServer(t, east, func(o *Options) {
		o.Upstreams["mute"] = play(completing(endOfTurn, "hi"))
		o.Routes = []Route{{Name: "alias", UpstreamModel: UpstreamModel{Upstream: "east", Model: "m"}}, passing("other", "east"), passing("quiet", "mute"), passing("*", "east")}
	})
	var page struct {
		Data []struct {
			ID     string `json:"id"`
			Window *int   `json:"max_input_tokens"`
		} `json:"data"`
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, newRequest("GET", "/v1/models", ""))
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || len(page.Data) != 4 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	for _, m := range page.Data {
		one := httptest.NewRecorder()
		s.Handler().ServeHTTP(one, newRequest("GET", "/v1/models/"+m.ID, ""))
		known := m.ID == "alias" || m.ID == "m"
		if known != (m.Window != nil && *m.Window == 8192) || known != strings.Contains(one.Body.String(), `"max_input_tokens":8192,`) {
			t.Errorf("%s: %s %s", m.ID, w.Body, one.Body)
		}
	}
}

// The proxy reports a model's limit of output tokens from the entry, the family, or the model's own error.
func TestModelsMaxTokens(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) {
		o.Routes = []Route{{Name: "claude-2.1", UpstreamModel: UpstreamModel{Upstream: "east"}}, {Name: "a", UpstreamModel: UpstreamModel{Upstream: "east", ModelOptions: translate.ModelOptions{MaxTokens: 2048}}}, {Name: "b", UpstreamModel: UpstreamModel{Upstream: "east"}}, {Name: "c", UpstreamModel: UpstreamModel{Upstream: "east"}}}
	})
	s.refusals.add(s.routes[3].For("c").UpstreamModel, refusal{maxTokens: 1024})
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, newRequest("GET", "/v1/models", ""))
	for id, want := range map[string]string{"claude-2.1": "4096", "a": "2048", "b": "null", "c": "1024"} {
		one := httptest.NewRecorder()
		s.Handler().ServeHTTP(one, newRequest("GET", "/v1/models/"+id, ""))
		for _, body := range []string{one.Body.String(), w.Body.String()} {
			_, after, _ := strings.Cut(body, `"id":"`+id+`"`)
			if _, got, _ := strings.Cut(after, `"max_tokens":`); !strings.HasPrefix(got, want+",") {
				t.Errorf("%s: want %s: %s", id, want, body)
			}
		}
	}
}
