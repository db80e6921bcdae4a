package conformance

import (
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// The models, by the names in requests.
const (
	model   = "claude-2.1"
	vision  = "claude-3-haiku" // reads images
	flowing = "claude-2.0"     // sends the strings of its calls in pieces: stream_values
)

// credentials are the credentials that the fake Bedrock accepts.
var credentials = []string{"AWS_ACCESS_KEY_ID=" + upstreamtest.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + upstreamtest.SecretAccessKey}

// serveBedrock starts dragoman in front of a fake Bedrock with this script. It returns dragoman's base URL
// and the fake.
func serveBedrock(t *testing.T, script upstreamtest.Script) (string, *upstreamtest.Bedrock) {
	t.Helper()
	fake := upstreamtest.NewBedrock(script)
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	config := WriteConfig(t, fmt.Sprintf(`
upstreams:
  east: {kind: bedrock, region: us-east-1, endpoint: %q}
models:
  - {name: %s, upstream: east, model: "anthropic.claude-v2:1"}
  - {name: %s, upstream: east, model: "anthropic.claude-3-haiku-20240307-v1:0"}
  - {name: %s, upstream: east, model: "anthropic.claude-v2", stream_values: flow}
`, server.URL, model, vision, flowing))
	url := Serve(t, credentials, "--config", config)
	return url, fake
}

// ServeScript starts dragoman in front of a model that writes these texts in turn, seven bytes at a time as
// in the [Cases]. It returns dragoman's base URL and the model.
func ServeScript(t *testing.T, texts ...string) (string, *upstreamtest.Bedrock) {
	t.Helper()
	var completions []upstreamtest.Completion
	for _, text := range texts {
		completions = append(completions, upstreamtest.Completion{Text: text, Fragment: 7})
	}
	return serveBedrock(t, inTurn(completions...))
}

// inTurn is a script that answers each request with the next completion.
func inTurn(completions ...upstreamtest.Completion) upstreamtest.Script {
	var asked atomic.Int64
	return func(string, *translate.Prompt) upstreamtest.Completion {
		n := int(asked.Add(1))
		if n > len(completions) {
			// If the client asks once too often, it gets an error that no other case expects.
			return upstreamtest.Completion{Fault: upstreamtest.Refuse(400, "ValidationException", "the script has ended", "")}
		}
		return completions[n-1]
	}
}
