package upstream_test

import (
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
	"dragoman/upstream/upstreamtest"
)

func TestConversation(t *testing.T) {
	usage := messages.Usage{InputTokens: 25, OutputTokens: 9, CacheReadInputTokens: 3, CacheCreationInputTokens: 4}
	const call = "Let me look.\n\n<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n</parameters>\n</invoke>\n"
	tests := []struct {
		name       string
		prompt     *translate.Prompt
		completion upstreamtest.Completion
		want       reply
	}{
		{
			"prose", ask("Hi"),
			upstreamtest.Completion{Text: "Hello, how are you?", Usage: usage},
			reply{Text: "Hello, how are you?", Stop: messages.StopEndTurn},
		}, {
			"a call stopped where it ends", ask("Hi", translate.CallsEnd, "END"),
			upstreamtest.Completion{Text: call + translate.CallsEnd + " and on", Usage: usage},
			reply{Text: call, Stop: messages.StopSequence, StopSequence: translate.CallsEnd},
		}, {
			"the client's stop sequence", ask("Hi", translate.CallsEnd, "END"),
			upstreamtest.Completion{Text: "one END two " + translate.CallsEnd, Usage: usage},
			reply{Text: "one ", Stop: messages.StopSequence, StopSequence: "END"},
		}, {
			"max_tokens", ask("Hi"),
			upstreamtest.Completion{Text: "It was a dark", Stop: messages.StopMaxTokens, Usage: usage},
			reply{Text: "It was a dark", Stop: messages.StopMaxTokens},
		}, {
			"refusal", ask("Hi"),
			upstreamtest.Completion{Stop: messages.StopRefusal, Usage: usage},
			reply{Stop: messages.StopRefusal},
		}, {
			"reasons that only a server with tools has", ask("Hi"),
			upstreamtest.Completion{Text: "x", Stop: messages.StopToolUse, Usage: usage},
			reply{Text: "x", Stop: messages.StopToolUse},
		}, {
			"characters split over fragments of the body", ask("Hi"),
			upstreamtest.Completion{Text: "žluťoučký 👩‍👩‍👧‍👦 \"\\\n\u2028 \x00 中", Pieces: 5, Fragment: 3, Usage: usage},
			reply{Text: "žluťoučký 👩‍👩‍👧‍👦 \"\\\n\u2028 \x00 中", Stop: messages.StopEndTurn},
		}, {
			"one piece larger than every buffer", ask("Hi"),
			upstreamtest.Completion{Text: strings.Repeat("ab<é", 50_000), Pieces: 1, Usage: usage},
			reply{Text: strings.Repeat("ab<é", 50_000), Stop: messages.StopEndTurn},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				up, _ := w.open(t, upstreamtest.Answer(test.completion))
				got, err := collect(t, invoke(up, t.Context(), w.model, test.prompt))
				if err != nil {
					t.Fatal(err)
				}
				want := test.want
				if want.Usage = usage; w.watched && want.StopSequence != "" {
					want.Usage = got.Usage // Dragoman leaves the upstream before it has counted
				}
				if w.plain && (want.Stop == messages.StopRefusal || want.Stop == messages.StopToolUse) {
					want.Stop = messages.StopEndTurn
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestAssistantFirst asks each server to answer a conversation that begins with the assistant. If the server
// requires a user turn first, it gets one that it accepts.
func TestAssistantFirst(t *testing.T) {
	req := &messages.Request{MaxTokens: 10, Messages: []messages.MessageParam{
		{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Hello!"}}},
		{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Hi."}}},
	}}
	eachWire(t, func(t *testing.T, w wire) {
		p, err := translate.Render(req, translate.Target{TextWire: w.plain})
		if err != nil {
			t.Fatal(err)
		}
		up, _ := w.open(t, func(_ string, asked *translate.Prompt) upstreamtest.Completion {
			var said []string
			for _, turn := range asked.Turns {
				said = append(said, turn.Role+" "+turn.Parts[0].Text)
			}
			return upstreamtest.Completion{Text: strings.Join(said, "|")}
		})
		got, err := collect(t, invoke(up, t.Context(), w.model, p))
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, _ := strings.Cut(got.Text, "|"); rest != "assistant Hello!|user Hi." || len(got.Text)-len(rest) > len("user .|") {
			t.Errorf("asked %s", got.Text)
		}
	})
}

func TestFirstChunkDoesNotWaitForMore(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		w.skipIfSDKWaits(t)
		up, f := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Text: "never sent", Fault: upstreamtest.Stall(1)}))
		for c, err := range invoke(up, t.Context(), w.model, ask("Hi")) {
			if err != nil || c.Text == "never sent" || c.Stop != "" {
				t.Errorf("first chunk %+v, %v", c, err)
			}
			break
		}
		<-f.Gone()
	})
}

func TestConnectionServesAgain(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		f := w.serve(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello"}))
		connections := make(chan struct{}, 10)
		server := httptest.NewUnstartedServer(f)
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections <- struct{}{}
			}
		}
		server.Start()
		defer server.Close()
		up := w.dial(t, server)
		for range 5 {
			if _, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi"))); err != nil {
				t.Fatal(err)
			}
		}
		// Two, because a slow machine may once exceed the wait after an answer.
		if n := len(connections); n > 2 {
			t.Errorf("%d connections for 5 requests, one after another", n)
		}
	})
}

