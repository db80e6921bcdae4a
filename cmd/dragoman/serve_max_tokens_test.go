package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// limited returns a model with a limit of tokens, which it reports to requests for more.
func limited(most int, typ, text string) upstreamtest.Script {
	return func(_ string, p *translate.Prompt) upstreamtest.Completion {
		if p.MaxTokens > most {
			return upstreamtest.Completion{Fault: upstreamtest.Refuse(400, typ, fmt.Sprintf(text, p.MaxTokens, most), "")}
		}
		return upstreamtest.Completion{Text: "Hello."}
	}
}

// An agent asks for 32,000 tokens. A model with a lower limit is asked for that limit, which comes from its family,
// from the configuration, or from its own error.
func TestMaxTokens(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	const (
		validation = "ValidationException"
		invalid    = "invalid_request_error"
		converse   = "The maximum tokens you requested exceeds the model limit of %[2]d. Try again with a maximum tokens value that is lower than %[2]d."
		messages   = "max_tokens: %d > %d, which is the maximum allowed number of output tokens for claude"
		chat       = "max_tokens is too large: %[1]d. This model supports at most %[2]d completion tokens, whereas you provided %[1]d."
	)
	tests := []struct {
		name, entry string
		model       upstreamtest.Script
		want        []int // max_tokens of two requests to the model
	}{
		{"text completions", `upstream: east, model: "anthropic.claude-v2:1", wire: text`, limited(4096, validation, messages), []int{4096, 4096}},
		{"text completions of an ARN", `upstream: east, wire: text, model: "arn:aws:bedrock:us-east-1:123456789012:provisioned-model/abc"`, limited(4096, validation, messages), []int{4096, 4096}},
		{"messages", `upstream: east, model: "anthropic.claude-3-haiku-20240307-v1:0"`, limited(4096, validation, messages), []int{4096, 4096}},
		{"messages of Claude 3.5", `upstream: relay, model: claude-3-5-haiku-20241022`, limited(8192, invalid, messages), []int{8192, 8192}},
		{"a later Claude", `upstream: relay, model: claude-sonnet-4-20250514`, limited(64000, invalid, messages), []int{32000, 32000}},
		{"the key", `upstream: local, model: llama3, max_tokens: 2048`, limited(2048, invalid, chat), []int{2048, 2048}},
		{"the key, above what the family can do", `upstream: relay, model: claude-2.1, max_tokens: 8192`, limited(8192, invalid, messages), []int{8192, 8192}},
		{"the key of a fallback", `upstream: gone, model: m, fallbacks: [{upstream: local, model: llama3, max_tokens: 2048}]`, limited(2048, invalid, chat), []int{2048, 2048}},
		{"learnt of Converse", `upstream: east, model: "meta.llama3-70b-instruct-v1:0"`, limited(2048, validation, converse), []int{32000, 2048, 2048}},
		{"learnt of InvokeModel", `upstream: east, model: "us.anthropic.claude-opus-4-1-20250805-v1:0"`,
			limited(16000, validation, "The model returned the following errors: "+messages), []int{32000, 16000, 16000}},
		{"learnt of the Messages API", `upstream: relay, model: claude-next`, limited(16000, invalid, messages), []int{32000, 16000, 16000}},
		{"learnt of chat completions", `upstream: local, model: gpt-4o`, limited(16384, invalid, chat), []int{32000, 16384, 16384}},
		{"learnt below the key", `upstream: local, model: gpt-4o, max_tokens: 20000`, limited(16384, invalid, chat), []int{20000, 16384, 16384}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bedrock, relay, local := upstreamtest.NewBedrock(test.model), upstreamtest.NewMessages(test.model), upstreamtest.NewChat(test.model)
			server := start(t, nil, "--config", write(t, "dragoman.yaml", limitedConfig(t, bedrock, relay, local, test.entry)))
			for range 2 {
				response := post(t, client, server.url, strings.Replace(weatherRequest, `"max_tokens":64`, `"max_tokens":32000`, 1))
				want := "max_tokens"
				if test.want[len(test.want)-1] == 32000 {
					want = ""
				}
				if got := response.Header.Get("X-Dragoman-Dropped"); response.StatusCode != 200 || got != want {
					t.Fatalf("%s, dropped %q: %s", response.Status, got, body(t, response))
				}
				read(t, response)
			}
			var got []int
			for _, r := range slices.Concat(bedrock.Requests(), relay.Requests(), local.Requests()) {
				got = append(got, r.Prompt.MaxTokens)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the model was asked for %v tokens, want %v", got, test.want)
			}
			if counted := strings.Contains(fetch(t, server.admin+"/metrics"), `dragoman_dropped_fields_total{field="max_tokens"} 2`); counted != (got[len(got)-1] != 32000) {
				t.Errorf("counted: %t", counted)
			}
		})
	}
}

