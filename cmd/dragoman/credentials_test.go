package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// The credentials of a container end, and a metric says when.
func TestServeBedrockContainer(t *testing.T) {
	roles := upstreamtest.NewRoles()
	credentials := httptest.NewServer(roles)
	defer credentials.Close()
	fake := upstreamtest.NewBedrock(nil)
	fake.Roles = roles
	bedrock := httptest.NewServer(fake)
	defer bedrock.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", credentials.URL+"/credentials")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", roles.Token())
	path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams: {east: {kind: bedrock, region: us-east-1, endpoint: %q}}
models: [{name: claude-2.1, upstream: east, model: "anthropic.claude-v2:1"}]
`, bedrock.URL))
	server := start(t, nil, "--config", path)
	for range 2 {
		if m, err := readMessage([]byte(read(t, post(t, client, server.url, streaming)))); err != nil || m.toolUse() == nil {
			t.Fatalf("%+v, %v", m, err)
		}
		roles.Revoke()
	}
	if grants := fmt.Sprint(roles.Grants()); grants != "[container container]" {
		t.Errorf("credentials were had by %s", grants)
	}
	response, err := client.Get(server.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if metrics := read(t, response); !strings.Contains(metrics, `dragoman_credential_expiry_timestamp_seconds{upstream="east"}`) {
		t.Error("no metric says when the credentials end")
	}
}
