package proxy

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// chatReply returns a server of chat completions that answers every request with this stream: one event a line.
func chatReply(events string) *upstreamtest.Chat {
	var body strings.Builder
	for line := range strings.Lines(events) {
		body.WriteString("data: " + strings.TrimSpace(line) + "\n\n")
	}
	return replying("text/event-stream", body.String())
}

// replying returns a server of chat completions that answers every request with this body and media type.
func replying(kind, body string) *upstreamtest.Chat {
	return upstreamtest.NewChat(upstreamtest.Answer(upstreamtest.Completion{Fault: upstreamtest.Reply(200, kind, body)}))
}

// nativeStop returns the end of an answer with this stop reason, from a model with its own tools API.
func nativeStop(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":8}}`
}

// TestUnknownStopReason: if a server ends its answer with an unknown reason, the log has the reason, the metrics count
// it, and the answer to a prompt ends normally.
func TestUnknownStopReason(t *testing.T) {
	for word, wanted := range map[string]string{"bored": "bored", "bored\\nof it": "other", strings.Repeat("x", 50): "other", "stop": "", "length": ""} {
		for name, start := range map[string]func(*testing.T, *logged) *Server{
			"chat": func(t *testing.T, log *logged) *Server {
				return chatting(t, chatReply(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"`+word+`"}]}`), log.option)
			},
			"messages": func(t *testing.T, log *logged) *Server {
				return newServer(t, sending(t, nativeBegins, nativeStop(word), nativeStopped), log.option)
			},
			"native": func(t *testing.T, log *logged) *Server {
				return newServer(t, sending(t, nativeBegins, nativeStop(word), nativeStopped), withTools(ToolsNative), log.option)
			},
		} {
			t.Run(name+" "+word, func(t *testing.T) {
				var log logged
				s := start(t, &log)
				body := read(t, post(s, question).Result().Body)
				ends := `"stop_reason":"end_turn"`
				switch {
				case word == "length":
					ends = `"stop_reason":"max_tokens"`
				case name == "native" && wanted != "": // the client may know it
					ends = `"stop_reason":"` + word + `"`
				}
				if !strings.Contains(body, ends) {
					t.Errorf("answer %s, want %s", body, ends)
				}
				if got, _ := log.exchange(t)["unknown_stop_reason"].(string); got != wanted {
					t.Errorf("unknown_stop_reason %q, want %q", got, wanted)
				}
				w := httptest.NewRecorder()
				s.Admin().ServeHTTP(w, newRequest("GET", "/metrics", ""))
				if counted := strings.Contains(w.Body.String(), `dragoman_unknown_stop_reasons_total{upstream="`); counted != (wanted != "") {
					t.Errorf("counted: %v", counted)
				}
			})
		}
	}
}

// TestConnectionCutUpstream: if an upstream reports that it broke off, the client gets an error.
func TestConnectionCutUpstream(t *testing.T) {
	chat := chatting(t, chatReply(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"network_error"}]}`))
	events := []string{nativeBegins, nativeStop("network_error"), nativeStopped}
	for name, s := range map[string]*Server{
		"chat":     chat,
		"messages": newServer(t, sending(t, events...)),
		"native":   newServer(t, sending(t, events...), withTools(ToolsNative)),
	} {
		if w := post(s, question); w.Code != 502 || !strings.Contains(w.Body.String(), "broke off its answer: network_error") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if body := post(s, streamed(question)).Body.String(); !strings.Contains(body, `"type":"error"`) || strings.Contains(body, "message_stop") {
			t.Errorf("%s, streamed: %s", name, body)
		}
	}
}

// TestChatRefusal: if a model refuses through the refusal field, the client gets the text of the refusal.
func TestChatRefusal(t *testing.T) {
	for name, server := range map[string]*upstreamtest.Chat{
		"stream": chatReply(`{"choices":[{"delta":{"content":null,"refusal":"I can"}}]}
{"choices":[{"delta":{"refusal":"not."}}]}
{"choices":[{"delta":{},"finish_reason":"stop"}]}`),
		"whole": replying("application/json", `{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}`),
	} {
		got := post(chatting(t, server), question).Body.String()
		if !strings.Contains(got, `"text":"I cannot."`) || !strings.Contains(got, `"stop_reason":"refusal"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestHalvesOfPairs: if a server cuts an emoji in two and drops one half, the client gets the rest of the answer,
// streamed or whole.
func TestHalvesOfPairs(t *testing.T) {
	chat := func(texts ...string) *Server {
		var events strings.Builder
		for _, text := range texts {
			events.WriteString(`{"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n")
		}
		return chatting(t, chatReply(events.String()+`{"choices":[{"delta":{},"finish_reason":"stop"}]}`))
	}
	native := func(texts ...string) []string {
		events := []string{nativeBegins, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`}
		for _, text := range texts {
			events = append(events, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+text+`"}}`)
		}
		return append(events, `{"type":"content_block_stop","index":0}`, nativeStop("end_turn"), nativeStopped)
	}
	whole := chatting(t, replying("application/json", `{"choices":[{"message":{"content":"Hi \ud83d"},"finish_reason":"stop"}]}`))
	if got := post(whole, question).Body.String(); !strings.Contains(got, "\"Hi \ufffd\"") {
		t.Errorf("a whole answer: %s", got)
	}
	for _, tt := range []struct {
		texts []string
		want  string
	}{
		{[]string{`Hi \ud83d`, `\ude00!`}, "Hi 😀!"},
		{[]string{`Hi \ud83d`, `!`}, "Hi \ufffd!"},
		{[]string{`Hi `, `\ude00!`}, "Hi \ufffd!"},
	} {
		for name, s := range map[string]*Server{
			"chat":     chat(tt.texts...),
			"messages": newServer(t, sending(t, native(tt.texts...)...)),
			"native":   newServer(t, sending(t, native(tt.texts...)...), withTools(ToolsNative)),
		} {
			var whole message
			if err := json.Unmarshal(post(s, question).Body.Bytes(), &whole); err != nil {
				t.Fatal(err)
			}
			stream := accumulate(t, readFrames(t, post(s, streamed(question)).Body))
			if whole.Content[0].Text != tt.want || stream.Content[0].Text != tt.want {
				t.Errorf("%s, %q: %+v, streamed %+v", name, tt.texts, whole.Content, stream.Content)
			}
		}
	}
}

// TestHalfOfPairInInput: a model with its own tools API may write half a surrogate pair into the input of a call. The
// call is still complete. A stream has the input as the model wrote it.
func TestHalfOfPairInInput(t *testing.T) {
	events := append([]string{nativeBegins}, nativeCall(`{}`, `{"city":"Os\ud8`, `3dlo"}`)...)
	var log logged
	s := newServer(t, sending(t, append(events, nativeCalls, nativeStopped)...), withTools(ToolsNative), log.option)
	for name, got := range map[string]string{"messages": post(s, question).Body.String(), "converse": read(t, postTo(s, conversePath, converseQuestion).Body)} {
		got = strings.ReplaceAll(got, `\ufffd`, "\ufffd")
		if !strings.Contains(got, `"input":{"city":"Os`+"\ufffd"+`lo"}`) || !strings.Contains(got, `"tool_use"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if reasons, _ := log.exchange(t)["tool_call_reasons"].([]any); len(reasons) != 1 || reasons[0] != "none" {
		t.Errorf("reasons %v", reasons)
	}
}
