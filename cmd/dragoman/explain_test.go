package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// spy is an upstream that counts connections and records requests.
type spy struct {
	http.Handler
	mu          sync.Mutex
	connections int
	sent        []sentRequest
}

type sentRequest struct {
	url    string
	header http.Header
	body   []byte
}

func (s *spy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.sent = append(s.sent, sentRequest{r.URL.EscapedPath(), r.Header, body})
	s.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.Handler.ServeHTTP(w, r)
}

// reached returns how many connections there were, and the requests since the last call.
func (s *spy) reached() (connections int, sent []sentRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.sent {
		if !strings.Contains(r.url, "token") {
			sent = append(sent, r)
		}
	}
	s.sent = nil
	return s.connections, sent
}

func (s *spy) listen(t *testing.T) string {
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			s.connections++
			s.mu.Unlock()
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// explained is what /explain answers.
type explained struct {
	Model, Route, Upstream, Wire, URL, Tools, Format, Family string
	UpstreamModel                                            string `json:"upstream_model"`
	Headers                                                  http.Header
	Features, Checked                                        []string
	Dropped                                                  []struct{ Field, Why string }
	Tokens                                                   int `json:"input_tokens_estimate"`
	Prompt, Body                                             json.RawMessage
}

// explainedRequests are requests to every wire of every kind; %s is the model.
var explainedRequests = []string{
	`{"model":"%s","max_tokens":64,"messages":[{"role":"user","content":"How warm is it in Oslo?"}],
		"tools":[{"name":"get_weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}]}`,
	`{ "model" : "%s", "max_tokens": 100000, "stream":true, "temperature":0.50, "top_k":5, "stop_sequences":["é","END"], "metadata":{"user_id":"u"},
		"system":[{"type":"text","text":"x-anthropic-billing-header: cc=1;"},{"type":"text","text":"Be \u006bind. <tools>","cache_control":{"type":"ephemeral"}}],
		"tools":[{"name":"get_weather","description":"d","input_schema":{ "type":"object" , "properties":{"city":{"type":"string"}}},"cache_control":{"type":"ephemeral"}}],
		"tool_choice":{"type":"tool","name":"get_weather"},
		"messages":[{"role":"user","content":"Oslo?"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"sunny"},{"type":"text","text":"And\n\nHuman: Bergen?"}]}]}`,
}

// /explain, a dry run and render show byte for byte what an upstream gets, for every kind and wire, and open no
// connection.
func TestExplain(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	vertex := upstreamtest.NewVertex(nil)
	spies := map[string]*spy{
		"east": {Handler: upstreamtest.NewBedrock(nil)}, "gcp": {Handler: vertex},
		"relay": {Handler: upstreamtest.NewMessages(nil)}, "local": {Handler: upstreamtest.NewChat(nil)},
	}
	google := spies["gcp"].listen(t)
	credentials, err := vertex.Tokens.ServiceAccount(t.TempDir(), google)
	if err != nil {
		t.Fatal(err)
	}
	local := spies["local"].listen(t)
	path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams:
  east: {kind: bedrock, region: us-east-1, endpoint: %q}
  gcp: {kind: vertex, project: p, location: global, endpoint: %q}
  relay: {kind: anthropic, base_url: %q, api_key: s3cr3t}
  local: {kind: openai, base_url: "%s/v1", api_key: s3cr3t}
  sim: {kind: simulated}
models:
  - {name: bedrock-messages, upstream: east, model: anthropic.claude-3-haiku-20240307-v1:0}
  - {name: bedrock-text, upstream: east, model: anthropic.claude-v2:1, wire: text}
  - {name: bedrock-converse, upstream: east, model: "arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-pro-v1:0"}
  - {name: bedrock-whole, upstream: east, model: ai21.j2-ultra}
  - {name: bedrock-native, upstream: east, model: us.anthropic.claude-opus-4-6-v1, tools: native}
  - {name: bedrock-auto, upstream: east, model: anthropic.claude-v2, tools: auto}
  - {name: vertex-messages, upstream: gcp, model: claude-sonnet-4-5@20250929}
  - {name: vertex-chat, upstream: gcp, model: meta/llama-3.3-70b-instruct-maas, format: json}
  - {name: vertex-mistral, upstream: gcp, model: mistral-medium-3@001}
  - {name: vertex-native, upstream: gcp, model: claude-opus-4-6, tools: native}
  - {name: relay, upstream: relay, model: claude-2.1}
  - {name: relay-native, upstream: relay, model: claude-opus-4-6, tools: native}
  - {name: local, upstream: local, model: qwen3, format: attribute, prefill: false}
  - {name: sim, upstream: sim}
`, spies["east"].listen(t), google, spies["relay"].listen(t), local))
	env := map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": credentials}
	server := start(t, env, "--config", path)
	before := map[string]int{} // connections so far, because looking for credentials at the start takes some
	for range 4 {
		server.await(t, `"event":"credentials_found"`)
	}
	for name, spy := range spies {
		before[name], _ = spy.reached()
	}
	type shown struct {
		name, path, body string
		header           []string
		explained        explained
	}
	var all []shown
	for _, name := range []string{
		"bedrock-messages", "bedrock-text", "bedrock-converse", "bedrock-whole", "bedrock-native", "bedrock-auto",
		"vertex-messages", "vertex-chat", "vertex-mistral", "vertex-native", "relay", "relay-native", "local", "sim",
	} {
		for _, request := range explainedRequests {
			body := fmt.Sprintf(request, name)
			all = append(all, shown{name: name, path: "/v1/messages", body: body, header: []string{"anthropic-beta", "a-2025,b-2025", "anthropic-version", "2023-06-01"}})
			if strings.HasPrefix(name, "bedrock-") {
				all = append(all, shown{name: name, path: "/v1/messages", body: body, header: []string{
					"X-Amzn-Bedrock-GuardrailIdentifier", "g1", "X-Amzn-Bedrock-GuardrailVersion", "DRAFT", "X-Amzn-Bedrock-Trace", "ENABLED",
				}})
			}
			if strings.HasSuffix(name, "-native") {
				continue
			}
			converse := `{"system":[{"text":"s"},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"Oslo?"}]}],"requestMetadata":{"a":"b"},
				"toolConfig":{"tools":[{"toolSpec":{"name":"get_weather","inputSchema":{"json":{"type":"object"}}}}]}}`
			all = append(all,
				shown{name: name, path: "/model/" + name + "/converse-stream", body: converse},
				shown{name: name, path: "/v1/projects/p/locations/l/publishers/anthropic/models/" + name + ":streamRawPredict", body: strings.Replace(body, fmt.Sprintf(`%q`, name), `"x"`, 1)},
			)
		}
	}
	ask := func(url, body string, header ...string) (int, string) {
		r, err := http.NewRequest("POST", url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(answer)
	}
	for i := range all {
		s := &all[i]
		status, answer := ask(server.admin+"/explain?path="+url.QueryEscape(s.path), s.body, s.header...)
		if status != 200 {
			t.Fatalf("%s %s: %d %s", s.name, s.path, status, answer)
		}
		s.explained = decode[explained](t, answer)
		_, dry := ask(server.url+s.path, s.body, append(slices.Clone(s.header), "x-dragoman-dry-run", "1")...)
		want := string(s.explained.Prompt)
		if s.explained.Tools == "native" {
			want = `{"tools":"native","body":` + string(s.explained.Body) + "}"
		}
		if dry != want {
			t.Errorf("%s %s: the dry run shows\n%s\n/explain\n%s", s.name, s.path, dry, want)
		}
		if s.path == "/v1/messages" && s.header == nil || s.name == "relay" && s.path == "/v1/messages" || s.name == "relay-native" {
			if r := (invocation{env: env, stdin: s.body}).run(t, "render", "--config", path); r.stdout != want+"\n" {
				t.Errorf("%s: render shows\n%s%s\n/explain\n%s", s.name, r.stdout, r.stderr, want)
			}
		}
	}
	for name, spy := range spies {
		if connections, _ := spy.reached(); connections > before[name] {
			t.Errorf("%s: %d connections were made to show what would be sent", name, connections-before[name])
		}
	}
	for _, s := range all {
		e := s.explained
		ask(server.url+s.path, s.body, s.header...)
		if s.name == "sim" {
			if string(e.Body) != "null" || e.URL != "" || len(e.Prompt) < 100 {
				t.Errorf("sim: %+v", e)
			}
			continue
		}
		_, sent := spies[e.Upstream].reached()
		if len(sent) == 0 {
			t.Fatalf("%s: nothing was sent", s.name)
		}
		if got := sent[0]; string(got.body) != string(e.Body) || !strings.HasSuffix(e.URL, got.url) {
			t.Errorf("%s %s: sent to %s\n%s\nshown to %s\n%s", s.name, s.path, got.url, got.body, e.URL, e.Body)
		}
		for name := range e.Headers {
			if e.Headers.Get(name) != sent[0].header.Get(name) {
				t.Errorf("%s: %s is %q, shown as %q", s.name, name, sent[0].header.Get(name), e.Headers.Get(name))
			}
		}
		if sent[0].header.Get("anthropic-beta") != e.Headers.Get("anthropic-beta") || strings.Contains(fmt.Sprint(e), "s3cr3t") {
			t.Errorf("%s: headers %v, sent %v", s.name, e.Headers, sent[0].header)
		}
	}
}
