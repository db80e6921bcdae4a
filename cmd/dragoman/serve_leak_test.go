package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// canary marks text that must not be in the log or in a metric; secret must not even be in an answer.
const (
	canary = "c4n4ry"
	secret = "s3cr3t"
)

// canaries numbers the canaries of a text, so that a leaked one tells where it was.
func canaries(text string) string {
	for n := 1; strings.Contains(text, "CANARY"); n++ {
		text = strings.Replace(text, "CANARY", fmt.Sprintf("%s%02d", canary, n), 1)
	}
	return text
}

// leakyRequest has a canary in every place that a client can fill.
var leakyRequest = canaries(`{"max_tokens": 64, "stop_sequences": ["CANARY"], "metadata": {"user_id": "CANARY"}, "CANARY": 1,
	"system": [{"type": "text", "text": "CANARY", "cache_control": {"type": "ephemeral", "CANARY": 2}}],
	"messages": [
		{"role": "user", "content": "CANARY"},
		{"role": "assistant", "content": [{"type": "text", "text": "CANARY"}, {"type": "tool_use", "id": "toolu_CANARY", "name": "get_CANARY", "input": {"CANARY": "CANARY"}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_c4n4ry08", "is_error": true, "content": [{"type": "text", "text": "CANARY"}]}, {"type": "text", "text": "CANARY"}]}],
	"tools": [{"name": "get_CANARY", "description": "CANARY", "CANARY": 3, "input_schema": {"type": "object", "title": "CANARY", "required": ["CANARY"],
		"properties": {"CANARY": {"type": "string", "description": "CANARY", "enum": ["CANARY"], "default": "CANARY", "pattern": "CANARY"}}}}]}`)

// brokenRequests are unreadable or invalid, each in another way and with a canary.
var brokenRequests = []string{
	`{"model": "%s", "messages": "CANARY"}`,
	`{"model": "%s", "CANARY`,
	`{"model": "%s", "CANARY": 1, "CANARY": 1}`,
	`{"model": "%s", "max_tokens": "CANARY", "messages": []}`,
	`{"model": "%s", "max_tokens": 1, "messages": [{"role": "CANARY", "content": "CANARY"}]}`,
	`{"model": "%s", "max_tokens": 1, "messages": [{"role": "user", "content": [{"type": "CANARY"}]}]}`,
	`{"model": "%s", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}], "tools": [{"name": "CANARY CANARY", "input_schema": {}}]}`,
	`{"model": "%s", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}], "tools": [{"name": "a", "input_schema": {"type": "object", "properties": {"CANARY": {"type": "CANARY", "properties": 1}}}}]}`,
	`{"model": "%s", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}], "tool_choice": {"type": "tool", "name": "CANARY"}}`,
	"%s CANARY",
}

var leakyHeader = map[string]string{
	"Authorization": "Basic CANARY", "Cookie": "CANARY", "User-Agent": "CANARY", "Anthropic-Beta": "CANARY", "Anthropic-Version": "CANARY", "Traceparent": "00-CANARY",
	"X-Request-Id": "<CANARY>", "X-Dragoman-Canary": "CANARY", "Anthropic-User-Profile-Id": "CANARY", "X-Forwarded-For": "CANARY", "Referer": "CANARY",
	"X-Api-Key": secret + "-key-of-a-client",
}

// failing is a model that fails as the end of its name says. The error quotes a canary, and the secret of the request.
// words are its API's error types for an invalid request, a missing permission, too many requests and a missing model.
func failing(words [4]string) upstreamtest.Script {
	said := canaries("CANARY CANARY")
	quoted := fmt.Sprintf(`{"error": {"message": %[1]q, "type": %[1]q, "code": %[1]q, "status": %[1]q}, "message": %[1]q, "__type": %[1]q}`, said)
	faults := []*upstreamtest.Fault{
		nil,
		upstreamtest.Refuse(400, words[0], said, ""), upstreamtest.Refuse(403, words[1], said, ""), upstreamtest.Refuse(404, words[3], said, ""),
		upstreamtest.Refuse(429, words[2], said, "1"), upstreamtest.Refuse(500, said, said, ""),
		upstreamtest.Reply(400, "application/json", quoted), upstreamtest.Reply(403, "application/json", quoted), upstreamtest.Reply(429, "application/json", quoted),
		upstreamtest.Reply(503, "text/plain", said), upstreamtest.Reply(500, "text/html", "<h1>"+said), upstreamtest.Reply(200, "text/"+canary, said),
		upstreamtest.Fail(2, words[0], said), upstreamtest.Fail(2, said, said), upstreamtest.Corrupt(2), upstreamtest.Cut(200),
	}
	return func(model string, _ *translate.Prompt) upstreamtest.Completion {
		var n int
		fmt.Sscanf(model[strings.LastIndex(model, "fault")+len("fault"):], "%d", &n)
		return upstreamtest.Completion{Text: said + "<function_calls>\n<invoke>\n<tool_name>get_" + said, Pieces: 4, Fault: faults[n]}
	}
}

const faultsOfAModel = 16

