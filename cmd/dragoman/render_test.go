package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// refusingFile is a configuration that rejects much.
const refusingFile = `
compat: strict
upstreams: {sim: {kind: simulated}}
models:
  - {name: claude-2.1, upstream: sim, max_tokens: 100, images: false}
  - {name: claude-opus-4-7, upstream: sim}
`

// render, constrain and models show what serve would do: with a server, and by the family of the model without one.
func TestRenderServer(t *testing.T) {
	url := chatServer(t, upstreamtest.NewChat(nil), "qwen2.5")
	server := start(t, nil, "--base-url", url)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url+"/v1/messages", strings.NewReader(weatherRequest))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Dragoman-Dry-Run", "1")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, response)
	if got := (invocation{stdin: weatherRequest}).run(t, "render", "--base-url", url); got.stdout != want+"\n" || !strings.Contains(want, `"format":"json"`) {
		t.Errorf("render: %+v, want %s", got, want)
	}
	if got := (invocation{stdin: weatherRequest}).run(t, "render", "--model", "qwen2.5"); !strings.Contains(got.stdout, `"format":"json"`) {
		t.Errorf("render without a file: %+v", got)
	}
	forced := strings.Replace(weatherRequest, `"messages"`, `"tool_choice":{"type":"any"},"messages"`, 1)
	if got := (invocation{stdin: forced}).run(t, "constrain", "--base-url", url); got.code != 0 || !strings.Contains(got.stdout, "get_weather") {
		t.Errorf("constrain: %+v", got)
	}
	if got := succeed(t, "models", "--base-url", url); !strings.Contains(got, "openai") {
		t.Errorf("models: %s", got)
	}
	for _, command := range []string{"render", "constrain"} {
		if got := (invocation{stdin: forced}).run(t, command, "--base-url", "http://127.0.0.1:1/v1"); got.code != 1 || !strings.Contains(got.stderr, "nothing answers at") {
			t.Errorf("%s without a server: %+v", command, got)
		}
	}
}

// TestRenderRefuses has requests that are rejected before a model is asked. `render` rejects them with the same words
// as serve, which rejects them for an answer, a count and a dry run.
func TestRenderRefuses(t *testing.T) {
	path := write(t, "dragoman.yaml", refusingFile)
	server := start(t, nil, "--config", path)
	with := func(member string) string {
		return strings.Replace(weatherRequest, `"messages"`, member+`,"messages"`, 1)
	}
	example := func(list string) string {
		return strings.Replace(weatherRequest, `"input_schema"`, `"input_examples":`+list+`,"input_schema"`, 1)
	}
	endless := strings.Replace(weatherRequest, `"city":{"type":"string"}`, `"city":{"type":"string"},"all":{"$ref":"#"}`, 1)
	for _, tt := range []struct{ name, body, want string }{
		{"a request that is none", `{"model":"claude-2.1"}`, "max_tokens: Field required"},
		{"what a text model cannot do", with(`"service_tier":"auto","container":"c"`), "container: Not supported"},
		{"too many tokens", strings.Replace(weatherRequest, `64`, `1000`, 1), "max_tokens: 1000 > 100"},
		{"an image", strings.Replace(weatherRequest, `"Weather in Oslo?"`, `[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]`, 1), "cannot be shown the image in turn 1"},
		{"sampling", strings.Replace(with(`"temperature":0.5`), "claude-2.1", "claude-opus-4-7", 1), "temperature: this model does not take it"},
		{"a schema that cannot be understood", with(`"output_config":{"format":{"type":"json_schema","schema":{"$ref":"https://example.com/x"}}}`), "output_config.format: the schema is invalid"},
		{"an example that does not fit", example(`[{"city":"Oslo"},{"city":"Oslo","days":"two"}]`), "tools.0.input_examples.1: the example does not fit the input_schema: at '/days': got string, want integer"},
		{"an example without what is required", example(`[{}]`), "tools.0.input_examples.0: the example does not fit the input_schema: at '': missing property 'city'"},
		{"an example that takes too much work to check", strings.Replace(endless, `"input_schema"`, `"input_examples":[{"city":"Oslo","all":`+strings.Repeat(`{"city":"Oslo","all":`, 150)+`{"city":"Oslo","days":1e999999}`+strings.Repeat("}", 151)+`],"input_schema"`, 1),
			"tools.input_examples: the schema is invalid, or takes too much work to check"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, way := range []struct{ path, dry string }{{"/v1/messages", ""}, {"/v1/messages", "1"}, {"/v1/messages/count_tokens", ""}, {"/v1/messages/count_tokens", "1"}} {
				if way.path != "/v1/messages" && strings.Contains(tt.want, "max_tokens: Field") {
					continue // a count does not need it
				}
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url+way.path, strings.NewReader(tt.body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("X-Dragoman-Dry-Run", way.dry)
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				data, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != http.StatusBadRequest || !strings.Contains(string(data), tt.want) {
					t.Errorf("%+v: %s: %s", way, response.Status, data)
				}
			}
			got := invocation{stdin: tt.body}.run(t, "render", "--config", path)
			if got.code == 0 || !strings.Contains(got.stderr, tt.want) {
				t.Errorf("render: %+v", got)
			}
		})
	}
}
