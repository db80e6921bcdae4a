package main

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// The credentials of a container end, and a metric says when, until another upstream has the name.
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
		streamedCall(t, post(t, client, server.url, streaming))
		roles.Revoke()
	}
	if grants := fmt.Sprint(roles.Grants()); grants != "[container container]" {
		t.Errorf("credentials were had by %s", grants)
	}
	const end = `dragoman_credential_expiry_timestamp_seconds{upstream="east"}`
	if sample(t, server, end) == "" {
		t.Error("no metric says when the credentials end")
	}
	replace(t, path, "upstreams: {east: {kind: simulated}}\nmodels: [{name: claude-2.1, upstream: east}]\n")
	server.await(t, "serves new requests")
	if at := sample(t, server, end); at != "" {
		t.Errorf("the credentials of another upstream of the name end at %s", at)
	}
}