// leaky starts upstreams of every kind, and serves a model for each of their wires and faults. Each model has an
// upstream of its own, so that one's failures do not open another's circuit.
func leaky(t *testing.T) (server *running, models []string) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	listen := func(h http.Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	bedrock := listen(upstreamtest.NewBedrock(failing([4]string{"ValidationException", "AccessDeniedException", "ThrottlingException", "ResourceNotFoundException"})))
	vertex := upstreamtest.NewVertex(failing([4]string{"INVALID_ARGUMENT", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "NOT_FOUND"}))
	google := listen(vertex)
	credentials, err := vertex.Tokens.ServiceAccount(t.TempDir(), google)
	if err != nil {
		t.Fatal(err)
	}
	words := [4]string{"invalid_request_error", "permission_error", "rate_limit_error", "not_found_error"}
	relay, local := upstreamtest.NewMessages(failing(words)), upstreamtest.NewChat(failing(words))
	relay.Key, local.Key = secret+"-of-the-relay", secret+"-of-the-relay"
	kinds := map[string]string{
		"east":  fmt.Sprintf("kind: bedrock, region: us-east-1, endpoint: %q", bedrock),
		"gcp":   fmt.Sprintf("kind: vertex, project: p, location: global, endpoint: %q", google),
		"relay": fmt.Sprintf("kind: anthropic, base_url: %q, api_key: %s", listen(relay), relay.Key),
		"local": fmt.Sprintf("kind: openai, base_url: %q, api_key: %s", listen(local)+"/v1", local.Key),
	}
	var upstreams, entries strings.Builder
	for i, wire := range [][2]string{
		{"east", "anthropic.claude-fault%d, wire: messages"}, {"east", "anthropic.claude-fault%d, wire: text"}, {"east", "meta.llama-fault%d, wire: converse"},
		{"gcp", "claude-fault%d"}, {"gcp", "meta/llama-fault%d"}, {"relay", "claude-fault%d"}, {"relay", "claude-fault%d, tools: native"}, {"local", "fault%d"},
	} {
		for fault := range faultsOfAModel {
			name := fmt.Sprintf("m%d-%d", i, fault)
			fmt.Fprintf(&upstreams, "  %s: {%s}\n", name, kinds[wire[0]])
			fmt.Fprintf(&entries, "  - {name: %s, upstream: %s, model: %s}\n", name, name, fmt.Sprintf(wire[1], fault))
			models = append(models, name)
		}
	}
	path := write(t, "dragoman.yaml", fmt.Sprintf("auth: {keys: [{name: ci, key: %s}]}\nupstreams:\n%smodels:\n%slimits: {attempts: 1}\n", leakyHeader["X-Api-Key"], &upstreams, &entries))
	return start(t, map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": credentials}, "--config", path), models
}

// Whatever fails, no text of a request or an answer, and no credential, is in the log or in a metric (R65).
func TestNoLeaks(t *testing.T) {
	server, models := leaky(t)
	var lines strings.Builder
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		for line := range server.log {
			lines.WriteString(line + "\n")
		}
	}()
	statuses := map[int]int{}
	ask := func(method, path, body string) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range leakyHeader {
			r.Header.Set(name, canaries(value))
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, _ := io.ReadAll(response.Body) // a fault may end it early
		all := fmt.Sprint(response.Header) + string(answer)
		if strings.Contains(all, secret) || strings.Contains(all, upstreamtest.SecretAccessKey) || strings.Contains(all, upstreamtest.AccessKeyID) {
			t.Errorf("%s: %s", path, all)
		}
		statuses[response.StatusCode]++
	}
	for _, model := range models {
		for _, stream := range []string{"true", "false"} {
			ask("POST", "/v1/messages?"+canary, fmt.Sprintf(`{"model": %q, "stream": %s, %s`, model, stream, leakyRequest[1:]))
		}
		known := strings.Replace(leakyRequest[1:], `"c4n4ry03": 1,`, "", 1) // for models with their own tools API
		ask("POST", "/v1/messages", fmt.Sprintf(`{"model": %q, %s`, model, strings.ReplaceAll(known, `, "c4n4ry05": 2`, "")))
		ask("POST", "/v1/messages/count_tokens", fmt.Sprintf(`{"model": %q, %s`, model, strings.Replace(leakyRequest[1:], `"max_tokens": 64, `, "", 1)))
		ask("POST", "/model/"+model+"/invoke-with-response-stream", `{"anthropic_version": "bedrock-2023-05-31", `+leakyRequest[1:])
		ask("POST", "/model/"+model+"/converse", canaries(`{"messages": [{"role": "user", "content": [{"text": "CANARY"}]}], "system": [{"text": "CANARY"}], "CANARY": "CANARY"}`))
	}
	for _, broken := range brokenRequests {
		ask("POST", "/v1/messages", canaries(fmt.Sprintf(broken, models[0])))
		ask("POST", "/model/"+models[0]+"/converse", canaries(fmt.Sprintf(broken, "")))
	}
	for _, path := range []string{"/" + canary, "/v1/" + canary + "/messages", "/v1/models/" + canary, "/model/" + canary + "/" + canary, "/v1/projects/" + canary + "/" + canary} {
		ask("GET", path, "")
		ask("POST", path, leakyRequest)
	}
	metrics := fetch(t, server.admin+"/metrics")
	server.stop()
	<-logged
	for sink, text := range map[string]string{"log": lines.String(), "metrics": metrics} {
		for _, mark := range []string{canary, secret, upstreamtest.SecretAccessKey, upstreamtest.AccessKeyID, "PRIVATE KEY"} {
			if i := strings.Index(text, mark); i >= 0 {
				t.Errorf("in the %s: …%s…", sink, text[max(0, i-300):min(len(text), i+50)])
			}
		}
	}
	for _, status := range []int{200, 400, 404, 429, 500, 502, 529} {
		if statuses[status] == 0 {
			t.Errorf("no answer had the status %d: %v", status, statuses)
		}
	}
	for _, want := range []string{
		`"error":"status 400 ValidationException"`, `"error":"status 403 PERMISSION_DENIED"`, `"error":"status 429 rate_limit_error"`, `"path":"/v1/*/messages"`, `"error_path":"messages.0.content.0.type"`,
	} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no line has %s", want)
		}
	}
	for line := range strings.Lines(lines.String()) {
		if decode[map[string]any](t, line); len(line) > 8<<10 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
}
