package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// inside is a transport to a handler, for every host. It records the URLs, and removes /gateway from paths,
// like a gateway in front of Vertex.
type inside struct {
	http.Handler
	urls []string
}

func (in *inside) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/token") {
		in.urls = append(in.urls, r.URL.String())
	}
	w, own := httptest.NewRecorder(), r.Clone(r.Context())
	own.URL.Path = strings.TrimPrefix(own.URL.Path, "/gateway")
	in.ServeHTTP(w, own)
	return w.Result(), nil
}

// newVertex returns an upstream with a user's credentials.
func newVertex(t *testing.T, opt upstream.VertexOptions) *upstream.Vertex {
	t.Helper()
	var err error
	if opt.Credentials == "" {
		opt.Credentials, err = upstreamtest.NewTokens().User(t.TempDir(), "https://tokens.test")
	}
	if err != nil {
		t.Fatal(err)
	}
	up, err := upstream.NewVertex(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return up
}

func TestVertexURLs(t *testing.T) {
	const messages, chat = "/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict", "/endpoints/openapi/chat/completions"
	tests := []struct {
		opt  upstream.VertexOptions
		want string
	}{
		{upstream.VertexOptions{Project: "p-1", Location: "us-east5"}, "https://us-east5-aiplatform.googleapis.com/v1/projects/p-1/locations/us-east5"},
		{upstream.VertexOptions{Project: "p-1", Location: "global"}, "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global"},
		{upstream.VertexOptions{Project: "p-1", Location: "us"}, "https://aiplatform.us.rep.googleapis.com/v1/projects/p-1/locations/us"},
		{upstream.VertexOptions{Project: "p-1", Location: "eu"}, "https://aiplatform.eu.rep.googleapis.com/v1/projects/p-1/locations/eu"},
		{upstream.VertexOptions{Project: "example.com:p", Location: "global"}, "https://aiplatform.googleapis.com/v1/projects/example.com:p/locations/global"},
		{upstream.VertexOptions{Project: "123", Location: "eu", Endpoint: "http://psc.test:8080"}, "http://psc.test:8080/v1/projects/123/locations/eu"},
		{upstream.VertexOptions{Project: "123", Location: "eu", Endpoint: "http://psc.test/gateway/v1/"}, "http://psc.test/gateway/v1/projects/123/locations/eu"},
	}
	for _, test := range tests {
		in := &inside{Handler: upstreamtest.NewVertex(nil)}
		test.opt.HTTPClient = &http.Client{Transport: in}
		up := newVertex(t, test.opt)
		for _, model := range []string{"claude-sonnet-4-5@20250929", "meta/llama-3.3-70b-instruct-maas"} {
			if _, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: model, Can: upstream.Streaming}, ask("Hi"))); err != nil {
				t.Errorf("%s: %v", model, err)
			}
		}
		if diff := cmp.Diff([]string{test.want + messages, test.want + chat}, in.urls); diff != "" {
			t.Error(diff)
		}
	}
}

func TestNewVertex(t *testing.T) {
	tests := []struct {
		opt  upstream.VertexOptions
		says string
	}{
		{upstream.VertexOptions{Location: "global"}, "no project"},
		{upstream.VertexOptions{Project: "p"}, "no location"},
		{upstream.VertexOptions{Project: "p", Location: "us-east5.evil.test/"}, "location"},
		{upstream.VertexOptions{Project: "p", Location: "evil.test#"}, "location"},
		{upstream.VertexOptions{Project: "p", Location: "US"}, "location"},
		{upstream.VertexOptions{Project: "p/locations/x", Location: "global"}, "project"},
		{upstream.VertexOptions{Project: "..", Location: "global"}, "project"},
		{upstream.VertexOptions{Project: "p?", Location: "global"}, "project"},
		{upstream.VertexOptions{Project: "p%2f", Location: "global"}, "project"},
		{upstream.VertexOptions{Project: "p", Location: "global", Endpoint: "psc.test"}, "endpoint"},
		{upstream.VertexOptions{Project: "p", Location: "global", Endpoint: "https://a:b@psc.test"}, "endpoint"},
	}
	for _, test := range tests {
		if _, err := upstream.NewVertex(t.Context(), test.opt); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: %v", test.opt, err)
		}
	}
}

func TestVertexModelIDs(t *testing.T) {
	in := &inside{Handler: upstreamtest.NewVertex(nil)}
	up := newVertex(t, upstream.VertexOptions{Project: "p", Location: "global", HTTPClient: &http.Client{Transport: in}})
	for _, id := range []string{
		"", "claude/../../x", "claude..", "a/b", "claude?x=y", "claude#x", "claude%2f", "claude x", "claude\n", "claude\x00", "claude\\x", "claudé", "claude:predict",
		strings.Repeat("claude", 1000),
	} {
		_, err := collect(t, invoke(overWire{up, upstream.WireMessages}, t.Context(), upstream.Model{ID: id}, ask("Hi")))
		var e *upstream.Error
		if !errors.As(err, &e) || e.Status != 400 || e.Type != "invalid_request_error" || len(e.Message) > 500 {
			t.Errorf("%q: %v", id, err)
		}
	}
	_, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "mistralai/mistral/../x"}, ask("Hi")))
	if e := new(upstream.Error); !errors.As(err, &e) || e.Status != 400 {
		t.Errorf("a model of Mistral: %v", err)
	}
	if len(in.urls) != 0 {
		t.Errorf("asked %q", in.urls)
	}
}

func TestVertexRequest(t *testing.T) {
	f := upstreamtest.NewVertex(nil)
	server := httptest.NewServer(f)
	defer server.Close()
	path, err := f.Tokens.User(t.TempDir(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	up := newVertex(t, upstream.VertexOptions{
		Project: "p", Location: "global", Endpoint: server.URL, Credentials: path, HTTPClient: server.Client(),
	})
	tests := []struct{ model, body string }{
		{"claude-opus-4-6", `{"anthropic_version":"vertex-2023-10-16","max_tokens":1000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"stream":true}`},
		{"mistralai/mistral-medium-3@001", `{"model":"mistral-medium-3","messages":[{"role":"user","content":"Hi"}],"max_tokens":1000,"stream":true}`},
		{"codestral-2", `{"model":"codestral-2","messages":[{"role":"user","content":"Hi"}],"max_tokens":1000,"stream":true}`},
		{"mistralai/mistral-x-maas", `{"model":"mistralai/mistral-x-maas","messages":[{"role":"user","content":"Hi"}],"max_tokens":1000,"stream":true,"stream_options":{"include_usage":true}}`},
		{"qwen/qwen3-coder-480b-a35b-instruct-maas", `{"model":"qwen/qwen3-coder-480b-a35b-instruct-maas","messages":[{"role":"user","content":"Hi"}],"max_tokens":1000,"stream":true,"stream_options":{"include_usage":true}}`},
	}
	for _, test := range tests {
		if _, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: test.model, Can: upstream.Streaming}, ask("Hi"))); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range f.Requests() {
		if diff := cmp.Diff(tests[i].body, string(r.Body)); diff != "" {
			t.Errorf("model %q: %s", tests[i].model, diff)
		}
		r.Header.Del("content-length")
		r.Header.Del("accept")
		if diff := cmp.Diff(http.Header{
			"Accept-Encoding":     r.Header["Accept-Encoding"], // set by the test's own client
			"Authorization":       {"Bearer ya29.fake-1"},
			"Content-Type":        {"application/json"},
			"User-Agent":          {"dragoman"},
			"X-Goog-User-Project": {"test-quota"},
		}, r.Header); diff != "" {
			t.Error(diff)
		}
	}
}
