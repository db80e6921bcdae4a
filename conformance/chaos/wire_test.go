package chaos

import (
	"net/http"
	"testing"

	"dragoman/proxy"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// wire is a way to reach a model, with the server at its other end.
type wire struct {
	name  string
	kind  upstream.Kind
	model string // the id
	wire  string // the name in the configuration
	tools string // proxy.ToolsNative or ""
	lead  int    // events before the first piece of text
	serve func(upstreamtest.Script) http.Handler
	dial  func(t *testing.T, client *http.Client) (proxy.Upstream, error)
}

// base is the URL of the upstream. Its network has nothing else.
const base = "http://upstream.test"

// apiKey is the key of the upstreams that require one.
const apiKey = "sk-canary-of-the-upstream"

var wires = []wire{
	bedrock("bedrock messages", proxy.WireMessages, 3, "m"),
	bedrock("bedrock text", proxy.WireText, 0, "m"),
	bedrock("bedrock converse", proxy.WireConverse, 1, "us.anthropic.claude-3-5-haiku-20241022-v1:0"),
	vertex("vertex messages", proxy.WireMessages, 3),
	vertex("vertex chat", proxy.WireChat, 1),
	{
		name: "anthropic", kind: upstream.KindAnthropic, model: "m", lead: 3,
		serve: func(s upstreamtest.Script) http.Handler {
			f := upstreamtest.NewMessages(s)
			f.Key = apiKey
			return f
		},
		dial: dialAnthropic,
	},
	{
		name: "openai chat", kind: upstream.KindOpenAI, model: "m", lead: 1,
		serve: func(s upstreamtest.Script) http.Handler {
			f := upstreamtest.NewChat(s)
			f.Key = apiKey
			return f
		},
		dial: func(_ *testing.T, c *http.Client) (proxy.Upstream, error) {
			return upstream.NewOpenAI(upstream.ServerOptions{BaseURL: base + "/v1", APIKey: apiKey, HTTPClient: c})
		},
	},
}

func dialAnthropic(_ *testing.T, c *http.Client) (proxy.Upstream, error) {
	return upstream.NewAnthropic(upstream.ServerOptions{BaseURL: base, APIKey: apiKey, HTTPClient: c})
}

func bedrock(name, over string, lead int, model string) wire {
	return wire{
		name: name, kind: upstream.KindBedrock, model: model, wire: over, lead: lead,
		serve: func(s upstreamtest.Script) http.Handler { return upstreamtest.NewBedrock(s) },
		dial: func(t *testing.T, c *http.Client) (proxy.Upstream, error) {
			return upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: base, HTTPClient: c})
		},
	}
}

// tokens is the URL of Google's token server. It has no faults.
const tokens = "http://tokens.test"

func vertex(name, over string, lead int) wire {
	return wire{
		name: name, kind: upstream.KindVertex, model: "m", wire: over, lead: lead,
		serve: func(s upstreamtest.Script) http.Handler { return upstreamtest.NewVertex(s) },
		dial: func(t *testing.T, c *http.Client) (proxy.Upstream, error) {
			path, err := upstreamtest.NewTokens().User(t.TempDir(), tokens)
			if err != nil {
				return nil, err
			}
			return upstream.NewVertex(t.Context(), upstream.VertexOptions{
				Project: "p", Location: "global", Endpoint: base, Credentials: path, HTTPClient: c,
			})
		},
	}
}
