package proxy

import (
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// chatting returns a server whose models run behind a server with chat completions.
func chatting(t testing.TB, fake *upstreamtest.Chat, change ...func(*Options)) *Server {
	t.Helper()
	behind := httptest.NewServer(fake)
	t.Cleanup(behind.Close)
	up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: behind.URL + "/v1", HTTPClient: behind.Client()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	key := UpstreamModel{Upstream: "east", Wire: WireChat}
	return newServer(t, up, append([]func(*Options){func(o *Options) {
		o.Routes, o.Upstreams = []Route{{Name: "*", UpstreamModel: key}}, playAll(map[string]any{"east": up})
	}}, change...)...)
}

// TestUsageEstimated: one server reports no tokens, and one is left before it reports them. The client, the log and the
// metrics get an estimate, and the log says that it is an estimate.
func TestUsageEstimated(t *testing.T) {
	call := strings.Join(weather, "") + "</function_calls>"
	for name, tt := range map[string]struct {
		text      string
		silent    bool
		estimated bool
	}{
		"silent":      {"Hello there.", true, true},
		"left early":  {call + "\n<function_results>", false, true},
		"a whole one": {"Hello there.", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			fake := upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: tt.text, Usage: messages.Usage{InputTokens: 5, OutputTokens: 3}}))
			fake.NoUsage, fake.NoStops = tt.silent, true
			var log logged
			s := chatting(t, fake, log.option)
			body := post(s, streamed(question)).Body.String()
			start, end, _ := strings.Cut(body, "content_block_start")
			line := log.exchange(t)
			if got := line["usage_estimated"] == true; got != tt.estimated {
				t.Errorf("usage_estimated %v in %v", got, line)
			}
			for _, at := range []struct{ where, what, bad string }{
				{"message_start", start, `"input_tokens":0,`}, {"message_delta", end, `"input_tokens":0,`}, {"message_delta", end, `"output_tokens":0,`},
			} {
				if strings.Contains(at.what, at.bad) {
					t.Errorf("%s has %s in\n%s", at.where, at.bad, at.what)
				}
			}
			if in, out := line["input_tokens"].(float64), line["output_tokens"].(float64); in == 0 || out == 0 || !tt.estimated && (in != 5 || out != 3) {
				t.Errorf("%v and %v tokens in the log", in, out)
			}
		})
	}
}

// TestNoAnswerWanted: max_tokens 0 is answered without a call to the upstream, with an estimate of the prompt's tokens.
func TestNoAnswerWanted(t *testing.T) {
	for _, tt := range []struct{ name, path, body string }{
		{"messages", "/v1/messages", question},
		{"forced", "/v1/messages", strings.Replace(question, `"tools"`, `"tool_choice":{"type":"any"},"tools"`, 1)},
		{"streamed", "/v1/messages", streamed(question)},
		{"converse", conversePath, strings.Replace(converseQuestion, `{"messages"`, `{"inferenceConfig":{"maxTokens":100},"messages"`, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello there."}))
			var log logged
			s := chatting(t, fake, log.option)
			zero := strings.NewReplacer(`"max_tokens":100`, `"max_tokens":0`, `"maxTokens":100`, `"maxTokens":0`).Replace(tt.body)
			w := postTo(s, tt.path, zero)
			line := log.exchange(t)
			if w.StatusCode != 200 || line["stop_reason"] != "max_tokens" || line["usage_estimated"] != true || line["input_tokens"].(float64) < 50 {
				t.Errorf("%d, %v", w.StatusCode, line)
			}
			answer := read(t, w.Body)
			if strings.Contains(answer, "Hello") || w.Header.Get("X-Dragoman-Attempts") != "" {
				t.Errorf("the upstream was asked: %s", answer)
			}
			if tt.name == "messages" && !strings.Contains(answer, `"content":[],`) {
				t.Errorf("the answer is %s", answer)
			}
		})
	}
}

// TestWarnOfCut: servers report the tokens of a long prompt. The log warns if they have not read all of it.
func TestWarnOfCut(t *testing.T) {
	long := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 1000) // of 10,000 tokens
	ask := strings.Replace(question, "What is the weather in Oslo?", long, 1)
	for name, tt := range map[string]struct {
		body  string
		usage messages.Usage
		warns bool
	}{
		"all":              {ask, messages.Usage{InputTokens: 10_100, OutputTokens: 1}, false},
		"mostly cached":    {ask, messages.Usage{InputTokens: 100, CacheReadInputTokens: 10_000, OutputTokens: 1}, false},
		"a thrifty model":  {ask, messages.Usage{InputTokens: 8000, OutputTokens: 1}, false},
		"a context of 4 K": {ask, messages.Usage{InputTokens: 4096, OutputTokens: 1}, true},
		"a short prompt":   {question, messages.Usage{InputTokens: 300, OutputTokens: 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var log logged
			s := chatting(t, upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: "Hi.", Usage: tt.usage})), log.option)
			post(s, tt.body)
			if got := strings.Contains(log.String(), "OLLAMA_CONTEXT_LENGTH"); got != tt.warns {
				t.Errorf("warns %v:\n%s", got, &log)
			}
		})
	}
}
