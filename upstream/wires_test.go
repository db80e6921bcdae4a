package upstream_test

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// invoker is an upstream that takes prompts.
type invoker interface {
	Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error)
}

// invoke asks a model, and returns its answer.
func invoke(up invoker, ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		call, err := up.Prepare(m, p)
		if err != nil {
			yield(translate.Chunk{}, err)
			return
		}
		call.Chunks(ctx)(yield)
	}
}

// overWire is an upstream with a fixed wire.
type overWire struct {
	invoker
	wire string
}

func (o overWire) Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error) {
	m.Wire = o.wire
	return o.invoker.Prepare(m, p)
}

type fake interface {
	http.Handler
	Requests() []upstreamtest.Request
	Gone() <-chan struct{}
}

// wire is a way to reach a model, with the wire's names of errors.
type wire struct {
	name       string
	model      upstream.Model
	serve      func(upstreamtest.Script) fake
	dial       func(t *testing.T, server *httptest.Server) invoker
	invalid    string
	throttled  string
	overloaded string
	denied     string
	// plain: the only stop reasons of the wire are stop_sequence and max_tokens.
	plain bool
	// unmarked: the wire has no cache points.
	unmarked bool
	// whole: the answer comes in one piece.
	whole bool
	// watched: Dragoman itself looks for the client's stop sequences.
	watched bool
}

// bedrockWire is a wire to a model on Bedrock.
func bedrockWire(name string, model upstream.Model, over func(*upstream.Bedrock) invoker) wire {
	return wire{
		name: name, model: model,
		serve: func(s upstreamtest.Script) fake { return upstreamtest.NewBedrock(s) },
		dial:  func(t *testing.T, server *httptest.Server) invoker { return over(dialBedrock(t, server)) },

		invalid: "ValidationException", throttled: "ThrottlingException",
		overloaded: "ServiceUnavailableException", denied: "AccessDeniedException",
	}
}

