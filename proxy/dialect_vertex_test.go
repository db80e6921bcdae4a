package proxy

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
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

// ids are the parts that differ from answer to answer.
var ids = regexp.MustCompile(`(msg|toolu|req)_[0-9A-Za-z]{24}`)

func withoutIDs(w *httptest.ResponseRecorder) string {
	return ids.ReplaceAllString(w.Body.String(), "$1")
}

// A Vertex client gets the same bytes as a client of the Messages API. The path decides the model and the streaming,
// whatever the body says.
func TestVertex(t *testing.T) {
	failing := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		_ = yield(translate.Chunk{}, nil) && yield(translate.Chunk{Text: "It is"}, nil) && yield(translate.Chunk{}, throttled)
	})
	thinking := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		_ = yield(translate.Chunk{}, nil) && yield(translate.Chunk{Thinking: "So, Oslo."}, nil) && yield(translate.Chunk{Text: "Cold."}, nil) && yield(endOfTurn, nil)
	})
	conversations := map[string]struct {
		up     any
		change func(*Options)
	}{
		"text":      {completing(endOfTurn, "It is ", "cold & <b>wet</b>.\u2028😀"), withTools(ToolsXML)},
		"call":      {completing(endOfCall, weather...), withTools(ToolsXML)},
		"cut":       {completing(translate.Chunk{Stop: messages.StopMaxTokens}, weather[:3]...), withTools(ToolsXML)},
		"thinking":  {thinking, withTools(ToolsXML)},
		"native":    {&nativeModel{text: "Hi"}, withTools(ToolsNative)},
		"a failure": {failing, withTools(ToolsXML)},
	}
	for name, tt := range conversations {
		for _, model := range []string{"claude-3-haiku@20240307", "claude-v2:1", "claude-a/b@default"} {
			t.Run(name+" "+model, func(t *testing.T) {
				s := newServer(t, tt.up, tt.change)
				body := strings.Replace(question, "claude-2.1", model, 1)
				paths := []string{vertexModels + url.PathEscape(model), strings.TrimPrefix(vertexModels, "/v1") + url.QueryEscape(model)}
				for method, want := range map[string]*httptest.ResponseRecorder{"rawPredict": post(s, body), "streamRawPredict": post(s, streamed(body))} {
					for _, path := range paths {
						for _, members := range []string{"", `"stream":false,`, `"stream":true,`, `"model":"gpt",`} {
							got := vertexPost(s, path+":"+method+"?beta=true", strings.Replace(vertexQuestion, `"stream":true,`, members, 1))
							if diff := cmp.Diff(withoutIDs(want), withoutIDs(got)); got.Code != want.Code || diff != "" {
								t.Errorf("%s:%s with %s: status %d (-want +got):\n%s", path, method, members, got.Code, diff)
							}
							if got, want := got.Header().Get("Content-Type"), want.Header().Get("Content-Type"); got != want {
								t.Errorf("%s: Content-Type %q, want %q", method, got, want)
							}
						}
					}
				}
			})
		}
	}
}

// The version in the body wins, if there is one.
func TestVertexVersion(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	for version, status := range map[string]int{
		`"anthropic_version":"vertex-2023-10-16",`: 200,
		`"anthropic_version":"2026-10-21",`:        400, // a version without temperature
		`"anthropic_beta":["a","b"],`:              200,
		"":                                         200,
	} {
		body := strings.Replace(vertexQuestion, `{"anthropic_version":"vertex-2023-10-16",`, "{"+version+`"temperature":1,`, 1)
		w := httptest.NewRecorder()
		answerTo(s, w, newRequest("POST", vertexModels+"claude-2.1:rawPredict", body, "Anthropic-Version", "2023-06-01", "Anthropic-Beta", "c"))
		if w.Code != status {
			t.Errorf("%s: status %d, %s", version, w.Code, w.Body)
		}
	}
}

