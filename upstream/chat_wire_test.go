package upstream_test

import (
	"cmp"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// openChat starts a server of this kind and returns an upstream for it.
func openChat(t *testing.T, f *upstreamtest.Chat) *upstream.Server {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: server.URL + "/v1", APIKey: f.Key, HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return up
}

// TestChatThroughEvents compares servers that tell a stop sequence from the end of a turn with servers that
// do not. With the latter, an end inside a call counts as Dragoman's own stop sequence.
func TestChatThroughEvents(t *testing.T) {
	request, err := messages.Decode([]byte(`{"model":"m","max_tokens":100,"stop_sequences":["END"],"messages":[{"role":"user","content":"Hi"}],
		"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := translate.Render(request, translate.Target{})
	if err != nil {
		t.Fatal(err)
	}
	const head = "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<a>"
	const tail = "</a>\n</parameters>\n</invoke>\n" + translate.CallsEnd
	type byServer map[string]string
	tests := []struct {
		name, completion, want string
		but                    byServer
	}{
		{"plain", "Hello", "text Hello|end_turn", nil},
		{"plain with an odd quote", "It is a ` sign", "text It is a ` sign|end_turn", nil},
		{"a call", head + "x" + tail + " and on", `tool_use {"a":"x"}|tool_use`, nil},
		{"cut inside a value", head + "x", `tool_use {}|max_tokens`, nil},
		{"our sequence inside a value", head + "x" + translate.CallsEnd + "y" + tail, `tool_use {}|max_tokens`,
			byServer{"no stops": `tool_use {"a":"x` + translate.CallsEnd + `y"}|tool_use`}},
		{"the client's sequence", "one END two", "text one |stop_sequence END", nil},
	}
	for _, test := range tests {
		for name, change := range map[string]func(*upstreamtest.Chat){
			"unnamed":  func(*upstreamtest.Chat) {},
			"named":    func(f *upstreamtest.Chat) { f.Named = true },
			"no stops": func(f *upstreamtest.Chat) { f.NoStops = true },
			"no done":  func(f *upstreamtest.Chat) { f.NoDone, f.NoUsage = true, true },
		} {
			for _, can := range []upstream.Features{upstream.StopSequences, upstream.StopSequences | upstream.Streaming} {
				f := upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: test.completion}))
				change(f)
				chat := openChat(t, f)
				message, err := messages.Collect(translate.Events(request, prompt, func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
					return invoke(chat, t.Context(), upstream.Model{ID: "m", Can: can}, p)
				}))
				if err != nil {
					t.Fatal(err)
				}
				var got strings.Builder
				for _, b := range message.Content {
					got.WriteString(b.Type + " " + b.Text + string(b.Input))
				}
				got.WriteString(strings.TrimSpace("|" + string(message.StopReason) + " " + message.StopSequence))
				if got.String() != cmp.Or(test.but[name], test.want) {
					t.Errorf("%s, %s, %v: %s", test.name, name, can, got.String())
				}
				if stops := f.Requests()[0].Prompt.StopSequences; !slices.Equal(stops, []string{translate.CallsEnd}) {
					t.Errorf("sent the stop sequences %q", stops)
				}
			}
		}
	}
}

func TestChatVariants(t *testing.T) {
	completion := upstreamtest.Completion{Text: "Hello", Thinking: "Hm.", Usage: messages.Usage{InputTokens: 7, OutputTokens: 2}}
	whole := reply{Text: "Hello", Thinking: "Hm.", Stop: messages.StopEndTurn, Usage: completion.Usage}
	uncounted := whole
	uncounted.Usage = messages.Usage{}
	tests := []struct {
		name string
		fake upstreamtest.Chat
		want reply
	}{
		{"plain", upstreamtest.Chat{}, whole},
		{"another name for the reasoning", upstreamtest.Chat{Reasoning: "reasoning"}, whole},
		{"no usage", upstreamtest.Chat{NoUsage: true}, uncounted},
		{"no last event", upstreamtest.Chat{NoDone: true}, whole},
	}
	for _, test := range tests {
		for _, can := range []upstream.Features{upstream.Streaming, 0} {
			f := upstreamtest.NewChat(upstreamtest.Answer(completion))
			f.Reasoning, f.NoUsage, f.NoDone = test.fake.Reasoning, test.fake.NoUsage, test.fake.NoDone
			got, err := collect(t, invoke(openChat(t, f), t.Context(), upstream.Model{ID: "m", Can: can}, ask("Hi")))
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s, %v: %s", test.name, can, diff)
			}
		}
	}
}

// TestWholeChatCutAnywhere ends an answer in one piece after each of its bytes.
func TestWholeChatCutAnywhere(t *testing.T) {
	for name, fault := range map[string]func(int) *upstreamtest.Fault{"lost": upstreamtest.Cut, "ended": upstreamtest.End} {
		n := 0
		up := openChat(t, upstreamtest.NewChat(func(string, *translate.Prompt) upstreamtest.Completion {
			return upstreamtest.Completion{Text: "Hé", Fault: fault(n)}
		}))
		var whole reply
		for ; whole.Stop == ""; n++ {
			a, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "m"}, ask("Hi")))
			if whole = a; err != nil {
				wantGateway(t, err)
				if a != (reply{}) {
					t.Fatalf("%s after %d bytes: %+v", name, n, a)
				}
			}
		}
		if whole.Text != "Hé" || n < 200 {
			t.Errorf("%s: whole after %d bytes: %+v", name, n, whole)
		}
	}
}

// TestWholeChatForAStream asks servers for a stream that answer in one piece.
func TestWholeChatForAStream(t *testing.T) {
	tests := []struct{ name, body, text, err string }{
		{"an answer", `{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}`, "Hello", ""},
		{"no end", `{"choices":[{"message":{"content":"Hello"}}]}`, "", "502 api_error"},
		{"an error", `{"error":{"message":"busy","code":503}}`, "", "529 overloaded_error: busy"},
		{"too long", `{"choices":[{"message":{"content":"` + strings.Repeat("x", 4<<20) + `"},"finish_reason":"stop"}]}`, "", "502 api_error"},
	}
	for _, test := range tests {
		fault := upstreamtest.Reply(200, "application/json", test.body)
		up := openChat(t, upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Fault: fault})))
		a, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "m", Can: upstream.Streaming}, ask("Hi")))
		if a.Text != test.text || test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: %.80q, %v", test.name, a.Text, err)
		}
	}
}

func TestNewOpenAI(t *testing.T) {
	for _, opt := range []upstream.ServerOptions{
		{}, {BaseURL: "local.test"}, {BaseURL: "https://user:pass@local.test"}, {BaseURL: "https://local.test/v1", APIKey: "two\nlines"},
	} {
		if _, err := upstream.NewOpenAI(opt); err == nil || strings.Contains(err.Error(), "pass") || strings.Contains(err.Error(), "two") {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

func TestOpenAIRequest(t *testing.T) {
	f := upstreamtest.NewChat(nil)
	server := httptest.NewServer(f)
	defer server.Close()
	for _, base := range []string{"/v1", "/v1/"} {
		for _, key := range []string{"sk", ""} {
			up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: server.URL + base, APIKey: key, HTTPClient: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "some/model"}, ask("Hi"))); err != nil {
				t.Errorf("%q: %v", base, err)
			}
			requests := f.Requests()
			r := requests[len(requests)-1]
			want := http.Header{
				"Accept":          {"application/json, text/event-stream"},
				"Accept-Encoding": r.Header["Accept-Encoding"], // set by the test's own client
				"Content-Length":  r.Header["Content-Length"],
				"Content-Type":    {"application/json"},
				"User-Agent":      {"dragoman"},
			}
			if key != "" {
				want.Set("authorization", "Bearer sk")
			}
			if diff := gocmp.Diff(want, r.Header); diff != "" || r.Model != "some/model" {
				t.Error(r.Model, diff)
			}
		}
	}
}

func TestOpenAIKeyRefused(t *testing.T) {
	f := upstreamtest.NewChat(nil)
	f.Key = "another"
	server := httptest.NewServer(f)
	defer server.Close()
	up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: server.URL + "/v1", APIKey: "sk", HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = collect(t, invoke(up, t.Context(), upstream.Model{ID: "m"}, ask("Hi")))
	var e *upstream.Error
	if !errors.As(err, &e) || e.Status != 502 || !strings.Contains(e.Message, "proxy's own credentials") {
		t.Errorf("error %v", err)
	}
}