func TestInvokeSendsNothingBeforeTheRange(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		up, f := w.open(t, nil)
		invoke(up, t.Context(), w.model, ask("Hi"))
		if n := len(f.Requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestSimulatedBehindEachWire asks the simulated model over each wire: prompts and answers arrive unchanged.
func TestSimulatedBehindEachWire(t *testing.T) {
	req, p := withTool(t)
	answer := func(up invoker, model upstream.Model) []messages.ContentBlock {
		m, err := messages.Collect(translate.Events(req, p, func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
			return invoke(up, t.Context(), model, p)
		}))
		if err != nil {
			t.Fatal(err)
		}
		return m.Content
	}
	want := answer(simulated.New(), upstream.Model{})
	eachWire(t, func(t *testing.T, w wire) {
		up, _ := w.open(t, nil)
		if diff := cmp.Diff(want, answer(up, w.model), cmpopts.IgnoreFields(messages.ContentBlock{}, "ID")); diff != "" || len(want) != 2 {
			t.Error(diff)
		}
	})
}

// TestDeadConnection drops the server's idle connections between requests.
func TestDeadConnection(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		server := httptest.NewServer(w.serve(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello"})))
		defer server.Close()
		up := w.dial(t, server)
		for range 20 {
			if _, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi"))); err != nil {
				t.Fatal(err)
			}
			server.CloseClientConnections()
		}
	})
}

// TestOwnClients uses the HTTP clients that the upstreams make themselves.
func TestOwnClients(t *testing.T) {
	script := upstreamtest.Answer(upstreamtest.Completion{Text: "Hello"})
	bedrock := httptest.NewServer(upstreamtest.NewBedrock(script))
	defer bedrock.Close()
	messages := httptest.NewServer(upstreamtest.NewMessages(script))
	defer messages.Close()

	chat := httptest.NewServer(upstreamtest.NewChat(script))
	defer chat.Close()

	b, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: bedrock.URL})
	if err != nil {
		t.Fatal(err)
	}
	a, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: messages.URL})
	if err != nil {
		t.Fatal(err)
	}
	o, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: chat.URL + "/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, up := range []invoker{b, a, o} {
		if got, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "m"}, ask("Hi"))); err != nil || got.Text != "Hello" {
			t.Errorf("%T: %+v, %v", up, got, err)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		up, _ := w.open(t, func(_ string, p *translate.Prompt) upstreamtest.Completion {
			return upstreamtest.Completion{Text: strings.Repeat(p.Turns[0].Parts[0].Text, 50)}
		})
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				text := fmt.Sprintf("<%d>", i)
				got, err := collect(t, invoke(up, t.Context(), w.model, ask(text)))
				if err != nil || got.Text != strings.Repeat(text, 50) {
					t.Errorf("%d: %+v, %v", i, got, err)
				}
			})
		}
		all.Wait()
	})
}
