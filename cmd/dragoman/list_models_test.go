package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// A wildcard lists the models of its upstream, also with a wire, unless the file says otherwise.
func TestListModelsOfUpstreams(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	bedrock, local := upstreamtest.NewBedrock(nil), upstreamtest.NewChat(nil)
	bedrock.Models = upstreamtest.Listing{"anthropic.claude-v2:1", "us.anthropic.claude-opus-4-6-v1", "meta.llama3-70b-instruct-v1:0"}
	local.Models = upstreamtest.Listing{"qwen3", "gemma"}
	east, here := httptest.NewServer(bedrock), httptest.NewServer(local)
	defer east.Close()
	defer here.Close()
	for _, tt := range []struct{ setting, want string }{
		{"", "anthropic.claude-v2:1 us.anthropic.claude-opus-4-6-v1 qwen3 gemma"},
		{", list_models: true", "anthropic.claude-v2:1 us.anthropic.claude-opus-4-6-v1 qwen3 gemma"},
		{", list_models: false", "anthropic.claude-v2:1 us.anthropic.claude-opus-4-6-v1"},
	} {
		path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams:
  east: {kind: bedrock, region: us-east-1, endpoint: %q}
  local: {kind: openai, base_url: "%s/v1"%s}
models:
  - {name: "*anthropic*", upstream: east, wire: messages}
  - {name: "*", upstream: local}
`, east.URL, here.URL, tt.setting))
		server := start(t, nil, "--config", path)
		page := decode[struct{ Data []struct{ ID string } }](t, fetch(t, server.url+"/v1/models"))
		var ids []string
		for _, m := range page.Data {
			ids = append(ids, m.ID)
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("%q: listed %s", tt.setting, got)
		}
	}
}

// A server that does not answer at the start is one warning. Dragoman is ready nevertheless.
func TestDeadServer(t *testing.T) {
	server := start(t, nil, "--base-url", "http://127.0.0.1:1/v1")
	if line := server.await(t, "upstream_unreachable"); !strings.Contains(line, "connection refused") {
		t.Error(line)
	}
	if got := status(t, server.admin+"/readyz"); got != http.StatusOK {
		t.Errorf("/readyz answers %d", got)
	}
	for range 2 {
		fetch(t, server.url+"/v1/models")
	}
	server.stop()
	for line := range server.log {
		if strings.Contains(line, `"level":"warn"`) {
			t.Errorf("a second warning: %s", line)
		}
	}
}
