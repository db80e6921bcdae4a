package proxy

import (
	"net/http"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// ofQwen is a question for a model that may or may not take a prefill.
var ofQwen = strings.Replace(question, "claude-2.1", "qwen", 1)

// goesOn is a model whose server continues a final assistant message. Without such a message, it writes prose.
func goesOn(_ string, p *translate.Prompt) upstreamtest.Completion {
	if p.Turns[len(p.Turns)-1].Role == messages.RoleAssistant {
		return upstreamtest.Completion{Text: "\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>"}
	}
	return upstreamtest.Completion{Text: "It rains."}
}

// inWords is a model that calls a tool when the prompt asks for a call in words. After a prefill, it answers with text.
func inWords(text string) upstreamtest.Script {
	return func(_ string, p *translate.Prompt) upstreamtest.Completion {
		if p.Turns[len(p.Turns)-1].Role == messages.RoleAssistant {
			return upstreamtest.Completion{Text: text}
		}
		return upstreamtest.Completion{Text: "Sure.\n" + strings.Join(weather[1:], "") + "</function_calls>"}
	}
}

// TestTryPrefill forces calls of models whose servers continue a final assistant message, and of models whose servers
// do not. Both make the call. The second request uses the way that works.
func TestTryPrefill(t *testing.T) {
	opening := "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>"
	refuses := func(status int, message string) upstreamtest.Script {
		return func(model string, p *translate.Prompt) upstreamtest.Completion {
			c := inWords("")(model, p)
			if p.Turns[len(p.Turns)-1].Role == messages.RoleAssistant {
				c.Fault = upstreamtest.Refuse(status, "invalid_request_error", message, "")
			}
			return c
		}
	}
	for name, tt := range map[string]struct {
		script  upstreamtest.Script
		repeats bool
		asked   int  // calls to the server for the first request
		prefill bool // the second request has a prefill
		known   bool // the server is known to continue a prefill, so it also gets a client's prefill
	}{
		"continues, as Ollama":             {goesOn, false, 1, true, true},
		"continues, as llama.cpp":          {goesOn, true, 1, true, true},
		"begins the call anew":             {inWords(opening + "\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>"), false, 1, true, false},
		"begins it anew, with other space": {inWords("\n" + opening + "\n<city>Oslo</city>\n</parameters>\n</invoke>\n</function_calls>"), false, 1, true, false},
		"answers in prose":                 {inWords("I would be happy to look at the weather in Oslo for you."), false, 2, false, false},
		"answers in prose, with a call":    {inWords("I look.\n" + strings.Join(weather[1:], "") + "</function_calls>"), false, 1, true, false},
		"says nothing":                     {inWords(""), false, 2, false, false},
		"refuses, in known words":          {refuses(400, "Unrecognized request arguments supplied: add_generation_prompt, continue_final_message"), false, 2, false, false},
		"refuses, in others":               {refuses(400, "property 'continue_final_message' is unsupported"), false, 2, false, false},
		"fails":                            {refuses(500, "the template raised an exception"), false, 2, false, false},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				asked := 0 // also counts rejected calls
				fake := upstreamtest.NewChat(func(model string, p *translate.Prompt) upstreamtest.Completion {
					asked++
					return tt.script(model, p)
				})
				fake.Repeats = tt.repeats
				s := chatting(t, fake, func(o *Options) { o.Routes[0].Kind = upstream.KindOpenAI })
				force := strings.TrimSuffix(ofQwen, "}") + `,"tool_choice":{"type":"tool","name":"get_weather"}}`
				if stream {
					force = streamed(force)
				}
				for i, want := range []int{tt.asked, 1} {
					asked = 0
					w := post(s, force)
					body := w.Body.String()
					if w.Code != 200 || !strings.Contains(body, `"name":"get_weather"`) || !strings.Contains(body, "Oslo") || strings.Contains(body, "happy") ||
						strings.Contains(body, "Sure") || !strings.Contains(body, `"tool_use"`) || w.Header().Get("X-Dragoman-Unmet") != "" {
						t.Errorf("request %d: status %d, %s", i, w.Code, body)
					}
					if asked != want {
						t.Errorf("request %d: %d calls, want %d", i, asked, want)
					}
				}
				requests := fake.Requests()
				turns := requests[len(requests)-1].Prompt.Turns
				if got := turns[len(turns)-1].Role == messages.RoleAssistant; got != tt.prefill {
					t.Errorf("the second request has a prefill: %v", got)
				}
				w := post(s, `{"model":"qwen","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"So <city"}]}`)
				if got := w.Code == http.StatusOK; got != tt.known {
					t.Errorf("the prefill of a client: status %d, %s", w.Code, w.Body)
				}
				if strings.Contains(w.Body.String(), "So <city") {
					t.Errorf("the prefill comes again: %s", w.Body)
				}
			})
		}
	}
}

// TestTryPrefillCut: an answer that ends at max_tokens before a call is complete shows nothing about the server, and
// Dragoman does not ask again.
func TestTryPrefillCut(t *testing.T) {
	fake := upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Text: "\n<city>Os", Stop: messages.StopMaxTokens, Usage: messages.Usage{InputTokens: 9, OutputTokens: 100}}))
	s := chatting(t, fake, func(o *Options) { o.Routes[0].Kind = upstream.KindOpenAI })
	body := post(s, strings.TrimSuffix(ofQwen, "}")+`,"tool_choice":{"type":"any"}}`).Body.String()
	if !strings.Contains(body, `"max_tokens"`) || len(fake.Requests()) != 1 {
		t.Errorf("%d requests, %s", len(fake.Requests()), body)
	}
}
