package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// A tool conversation with models on Vertex, over each wire, with credentials from the environment.
func TestServeVertex(t *testing.T) {
	fake := upstreamtest.NewVertex(nil)
	vertex := httptest.NewServer(fake)
	defer vertex.Close()
	credentials, err := fake.Tokens.ServiceAccount(t.TempDir(), vertex.URL)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams: {gcp: {kind: vertex, location: global, endpoint: %q}}
models:
  - {name: claude-2.1, upstream: gcp, model: claude-opus-4-6, tools: xml}
  - {name: llama, upstream: gcp, model: meta/llama-3.3-70b-instruct-maas}
  - {name: forced, upstream: gcp, model: claude-opus-4-6, wire: chat}
`, vertex.URL))
	server := start(t, map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": credentials}, "--config", path)
	for i, name := range []string{"claude-2.1", "llama", "forced"} {
		streamedCall(t, post(t, client, server.url, strings.Replace(streaming, "claude-2.1", name, 1)))
		body := string(fake.Requests()[i].Body)
		if wantChat := name != "claude-2.1"; strings.Contains(body, "anthropic_version") == wantChat || strings.Contains(body, `"model":`) != wantChat {
			t.Errorf("%s was sent %s", name, body)
		}
	}
	if grants := fake.Tokens.Grants(); len(grants) != 1 {
		t.Errorf("tokens were had by %s", grants)
	}
	response, err := client.Get(server.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if metrics := read(t, response); !strings.Contains(metrics, `dragoman_credential_expiry_timestamp_seconds{upstream="gcp"}`) {
		t.Error("no metric says when the token ends")
	}
}