func dialBedrock(t *testing.T, server *httptest.Server) *upstream.Bedrock {
	t.Helper()
	up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{
		Region: "us-east-1", Endpoint: server.URL, HTTPClient: server.Client(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return up
}

// converseWire is Converse with a model that rejects the features that it lacks.
func converseWire(name, id string, can upstream.Features) wire {
	w := bedrockWire(name, upstream.Model{ID: id, Can: can}, func(b *upstream.Bedrock) invoker { return overWire{b, upstream.WireConverse} })
	w.serve = func(s upstreamtest.Script) fake {
		f := upstreamtest.NewBedrock(s)
		f.Lacks = everything &^ can
		return f
	}
	w.whole = !can.Has(upstream.Streaming)
	w.watched = !strings.Contains(id, "claude")
	return w
}

// everything has all features over Converse.
const everything = upstream.System | upstream.Streaming | upstream.StopSequences | upstream.Images | upstream.Documents | upstream.Caching

var textWire = func() wire {
	w := bedrockWire("bedrock text", upstream.Model{ID: "m"}, func(b *upstream.Bedrock) invoker { return overWire{b, upstream.WireText} })
	w.plain, w.unmarked = true, true
	return w
}()

var wires = []wire{
	bedrockWire("bedrock", upstream.Model{ID: "m"}, func(b *upstream.Bedrock) invoker { return overWire{b, upstream.WireMessages} }),
	textWire,
	converseWire("bedrock converse", "us.anthropic.claude-3-5-haiku-20241022-v1:0", everything),
	converseWire("bedrock converse, no names of stops", "us.amazon.nova-pro-v1:0", everything),
	converseWire("bedrock converse, in one piece", "ai21.jamba-instruct-v1:0", upstream.System),
	{
		name:  "anthropic",
		model: upstream.Model{ID: "m"},
		serve: func(s upstreamtest.Script) fake {
			f := upstreamtest.NewMessages(s)
			f.Key = "sk-test"
			return f
		},
		dial: func(t *testing.T, server *httptest.Server) invoker {
			up, err := upstream.NewAnthropic(upstream.ServerOptions{
				BaseURL: server.URL, APIKey: "sk-test", HTTPClient: server.Client(),
			})
			if err != nil {
				t.Fatal(err)
			}
			return up
		},
		invalid: "invalid_request_error", throttled: "rate_limit_error",
		overloaded: "overloaded_error", denied: "permission_error",
	},
	chatWire,
	chatIn("openai, in one piece", upstream.System),
	vertexWire("vertex messages", upstream.Model{ID: "m"}, func(v *upstream.Vertex) invoker { return overWire{v, upstream.WireMessages} }),
	vertexChatWire,
}

// chatIn is chat completions with a model with these features.
func chatIn(name string, can upstream.Features) wire {
	w := chatWire
	w.name, w.model.Can, w.whole = name, can, !can.Has(upstream.Streaming)
	return w
}

// vertexWire is a wire to Vertex, with the token server at the same address.
func vertexWire(name string, model upstream.Model, over func(*upstream.Vertex) invoker) wire {
	return wire{
		name: name, model: model,
		serve: func(s upstreamtest.Script) fake { return upstreamtest.NewVertex(s) },
		dial: func(t *testing.T, server *httptest.Server) invoker {
			path, err := upstreamtest.NewTokens().User(t.TempDir(), server.URL)
			if err != nil {
				t.Fatal(err)
			}
			return over(newVertex(t, upstream.VertexOptions{
				Project: "p", Location: "global", Endpoint: server.URL, Credentials: path, HTTPClient: server.Client(),
			}))
		},
		invalid: "INVALID_ARGUMENT", throttled: "RESOURCE_EXHAUSTED",
		overloaded: "UNAVAILABLE", denied: "PERMISSION_DENIED",
	}
}

var vertexChatWire = func() wire {
	w := vertexWire("vertex chat", chatWire.model, func(v *upstream.Vertex) invoker { return overWire{v, upstream.WireChat} })
	w.watched, w.unmarked = true, true
	return w
}()

// chatWire asks a model over chat completions.
var chatWire = wire{
	name: "openai", model: upstream.Model{ID: "m", Can: upstream.Streaming | upstream.System | upstream.StopSequences},
	serve: func(s upstreamtest.Script) fake {
		f := upstreamtest.NewChat(s)
		f.Key = "sk-test"
		return f
	},
	dial: func(t *testing.T, server *httptest.Server) invoker {
		up, err := upstream.NewOpenAI(upstream.ServerOptions{
			BaseURL: server.URL + "/v1", APIKey: "sk-test", HTTPClient: server.Client(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return up
	},
	invalid: "invalid_request_error", throttled: "rate_limit_exceeded",
	overloaded: "overloaded_error", denied: "permission_error",
	watched: true, unmarked: true,
}

// eachWire runs a test with every wire.
func eachWire(t *testing.T, test func(t *testing.T, w wire)) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) { test(t, w) })
	}
}

// open starts the wire's server with this script and returns an upstream for it.
func (w wire) open(t *testing.T, s upstreamtest.Script) (invoker, fake) {
	f := w.serve(s)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return w.dial(t, server), f
}

// skipIfSDKWaits skips a test about the time before the end of an answer in one piece: the AWS SDK returns
// the answer only when it is complete.
func (w wire) skipIfSDKWaits(t *testing.T) {
	if w.whole && strings.HasPrefix(w.name, "bedrock") {
		t.Skip("all of the answer comes at once")
	}
}

// reply collects the chunks of a sequence.
type reply struct {
	Text, Thinking string
	Stop           messages.Stop
	StopSequence   string
	Usage          messages.Usage
}

// collect collects the chunks of a sequence and checks the form: at most one error, which comes last without
// a chunk; and Stop only in the last chunk.
func collect(t *testing.T, chunks iter.Seq2[translate.Chunk, error]) (reply, error) {
	t.Helper()
	var a reply
	var failure error
	for c, err := range chunks {
		if failure != nil || a.Stop != "" {
			t.Errorf("%+v, %v after the end", c, err)
		}
		if err != nil {
			if !cmp.Equal(c, translate.Chunk{}) {
				t.Errorf("chunk %+v beside the error %v", c, err)
			}
			failure = err
			continue
		}
		a.Text += c.Text
		a.Thinking += c.Thinking
		a.Stop, a.StopSequence = c.Stop, c.StopSequence
		if c.Usage != (messages.Usage{}) {
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
		Turns:         []translate.Turn{{Role: messages.RoleUser, Parts: []translate.Part{{Type: translate.PartText, Text: text}}}},
		StopSequences: stops,
		MaxTokens:     1000,
	}
}
