package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dragoman/upstream/upstreamtest"
)

// Models with raw prompts call a tool: behind vLLM, behind Ollama without a template, on a Vertex AI endpoint, and
// imported into Bedrock with an entry that has only the ARN.
func TestServePromptWire(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	const arn = "arn:aws:bedrock:us-east-1:111122223333:imported-model/abcdefghijkl"
	calls := upstreamtest.Answer(upstreamtest.Completion{Text: `<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>`})
	bedrock, vllm, ollama, vertex := upstreamtest.NewBedrock(calls), upstreamtest.NewChat(calls), upstreamtest.NewChat(calls), upstreamtest.NewVertex(calls)
	bedrock.Imports = map[string]*upstreamtest.Import{arn: {Architecture: "qwen2", Created: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Formats: []string{upstreamtest.FormatCompletion}}}
	vllm.Server, vllm.Family, vllm.Models = "vllm", "Qwen/Qwen2.5-7B-Instruct", upstreamtest.Listing{"tuned"}
	ollama.Server, ollama.Models = "ollama", upstreamtest.Listing{"bare"}
	vertex.Deployed = map[string]upstreamtest.Deployed{"7": {Model: "qwen2.5-7b"}}
	var urls []any
	for _, fake := range []http.Handler{bedrock, vllm, ollama, vertex} {
		server := httptest.NewServer(fake)
		defer server.Close()
		urls = append(urls, server.URL)
	}
	credentials, err := vertex.Tokens.ServiceAccount(t.TempDir(), urls[3].(string))
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams:
  east:   {kind: bedrock, region: us-east-1, endpoint: %q}
  vllm:   {kind: openai, base_url: "%s/v1"}
  ollama: {kind: openai, base_url: "%s/v1"}
  gcp:    {kind: vertex, project: p, location: global, endpoint: %q}
models:
  - {name: imported, upstream: east, model: "`+arn+`"}
  - {name: tuned, upstream: vllm, wire: prompt}
  - {name: bare, upstream: ollama, wire: prompt, family: qwen2.5}
  - {name: deployed, upstream: gcp, wire: prompt, model: endpoints/7}
`, urls...))
	server := start(t, map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": credentials}, "--config", path)
	for name, fake := range map[string]interface{ Requests() []upstreamtest.Request }{"imported": bedrock, "tuned": vllm, "bare": ollama, "deployed": vertex} {
		streamedCall(t, post(t, client, server.url, strings.Replace(streaming, "claude-2.1", name, 1)))
		requests := fake.Requests()
		if len(requests) != 1 || !strings.Contains(string(requests[0].Body), `<|im_start|>assistant\n`) {
			t.Errorf("%s was asked %+v", name, requests)
		}
	}
}
