package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// Models over Converse call a tool: by default, because the configuration says so, and if a model can do less than its
// family.
func TestServeConverseWire(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	const converse, messages = `"inferenceConfig":`, `"anthropic_version":`
	tests := []struct {
		name, entry string
		lacks       upstream.Features
		asked       string // of the last request
	}{
		{"by the id", `model: "us.amazon.nova-pro-v1:0"`, 0, converse},
		{"in one piece", `model: "us.amazon.nova-pro-v1:0", streaming: false`, upstream.Streaming, converse},
		{"a Claude", `model: "anthropic.claude-3-haiku-20240307-v1:0", wire: converse`, 0, converse},
		{"a Claude by its id", `model: "anthropic.claude-3-haiku-20240307-v1:0"`, 0, messages},
		{"another by wire", `model: "us.amazon.nova-pro-v1:0", wire: messages`, 0, messages},
		{"refused, and asked again", `model: "us.amazon.nova-pro-v1:0"`, upstream.StopSequences, converse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake := upstreamtest.NewBedrock(nil)
			fake.Lacks = test.lacks
			bedrock := httptest.NewServer(fake)
			defer bedrock.Close()
			path := write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams: {east: {kind: bedrock, region: us-east-1, endpoint: %q}}
models: [{name: claude-2.1, upstream: east, %s}]
`, bedrock.URL, test.entry))
			server := start(t, nil, "--config", path)
			if call := streamedCall(t, post(t, client, server.url, streaming)); call.Input["city"] != "Oslo" {
				t.Fatalf("the call is %+v", call)
			}
			requests := fake.Requests()
			if body := string(requests[len(requests)-1].Body); !strings.Contains(body, test.asked) {
				t.Errorf("the model was asked %s", body)
			}
		})
	}
}
