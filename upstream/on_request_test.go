package upstream_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// TestOnRequest: OnRequest may add headers to a request for a model, before the signature or the token is
// added. It is not called before a request for a token.
func TestOnRequest(t *testing.T) {
	const header, value = "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	tests := []struct {
		name  string
		model upstream.Model
		serve fake
		dial  func(url string, told upstream.OnRequest) (invoker, error)
	}{
		{"anthropic", upstream.Model{ID: "claude-2.1", Can: upstream.Streaming}, upstreamtest.NewMessages(nil), func(url string, told upstream.OnRequest) (invoker, error) {
			return upstream.NewAnthropic(upstream.ServerOptions{BaseURL: url, OnRequest: told})
		}},
		{"openai", chatWire.model, upstreamtest.NewChat(nil), func(url string, told upstream.OnRequest) (invoker, error) {
			return upstream.NewOpenAI(upstream.ServerOptions{BaseURL: url + "/v1", OnRequest: told})
		}},
		{"bedrock", upstream.Model{ID: "anthropic.claude-v2:1", Can: upstream.Streaming}, upstreamtest.NewBedrock(nil), func(url string, told upstream.OnRequest) (invoker, error) {
			return upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: url, OnRequest: told})
		}},
		{"vertex", upstream.Model{ID: "claude-sonnet-4-5@20250929", Can: upstream.Streaming}, upstreamtest.NewVertex(nil), func(url string, told upstream.OnRequest) (invoker, error) {
			path, err := upstreamtest.NewTokens().User(t.TempDir(), url)
			if err != nil {
				return nil, err
			}
			return upstream.NewVertex(t.Context(), upstream.VertexOptions{Project: "p", Location: "global", Endpoint: url, Credentials: path, OnRequest: told})
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.serve)
			defer server.Close()
			defer server.CloseClientConnections()
			calls := 0
			up, err := test.dial(server.URL, func(r *http.Request) {
				calls++
				r.Header.Set(header, value)
			})
			if err != nil {
				t.Fatal(err)
			}
			prompt := &translate.Prompt{Turns: []translate.Turn{{Role: "user", Parts: []translate.Part{{Type: translate.PartText, Text: "Hello."}}}}, MaxTokens: 10}
			if _, err := collect(t, invoke(up, t.Context(), test.model, prompt)); err != nil {
				t.Fatal(err)
			}
			requests := test.serve.Requests()
			if calls != 1 || len(requests) != 1 || requests[0].Header.Get(header) != value {
				t.Errorf("called %d times for %d requests: %v", calls, len(requests), requests)
			}
		})
	}
}
