package telemetry

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"dragoman/translate/messages"
)

// TestContentBounds: contents are JSON with a limited length, whatever a request has; the newest messages are kept.
func TestContentBounds(t *testing.T) {
	req := &messages.Request{System: []messages.BlockParam{{Type: messages.BlockText, Text: strings.Repeat("é", longestContent)}}}
	for range 1000 {
		block := messages.BlockParam{Type: messages.BlockText, Text: strings.Repeat("old ", 100)}
		req.Messages = append(req.Messages, messages.MessageParam{Role: messages.RoleUser, Content: []messages.BlockParam{block, {Type: messages.BlockImage}}})
		req.Tools = append(req.Tools, messages.Tool{Name: "t", Description: "d", InputSchema: jsontext.Value(`{"a":"` + strings.Repeat("x", 1000) + `"}`)})
	}
	req.Messages[999].Content[0].Text = "newest"
	c := contentsOf(req)
	for name, text := range map[string]string{"system": c.system, "messages": c.messages, "tools": c.tools} {
		if !jsontext.Value(text).IsValid() || len(text) > 2*longestContent || len(text) < longestContent/2 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
	}
	if !c.truncated || !strings.HasSuffix(c.messages, `{"role":"user","parts":[{"type":"text","content":"newest"},{"type":"image"}]}]`) {
		t.Errorf("truncated %v: %s", c.truncated, c.messages[len(c.messages)-200:])
	}
}

// TestOutputBounds: answers are limited in the same way; the arguments of a cut call are omitted.
func TestOutputBounds(t *testing.T) {
	o := &output{}
	block := func(b messages.ContentBlock, delta messages.DeltaType, pieces ...string) {
		o.add(&messages.Event{Type: messages.ContentBlockStart, Block: &b})
		for _, piece := range pieces {
			o.add(&messages.Event{Type: messages.ContentBlockDelta, Delta: delta, Text: []byte(piece)})
		}
		o.add(&messages.Event{Type: messages.ContentBlockStop})
	}
	block(messages.ContentBlock{Type: messages.BlockThinking}, messages.ThinkingDelta, "so", "me")
	block(messages.ContentBlock{Type: messages.BlockToolUse, ID: "1", Name: "a"}, messages.InputJSONDelta, `{"a"`, `:1}`)
	block(messages.ContentBlock{Type: messages.BlockToolUse, ID: "2", Name: "b"}, messages.InputJSONDelta, `{"a"`)
	block(messages.ContentBlock{Type: messages.BlockText, Text: "x"}, messages.TextDelta, "y", strings.Repeat("z", longestContent))
	block(messages.ContentBlock{Type: messages.BlockText}, messages.TextDelta, "no room")
	spans := tracetest.NewSpanRecorder()
	_, s := trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("").Start(t.Context(), "chat")
	o.set(span{s}, "end_turn")
	s.End()
	attributes := spans.Ended()[0].Attributes()
	got := attributes[0].Value.AsString()
	const want = `[{"role":"assistant","parts":[{"type":"reasoning","content":"some"},{"type":"tool_call","id":"1","name":"a","arguments":{"a":1}},{"type":"tool_call","id":"2","name":"b"},{"type":"text","content":"xyzzz`
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `z"}],"finish_reason":"end_turn"}]`) || len(got) > longestContent+500 || len(attributes) != 2 || attributes[1].Key != attrTruncated {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}
