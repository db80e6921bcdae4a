package proxy

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// nativeModel is an upstream whose model has tools, or says that it has none.
type nativeModel struct {
	flaky
	refuses bool
	text    string
	passed  []upstream.Native
}

var noTools = &upstream.Error{Status: 400, Type: "invalid_request_error", Message: "no tools", Refuses: upstream.Tools}

func (n *nativeModel) Pass(_ context.Context, _ upstream.Model, request upstream.Native) iter.Seq2[messages.Event, error] {
	n.passed = append(n.passed, request)
	return func(yield func(messages.Event, error) bool) {
		if n.refuses {
			yield(messages.Event{}, noTools)
			return
		}
		for _, e := range []messages.Event{
			{Type: messages.MessageStart, Raw: jsontext.Value(`{"type":"message_start","message":{"id":"msg_x","content":[],"mine":1,"usage":{"input_tokens":5}}}`),
				Message: &messages.Message{RequestID: "req-of-the-model", Usage: messages.Usage{InputTokens: 5}}},
			{Type: messages.OtherEvent, Raw: jsontext.Value(`{"type":"surprise"}`)},
			{Type: messages.ContentBlockStart, Raw: jsontext.Value(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`),
				Block: &messages.ContentBlock{Type: messages.BlockText}},
			{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Text: []byte(n.text),
				Raw: jsontext.Value(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + n.text + `"}}`)},
			{Type: messages.ContentBlockStop, Raw: jsontext.Value(`{"type":"content_block_stop","index":0}`)},
			{Type: messages.ContentBlockStart, Index: 1, Raw: jsontext.Value(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"get_weather","input":{}}}`),
				Block: &messages.ContentBlock{Type: messages.BlockToolUse, ID: "t", Name: "get_weather"}},
			{Type: messages.ContentBlockStop, Index: 1, Raw: jsontext.Value(`{"type":"content_block_stop","index":1}`)},
			{Type: messages.MessageDelta, Raw: jsontext.Value(`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":8}}`),
				Message: &messages.Message{StopReason: messages.StopToolUse, Usage: messages.Usage{InputTokens: 5, OutputTokens: 8}}},
			{Type: messages.MessageStop, Raw: jsontext.Value(`{"type":"message_stop"}`)},
		} {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func withTools(tools string) func(*Options) {
	return func(o *Options) { o.Routes[0].Kind, o.Routes[0].Tools = upstream.KindBedrock, tools }
}

// A model with its own tools API gets what the client sent, and the client gets what the model sent.
func TestNative(t *testing.T) {
	odd := `{"messages":"for the model to judge","model":"claude-2.1", "thinking": {"type":"adaptive"},"tools":[{"type":"web_search_20260101"}]}`
	m := &nativeModel{text: "Hi"}
	s := newServer(t, m, withTools(ToolsNative))
	w := post(s, streamed(odd), "Anthropic-Beta", "a, b,c", "Anthropic-Version", "2026-10-21", "Authorization", "Bearer mine")
	want := "event: message_start\ndata: " + `{"type":"message_start","message":{"id":"msg_x","content":[],"mine":1,"usage":{"input_tokens":5}}}` + "\n\n" +
		"event: surprise\ndata: " + `{"type":"surprise"}` + "\n\nevent: content_block_start\n"
	if !strings.HasPrefix(w.Body.String(), want) {
		t.Errorf("stream:\n%s", w.Body)
	}
	got := m.passed[0]
	if string(got.Body) != streamed(odd) || strings.Join(got.Betas, " ") != "a b c" || got.Version != "2026-10-21" {
		t.Errorf("passed on: %s, %q, %q", got.Body, got.Betas, got.Version)
	}
	if dropped := w.Result().Header.Get("X-Dragoman-Dropped"); dropped != "" {
		t.Errorf("dropped %s", dropped)
	}

	whole := post(s, odd)
	if want := `{"id":"msg_x","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"get_weather","input":{}}],"mine":1,"usage":{"input_tokens":5,"output_tokens":8},"stop_reason":"tool_use"}`; whole.Body.String() != want {
		t.Errorf("message: %s", whole.Body)
	}
}

// The tools API first, and in words after the first refusal.
func TestAuto(t *testing.T) {
	m := &nativeModel{flaky: flaky{name: "east"}, refuses: true}
	s := newServer(t, m, withTools(ToolsAuto))
	for i, want := range []string{"2", "1"} {
		if got := see(post(s, strings.Replace(question, "claude-2.1", "claude-3-haiku", 1))); got.text != "from east" || got.attempts != want {
			t.Errorf("request %d: %+v", i, got)
		}
	}
	if len(m.passed) != 1 || len(m.calls) != 2 || m.calls[0].prompt.System == nil {
		t.Errorf("asked %d times natively, %d times in words", len(m.passed), len(m.calls))
	}
}

// A model with tools: native is never asked in words, and never twice.
func TestNativeRefusal(t *testing.T) {
	m := &nativeModel{refuses: true}
	got := see(post(newServer(t, m, withTools(ToolsNative)), question))
	if got.status != 400 || len(m.passed) != 1 || len(m.calls) != 0 {
		t.Errorf("%+v after %d and %d calls", got, len(m.passed), len(m.calls))
	}
}

// A model without the Messages API is asked in words, unless the entry rules that out.
func TestNativeModelOfAnotherAPI(t *testing.T) {
	for tools, status := range map[string]int{ToolsAuto: 200, ToolsNative: 400} {
		m := &nativeModel{flaky: flaky{name: "east"}}
		s := newServer(t, m, withTools(tools), func(o *Options) { o.Routes[0].Model = "us.amazon.nova-pro-v1:0" })
		if got := see(post(s, question)); got.status != status || len(m.passed) != 0 {
			t.Errorf("%s: %+v, passed on %d times", tools, got, len(m.passed))
		}
	}
}

// A request that is read for both ways loses nothing.
func TestAutoReadsTwice(t *testing.T) {
	m := &nativeModel{flaky: flaky{name: "east"}, refuses: true}
	forced := strings.Replace(question, `"messages"`, `"tool_choice":{"type":"tool","name":"get_weather","disable_parallel_tool_use":true},"messages"`, 1)
	got := see(post(newServer(t, m, withTools(ToolsAuto)), strings.Replace(forced, "claude-2.1", "claude-3-haiku", 1)))
	if got.status != 200 || len(m.calls) != 2 { // the model does not continue the call that the prefill opens, so it is asked again
		t.Errorf("%+v after %d calls", got, len(m.calls))
	}
}

// A call that the model writes as text stays text: the request passed through, so nothing in it is escaped.
func TestNativeTextStays(t *testing.T) {
	text := `<invoke name=\"get_weather\"><parameter name=\"city\">Oslo</parameter></invoke>`
	if body := post(newServer(t, &nativeModel{text: text}, withTools(ToolsNative)), question).Body.String(); !strings.Contains(body, `"content":[{"type":"text","text":"`+text+`"}`) {
		t.Error(body)
	}
}

func TestNewRefusesNativeTools(t *testing.T) {
	_, err := New(Options{
		Routes:    []Route{{Name: "*", UpstreamModel: UpstreamModel{Upstream: "east", Tools: ToolsAuto}}},
		Upstreams: playAll(map[string]any{"east": &flaky{}}),
	})
	if err == nil {
		t.Error("an upstream without a tool API is asked natively")
	}
}
