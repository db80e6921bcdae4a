package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// A container's credentials expire, and a metric says when, until another upstream has the name.
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
	server.await(t, `"source":"the container (ECS, or EKS Pod Identity)"`)
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

// At the start the log has the source of each upstream's credentials, or what to do if there are none.
func TestServeSaysItsCredentials(t *testing.T) {
	for name, tt := range map[string]struct {
		id   string
		want []string
	}{
		"found":   {"AKIDEXAMPLE", []string{`"level":"info"`, `"upstream":"east"`, `"source":"the environment (AWS_ACCESS_KEY_ID)"`, "credentials of the upstream were found"}},
		"missing": {"", []string{`"level":"warn"`, `"upstream":"east"`, `"event":"credentials_missing"`, "aws sso login", "AWS_PROFILE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
			t.Setenv("AWS_ACCESS_KEY_ID", tt.id)
			t.Setenv("AWS_SECRET_ACCESS_KEY", tt.id)
			path := write(t, "dragoman.yaml", `
upstreams: {east: {kind: bedrock, region: us-east-1, endpoint: "http://127.0.0.1:1"}}
models: [{name: claude-2.1, upstream: east, model: "anthropic.claude-v2:1"}]
`)
			server := start(t, nil, "--config", path)
			line := server.await(t, "redentials")
			for _, want := range tt.want {
				if !strings.Contains(line, want) {
					t.Errorf("no %s in %s", want, line)
				}
			}
			if strings.Contains(line, "ec2imds") {
				t.Error(line)
			}
		})
	}
}

// `check --online` says what to do about an upstream that fails, and does not print ok before.
func TestCheckOnlineSaysWhatToDo(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	got := invocation{env: map[string]string{"AWS_REGION": "us-east-1"}}.run(t, "check", "--online")
	if got.code != 1 || strings.Contains(got.stdout, "ok\n") {
		t.Errorf("exit code %d:\n%s", got.code, got.stdout)
	}
	if want := "online    bedrock: the list of models failed: AWS has no credentials for this process: run `aws configure`"; !strings.Contains(got.stdout, want) {
		t.Errorf("no %q in:\n%s", want, got.stdout)
	}
}