// limitedConfig returns a configuration with three upstreams, one unreachable upstream, and an entry.
func limitedConfig(t *testing.T, bedrock, relay, local http.Handler, entry string) string {
	url := func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	return fmt.Sprintf(`
upstreams:
  east: {kind: bedrock, region: us-east-1, endpoint: %q}
  relay: {kind: anthropic, base_url: %q}
  local: {kind: openai, base_url: %q}
  gone: {kind: anthropic, base_url: "http://127.0.0.1:1"}
models: [{name: "*", %s}]
limits: {attempts: 1}
`, url(bedrock), url(relay), url(local)+"/v1", entry)
}

// body returns that of any response.
func body(t *testing.T, response *http.Response) string {
	t.Helper()
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, response)
}

// An error that cannot be understood, or makes no sense, stays an error.
func TestMaxTokensUnknownText(t *testing.T) {
	const invalid = "invalid_request_error"
	for text, calls := range map[string]int{
		"max_tokens (%d) is over %d": 1,
		"messages.0: max_tokens: %d > %d, which is the maximum allowed number of output tokens for m": 1,
		"max_tokens is too large: %[1]d. This model supports at most %[1]d completion tokens":         1,
		"max_tokens is too large: %[1]d. This model supports at most 0%[2]d completion tokens":        1,
	} {
		local := upstreamtest.NewChat(limited(2048, invalid, text))
		server := start(t, nil, "--config", write(t, "dragoman.yaml", limitedConfig(t, local, local, local, "upstream: local, model: m")))
		response := post(t, client, server.url, strings.Replace(weatherRequest, `"max_tokens":64`, `"max_tokens":32000`, 1))
		if body, n := body(t, response), len(local.Requests()); response.StatusCode != 400 || n != calls {
			t.Errorf("%s: %s after %d calls: %s", text, response.Status, n, body)
		}
	}
}

// A strict server's error has the model's limit.
func TestMaxTokensStrict(t *testing.T) {
	relay := upstreamtest.NewMessages(nil)
	config := "compat: strict\n" + limitedConfig(t, relay, relay, relay, "upstream: relay, model: claude-3-haiku-20240307")
	server := start(t, nil, "--config", write(t, "dragoman.yaml", config))
	const limit = "32000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307"
	for path, test := range map[string]struct{ body, want string }{
		"/v1/messages":      {`{"model":"m","max_tokens":32000,"messages":[{"role":"user","content":"Hi"}]}`, "max_tokens: " + limit},
		"/model/m/invoke":   {`{"anthropic_version":"bedrock-2023-05-31","max_tokens":32000,"messages":[{"role":"user","content":"Hi"}]}`, "max_tokens: " + limit},
		"/model/m/converse": {`{"inferenceConfig":{"maxTokens":32000},"messages":[{"role":"user","content":[{"text":"Hi"}]}]}`, "inferenceConfig.maxTokens: " + limit},
	} {
		response, err := client.Post(server.url+path, "application/json", strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		if body := body(t, response); response.StatusCode != 400 || !strings.Contains(body, test.want) {
			t.Errorf("%s: %s: %s", path, response.Status, body)
		}
	}
	if n := len(relay.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A Converse request without a limit has nothing dropped, and a model with its own tools API gets the client's own
// limit.
func TestMaxTokensUntouched(t *testing.T) {
	for entry, test := range map[string]struct{ path, body, sent string }{
		"upstream: local, model: llama3, max_tokens: 2048": {"/model/m/converse", `{"messages":[{"role":"user","content":[{"text":"Hi"}]}]}`, `"max_tokens":2048`},
		"upstream: relay, model: claude-2.1, tools: native": {"/v1/messages",
			`{"model":"m","max_tokens":32000,"messages":[{"role":"user","content":"Hi"}]}`, `"max_tokens":32000`},
	} {
		local, relay := upstreamtest.NewChat(nil), upstreamtest.NewMessages(nil)
		relay.Native = func(string, []byte) []string {
			return []string{
				`{"type":"message_start","message":{"id":"msg_1","content":[],"usage":{"input_tokens":1}}}`,
				`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`, `{"type":"message_stop"}`,
			}
		}
		server := start(t, nil, "--config", write(t, "dragoman.yaml", limitedConfig(t, local, relay, local, entry)))
		response, err := client.Post(server.url+test.path, "application/json", strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		answer := body(t, response)
		requests := slices.Concat(local.Requests(), relay.Requests())
		if dropped := response.Header.Get("X-Dragoman-Dropped"); response.StatusCode != 200 || dropped != "" || !strings.Contains(string(requests[len(requests)-1].Body), test.sent) {
			t.Errorf("%s: %s, dropped %q, sent %s: %s", entry, response.Status, dropped, requests[len(requests)-1].Body, answer)
		}
	}
}

// `render` shows what the model is asked.
func TestRenderMaxTokens(t *testing.T) {
	request := strings.Replace(weatherRequest, `"max_tokens":64`, `"max_tokens":32000`, 1)
	if got := (invocation{stdin: request}).run(t, "render"); !strings.Contains(got.stdout, `"max_tokens":4096`) {
		t.Errorf("%+v", got)
	}
}