// A client that leaves ends the call upstream.
func TestVertexClientLeaves(t *testing.T) {
	for _, method := range []string{"rawPredict", "streamRawPredict"} {
		t.Run(method, func(t *testing.T) {
			up := newHanging(translate.Chunk{}, translate.Chunk{Text: "It is "})
			var log logged
			srv := listen(t, newServer(t, up.upstream(), log.option))
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+vertexModels+"claude-2.1:"+method, strings.NewReader(vertexQuestion))
			if err != nil {
				t.Fatal(err)
			}
			left := make(chan struct{})
			go func() {
				defer close(left)
				if res, err := srv.Client().Do(r); err == nil {
					defer res.Body.Close()
					_, _ = io.Copy(io.Discard, res.Body)
				}
			}()
			<-up.hangs
			leave()
			<-left
			if err := <-up.ended; err == nil {
				t.Error("the upstream's context goes on")
			}
			srv.Close() // waits for the exchange to end
			if fields := log.exchange(t); fields["terminal"] != "client_gone" || fields["dialect"] != "vertex" || fields["model"] != "claude-2.1" {
				t.Errorf("logged %v", fields)
			}
		})
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
	const notFound, invalid = "NOT_FOUND", "INVALID_ARGUMENT"
	s := newServer(t, completing(endOfTurn, "hi"))
	for path, name := range map[string]string{
		vertexModels + "gpt:rawPredict":                                  notFound,
		vertexModels + "claude-2.1:predict":                              notFound,
		vertexModels + "claude-2.1":                                      notFound,
		vertexModels + "claude-2.1:":                                     notFound,
		vertexModels + ":rawPredict":                                     notFound,
		vertexModels + "claude-%ff:rawPredict":                           notFound,
		vertexModels + "claude-2.1/x:rawPredict":                         notFound,
		vertexModels + "count-tokens:streamRawPredict":                   notFound,
		"/v1/projects/p1/locations/x/endpoints/openapi/chat/completions": notFound,
		"/projects/p1": notFound,
		strings.Replace(vertexModels, "p1", "p%2F1", 1) + "claude-2.1:rawPredict":         invalid,
		strings.Replace(vertexModels, "p1", "", 1) + "claude-2.1:rawPredict":              invalid,
		strings.Replace(vertexModels, "us-east5", "x%20y", 1) + "claude-2.1:rawPredict":   invalid,
		strings.Replace(vertexModels, "anthropic", "%C3%A4", 1) + "claude-2.1:rawPredict": invalid,
	} {
		t.Run(path, func(t *testing.T) {
			status := map[string]int{notFound: 404, invalid: 400}[name]
			checkGoogleError(t, vertexPost(s, path, vertexQuestion).Result(), status, name)
		})
	}
	if w := vertexPost(s, strings.Replace(vertexModels, "p1", "example.com%3Ap1", 1)+"claude-2.1:rawPredict", vertexQuestion); w.Code != 200 {
		t.Errorf("a project of a domain: status %d", w.Code)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, newRequest("GET", vertexModels+"claude-2.1:rawPredict", ""))
	checkGoogleError(t, w.Result(), 404, notFound)
}

// Errors of the Messages API keep their own form, with the path in the request.
func TestVertexMessagesFailures(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	wrong := vertexPost(s, vertexModels+"claude-2.1:rawPredict", `{"anthropic_version":"vertex-2023-10-16","max_tokens":1,"messages":[]}`)
	if got := checkError(t, wrong.Result(), 400, "invalid_request_error"); !strings.Contains(got, "messages") {
		t.Error(got)
	}
	noModel := vertexPost(s, vertexModels+"count-tokens:rawPredict", `{"messages":[{"role":"user","content":"Hi"}]}`)
	if got := checkError(t, noModel.Result(), 400, "invalid_request_error"); !strings.Contains(got, "model") {
		t.Error(got)
	}
	for _, method := range []string{"rawPredict", "streamRawPredict"} {
		w := vertexPost(newServer(t, &flaky{always: throttled}), vertexModels+"claude-2.1:"+method, vertexQuestion)
		checkError(t, w.Result(), 429, "rate_limit_error")
	}
}
