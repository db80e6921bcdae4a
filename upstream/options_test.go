package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

func TestNewBedrock(t *testing.T) {
	tests := []struct {
		name string
		opt  upstream.BedrockOptions
		says string
	}{
		{"no region", upstream.BedrockOptions{}, "no region"},
		{"no such profile", upstream.BedrockOptions{Region: "us-east-1", Profile: "nobody"}, "nobody"},
		{"an endpoint that is no URL", upstream.BedrockOptions{Region: "us-east-1", Endpoint: "localhost:80"}, "endpoint"},
	}
	for _, test := range tests {
		if _, err := upstream.NewBedrock(t.Context(), test.opt); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestBedrockRequest(t *testing.T) {
	f := upstreamtest.NewBedrock(nil)
	server := httptest.NewServer(f)
	defer server.Close()
	t.Setenv("AWS_REGION", "eu-west-3")
	up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Endpoint: server.URL + "/", HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	models := []string{
		"anthropic.claude-v2:1", "global.anthropic.claude-sonnet-5-5",
		"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-3-haiku-20240307-v1:0",
	}
	for _, model := range models {
		if _, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: model}, ask("Hi"))); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range f.Requests() {
		if r.Model != models[i] {
			t.Errorf("model %q", r.Model)
		}
		if !strings.Contains(r.Header.Get("authorization"), "/eu-west-3/bedrock/aws4_request") {
			t.Errorf("signed as %q", r.Header.Get("authorization"))
		}
		const body = `{"anthropic_version":"bedrock-2023-05-31","max_tokens":1000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`
		if diff := cmp.Diff(body, string(r.Body)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestBedrockTriesOnce leaves retries to the client's SDK.
func TestBedrockTriesOnce(t *testing.T) {
	tests := []struct {
		name   string
		answer upstreamtest.Completion
		status int
	}{
		{"busy", upstreamtest.Completion{Fault: upstreamtest.Refuse(503, "ServiceUnavailableException", "busy", "")}, 529},
		{"throttled", upstreamtest.Completion{Fault: upstreamtest.Refuse(429, "ThrottlingException", "busy", "3")}, 429},
		{"refused", upstreamtest.Completion{Fault: upstreamtest.Refuse(400, "ValidationException", "bad", "")}, 400},
		{"broken off", upstreamtest.Completion{Text: "Hello", Fault: upstreamtest.Cut(300)}, 502},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := upstreamtest.NewBedrock(upstreamtest.Answer(test.answer))
			server := httptest.NewServer(f)
			defer server.Close()
			up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: server.URL, HTTPClient: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = collect(t, invoke(up, t.Context(), upstream.Model{ID: "anthropic.claude-v2"}, ask("Hi")))
			var e *upstream.Error
			if !errors.As(err, &e) || e.Status != test.status {
				t.Errorf("error %v, want status %d", err, test.status)
			}
			if n := len(f.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestBedrockCredentials(t *testing.T) {
	server := httptest.NewServer(upstreamtest.NewBedrock(nil))
	defer server.Close()
	tests := []struct {
		name, key, secret, says string
		fault                   upstream.CredentialsFault
	}{
		{"wrong", upstreamtest.AccessKeyID, "guess", "refused the proxy's own credentials", upstream.CredentialsRefused},
		{"none", "", "", "no credentials", upstream.CredentialsMissing},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", test.key)
			t.Setenv("AWS_SECRET_ACCESS_KEY", test.secret)
			up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: server.URL, HTTPClient: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = collect(t, invoke(up, t.Context(), upstream.Model{ID: "anthropic.claude-v2"}, ask("Hi")))
			wantGateway(t, err)
			var e *upstream.Error
			if errors.As(err, &e) && (!strings.Contains(e.Message, test.says) || e.Credentials != test.fault || !e.Final || e.Unreachable) {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestNewAnthropic(t *testing.T) {
	for _, opt := range []upstream.ServerOptions{
		{}, {BaseURL: "relay.test"}, {BaseURL: "ftp://relay.test"}, {BaseURL: "https://"}, {BaseURL: "https://relay.test/?a=b"},
		{BaseURL: "https://user:pass@relay.test"}, {BaseURL: "https://relay.test", APIKey: "two\nlines"},
	} {
		if _, err := upstream.NewAnthropic(opt); err == nil || strings.Contains(err.Error(), "pass") || strings.Contains(err.Error(), "two") {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

func TestAnthropicRequest(t *testing.T) {
	f := upstreamtest.NewMessages(nil)
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.EscapedPath())
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/tenant a")
		f.ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, path := range []string{"", "/", "/v1", "/v1/", "/tenant%20a", "/tenant%20a/v1//"} {
		up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL + path, APIKey: "sk", HTTPClient: server.Client()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "some/model"}, ask("Hi"))); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	want := slices.Concat(slices.Repeat([]string{"/v1/messages"}, 4), slices.Repeat([]string{"/tenant%20a/v1/messages"}, 2))
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
	for _, r := range f.Requests() {
		r.Header.Del("content-length")
		if diff := cmp.Diff(http.Header{
			"Accept":            {"text/event-stream"},
			"Accept-Encoding":   r.Header["Accept-Encoding"], // set by the test's own client
			"Anthropic-Version": {"2023-06-01"},
			"Content-Type":      {"application/json"},
			"User-Agent":        {"dragoman"},
			"X-Api-Key":         {"sk"},
		}, r.Header); diff != "" {
			t.Error(diff)
		}
		if r.Model != "some/model" {
			t.Errorf("model %q", r.Model)
		}
	}
}

func TestAnthropicKeyRefused(t *testing.T) {
	f := upstreamtest.NewMessages(nil)
	f.Key = "another"
	server := httptest.NewServer(f)
	defer server.Close()
	up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL, APIKey: "sk", HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = collect(t, invoke(up, t.Context(), upstream.Model{ID: "m"}, ask("Hi")))
	wantGateway(t, err)
	var e *upstream.Error
	if errors.As(err, &e) && !strings.Contains(e.Message, "proxy's own credentials") {
		t.Errorf("message %q", e.Message)
	}
}
