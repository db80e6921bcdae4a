package upstream_test

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

type invoker interface {
	Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error]
}

type fake interface {
	http.Handler
	Requests() []upstreamtest.Request
	Gone() <-chan struct{}
}

// wire is one way to reach a model, with the names its errors go by.
type wire struct {
	name       string
	serve      func(upstreamtest.Script) fake
	dial       func(t *testing.T, server *httptest.Server) invoker
	invalid    string
	throttled  string
	overloaded string
	denied     string
	// plain: the wire's own reasons are stop_sequence and max_tokens alone.
	plain bool
	// watched: the upstream looks for the client's stop sequences by itself, and
	// leaves the answer there before the counters come.
	watched bool
	can     upstream.Features // of the models of the tests
}

var textWire = wire{
	name:  "bedrock text",
	serve: func(s upstreamtest.Script) fake { return upstreamtest.NewBedrock(s) },
	dial: func(t *testing.T, server *httptest.Server) invoker {
		up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{
			Region: "us-east-1", Endpoint: server.URL, HTTPClient: server.Client(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return up.Text()
	},
	invalid: "ValidationException", throttled: "ThrottlingException",
	overloaded: "ServiceUnavailableException", denied: "AccessDeniedException",
	plain: true,
}

var wires = []wire{{
	name:  "bedrock",
	serve: func(s upstreamtest.Script) fake { return upstreamtest.NewBedrock(s) },
	dial: func(t *testing.T, server *httptest.Server) invoker {
		up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{
			Region: "us-east-1", Endpoint: server.URL, HTTPClient: server.Client(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return up
	},
	invalid: "ValidationException", throttled: "ThrottlingException",
	overloaded: "ServiceUnavailableException", denied: "AccessDeniedException",
}, textWire, {
	name: "anthropic",
	serve: func(s upstreamtest.Script) fake {
		f := upstreamtest.NewMessages(s)
		f.Key = "sk-test"
		return f
	},
	dial: func(t *testing.T, server *httptest.Server) invoker {
		up, err := upstream.NewAnthropic(upstream.AnthropicOptions{
			BaseURL: server.URL, APIKey: "sk-test", HTTPClient: server.Client(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return up
	},
	invalid: "invalid_request_error", throttled: "rate_limit_error",
	overloaded: "overloaded_error", denied: "permission_error",
}, chatWire}

// chatWire is the one whose models are told by their features what to take.
var chatWire = wire{
	name: "openai",
	serve: func(s upstreamtest.Script) fake {
		f := upstreamtest.NewChat(s)
		f.Key = "sk-test"
		return f
	},
	dial: func(t *testing.T, server *httptest.Server) invoker {
		up, err := upstream.NewOpenAI(upstream.OpenAIOptions{
			BaseURL: server.URL + "/v1", APIKey: "sk-test", HTTPClient: server.Client(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return up
	},
	invalid: "invalid_request_error", throttled: "rate_limit_exceeded",
	overloaded: "overloaded_error", denied: "permission_error",
	watched: true, can: upstream.Streaming | upstream.System | upstream.StopSequences,
}

// eachWire runs a test over every wire.
func eachWire(t *testing.T, test func(t *testing.T, w wire)) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) { test(t, w) })
	}
}

// open starts the wire's server with this script and returns a way to it.
func (w wire) open(t *testing.T, s upstreamtest.Script) (invoker, fake) {
	f := w.serve(s)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return w.dial(t, server), f
}

// answer is all that a sequence of chunks said.
type answer struct {
	Text, Thinking string
	Stop           translate.Stop
	StopSequence   string
	Usage          translate.Usage
}

// collect checks the form of a sequence and returns what it said: at most one
// error, alone and last; Stop once, on the last chunk.
func collect(t *testing.T, chunks iter.Seq2[translate.Chunk, error]) (answer, error) {
	t.Helper()
	var a answer
	var failure error
	for c, err := range chunks {
		if failure != nil || a.Stop != "" {
			t.Errorf("%+v, %v after the end", c, err)
		}
		if err != nil {
			if c != (translate.Chunk{}) {
				t.Errorf("chunk %+v beside the error %v", c, err)
			}
			failure = err
			continue
		}
		a.Text += c.Text
		a.Thinking += c.Thinking
		a.Stop, a.StopSequence = c.Stop, c.StopSequence
		if c.Usage != (translate.Usage{}) {
			a.Usage = c.Usage
		}
	}
	if failure == nil && a.Stop == "" {
		t.Error("the sequence ended quietly")
	}
	return a, failure
}

// ask is a prompt of one question.
func ask(text string, stops ...string) *translate.Prompt {
	return &translate.Prompt{
		Turns:         []translate.Turn{{Role: translate.RoleUser, Parts: []translate.Part{{Type: translate.PartText, Text: text}}}},
		StopSequences: stops,
		MaxTokens:     1000,
	}
}
