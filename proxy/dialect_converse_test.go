package proxy

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dragoman/translate"
	"dragoman/translate/messages"
)

const (
	conversePath       = "/model/claude-2.1/converse"
	converseStreamPath = "/model/claude-2.1/converse-stream"

	converseQuestion = `{"messages":[{"role":"user","content":[{"text":"What is the weather in Oslo?"}]}],` +
		`"toolConfig":{"tools":[{"toolSpec":{"name":"get_weather","inputSchema":{"json":{"type":"object","properties":{"city":{"type":"string"}}}}}}]}}`
)

// The ids of calls and the latencies differ each time.
var (
	anyID      = regexp.MustCompile(`"toolu_\w+"`)
	anyLatency = regexp.MustCompile(`"latencyMs":\d+`)
)

func fixed(s string) string {
	return anyLatency.ReplaceAllString(anyID.ReplaceAllString(s, `"ID"`), `"latencyMs":0`)
}

// readEvents reads a stream, one event or exception a line.
func readEvents(t *testing.T, r io.Reader) string {
	t.Helper()
	var lines strings.Builder
	for {
		m, err := eventstream.NewDecoder().Decode(r, nil)
		if err == io.EOF {
			return lines.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		kind := ":" + m.Headers.Get(":message-type").String() + "-type"
		lines.WriteString(m.Headers.Get(kind).String() + " " + fixed(string(m.Payload)) + "\n")
	}
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// ends returns the end of an upstream's answer.
func ends(stop messages.Stop) translate.Chunk {
	return translate.Chunk{Stop: stop, Usage: messages.Usage{OutputTokens: 7}}
}

func TestConverse(t *testing.T) {
	const (
		begins  = `messageStart {"role":"assistant"}` + "\n"
		usage   = `"usage":{"inputTokens":11,"outputTokens":7,"totalTokens":18,"cacheReadInputTokens":0,"cacheWriteInputTokens":0},"metrics":{"latencyMs":0}}`
		cold    = `{"text":"It is cold & <b>wet</b>.\u2028😀"}`
		stopped = "contentBlockStop {\"contentBlockIndex\":0}\n"
	)
	text := func(s string) string {
		return `contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"` + s + `"}}` + "\n"
	}
	thinking := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		_ = yield(translate.Chunk{Usage: messages.Usage{InputTokens: 11}}, nil) && yield(translate.Chunk{Thinking: "So, "}, nil) &&
			yield(translate.Chunk{Thinking: "Oslo."}, nil) && yield(translate.Chunk{Text: "Cold."}, nil) && yield(endOfTurn, nil)
	})
	cached := translate.Chunk{Stop: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 7, CacheReadInputTokens: 5, CacheCreationInputTokens: 3}}
	sequence := translate.Chunk{Stop: messages.StopSequence, StopSequence: "END", Usage: messages.Usage{OutputTokens: 7}}
	tests := []struct {
		name            string
		up              any
		content, ending string // of the whole answer
		events, last    string // events: the stream without its first and last event; last: fields of the last event before the usage
	}{
		{"text", completing(endOfTurn, "It is ", "cold & <b>wet</b>.\u2028😀"), strings.ReplaceAll(cold, `\u2028`, "\u2028"), `"stopReason":"end_turn",` + usage,
			text("It is") + text(" cold & <b>wet</b>.\u2028😀") + stopped, `{"stopReason":"end_turn"}`},
		{"call", completing(endOfCall, weather...), `{"text":"Let me look."},{"toolUse":{"toolUseId":"ID","name":"get_weather","input":{"city":"Oslo"}}}`, `"stopReason":"tool_use",` + usage,
			text("Let me") + text(" look.") + stopped +
				`contentBlockStart {"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"ID","name":"get_weather"}}}` + "\n" +
				`contentBlockDelta {"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"city\":\"Oslo\"}"}}}` + "\n" +
				`contentBlockStop {"contentBlockIndex":1}` + "\n", `{"stopReason":"tool_use"}`},
		{"reasoning", thinking, `{"reasoningContent":{"reasoningText":{"text":"So, Oslo."}}},{"text":"Cold."}`, `"stopReason":"end_turn",` + usage,
			`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"So, "}}}` + "\n" +
				`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Oslo."}}}` + "\n" + stopped +
				`contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"Cold."}}` + "\n" + `contentBlockStop {"contentBlockIndex":1}` + "\n",
			`{"stopReason":"end_turn"}`},
		{"stop sequence", completing(sequence, "So"), `{"text":"So"}`, `"stopReason":"stop_sequence","additionalModelResponseFields":{"stop_sequence":"END","delta":{"stop_sequence":"END"}},` + usage,
			text("So") + stopped, `{"stopReason":"stop_sequence","additionalModelResponseFields":{"stop_sequence":"END","delta":{"stop_sequence":"END"}}}`},
		{"cut", completing(ends(messages.StopMaxTokens), "So"), `{"text":"So"}`, `"stopReason":"max_tokens",` + usage, text("So") + stopped, `{"stopReason":"max_tokens"}`},
		{"refusal", completing(ends(messages.StopRefusal), "No"), `{"text":"No"}`, `"stopReason":"content_filtered",` + usage, text("No") + stopped, `{"stopReason":"content_filtered"}`},
		{"out of context", completing(ends(messages.StopContextWindow), "So"), `{"text":"So"}`, `"stopReason":"model_context_window_exceeded",` + usage,
			text("So") + stopped, `{"stopReason":"model_context_window_exceeded"}`},
		{"with a cache", completing(cached, "So"), `{"text":"So"}`, `"stopReason":"end_turn",` + strings.NewReplacer("18", "26", `ReadInputTokens":0`, `ReadInputTokens":5`, `WriteInputTokens":0`, `WriteInputTokens":3`).Replace(usage),
			text("So") + stopped, `{"stopReason":"end_turn"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.up)
			w := postTo(s, conversePath, converseQuestion)
			want := `{"output":{"message":{"role":"assistant","content":[` + tt.content + `]}},` + tt.ending
			if diff := cmp.Diff(want, fixed(read(t, w.Body))); diff != "" || w.StatusCode != 200 {
				t.Errorf("status %d: %s", w.StatusCode, diff)
			}
			w = postTo(s, converseStreamPath, converseQuestion)
			_, metadata, _ := strings.Cut(tt.ending, `"usage"`)
			want = begins + tt.events + "messageStop " + tt.last + "\n" + `metadata {"usage"` + metadata + "\n"
			if diff := cmp.Diff(want, readEvents(t, w.Body)); diff != "" {
				t.Error(diff)
			}
			for name, want := range map[string]string{
				"Content-Type": "application/vnd.amazon.eventstream", "X-Dragoman-Upstream": "east", "X-Amzn-Requestid": w.Header.Get("request-id"),
			} {
				if got := w.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

// A model without a tools API gets the same prompt from Converse as from the Messages API.
func TestConverseIsMessages(t *testing.T) {
	in := strings.Replace(converseQuestion, `{"messages"`, `{"system":[{"text":"Be brief."}],"inferenceConfig":{"maxTokens":9,"temperature":0.5,"topP":0.9,"stopSequences":["END"]},"additionalModelRequestFields":{"top_k":5},"messages"`, 1)
	same := strings.NewReplacer(`"max_tokens":100`, `"max_tokens":9,"system":"Be brief.","temperature":0.5,"top_p":0.9,"top_k":5,"stop_sequences":["END"]`, `"description":"Weather",`, "", `,"required":["city"]`, "").Replace(question)
	up := &flaky{name: "east"}
	s := newServer(t, up)
	if w := postTo(s, conversePath, in); w.StatusCode != 200 {
		t.Fatal(read(t, w.Body))
	}
	if w := post(s, same); w.Code != 200 {
		t.Fatal(w.Body)
	}
	if diff := cmp.Diff(up.calls[1].prompt, up.calls[0].prompt, cmpopts.IgnoreUnexported(translate.Prompt{}), cmpopts.IgnoreFields(translate.Prompt{}, "Asking")); diff != "" {
		t.Error(diff)
	}
}

// A model with its own tools API gets a body of that API. The client gets only the parts of the answer that Converse
// has.
func TestConverseNative(t *testing.T) {
	m := &nativeModel{text: "Hi"}
	s := newServer(t, m, withTools(ToolsNative))
	in := strings.Replace(converseQuestion, `{"messages"`, `{"performanceConfig":{},"messages"`, 1)
	w := postTo(s, converseStreamPath, in)
	want := `messageStart {"role":"assistant"}
contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"Hi"}}
contentBlockStop {"contentBlockIndex":0}
contentBlockStart {"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t","name":"get_weather"}}}
contentBlockDelta {"contentBlockIndex":1,"delta":{"toolUse":{"input":"{}"}}}
contentBlockStop {"contentBlockIndex":1}
messageStop {"stopReason":"tool_use"}
`
	events := readEvents(t, w.Body)
	if !strings.HasPrefix(events, want) || w.Header.Get("X-Dragoman-Dropped") != "performanceConfig" {
		t.Errorf("%s\ndropped %s", events, w.Header.Get("X-Dragoman-Dropped"))
	}
	if got := string(m.passed[0].Body); got != `{"max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"What is the weather in Oslo?"}]}],`+
		`"tools":[{"name":"get_weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}]}` {
		t.Errorf("passed on: %s", got)
	}
	w = postTo(s, conversePath, in)
	if got := read(t, w.Body); !strings.Contains(got, `[{"text":"Hi"},{"toolUse":{"toolUseId":"t","name":"get_weather","input":{}}}]`) {
		t.Error(got)
	}
}

// Converse has no place for the results of a model's own tools.
func TestConverseFramesOfOthers(t *testing.T) {
	f := bedrockConverse.newFrames(http.Header{}, nil)
	var dst []byte
	for _, e := range []messages.Event{
		{Type: messages.ContentBlockStart, Block: &messages.ContentBlock{Type: "server_tool_use"}},
		{Type: messages.ContentBlockDelta, Delta: messages.InputJSONDelta, Text: []byte("{}")},
		{Type: messages.ContentBlockStop},
		{Type: messages.Ping}, {Type: messages.OtherEvent},
		{Type: messages.ContentBlockStart, Index: 1, Block: &messages.ContentBlock{Type: messages.BlockThinking, Thinking: "t"}},
		{Type: messages.ContentBlockDelta, Index: 1, Delta: messages.SignatureDelta, Text: []byte("s")},
		{Type: messages.ContentBlockDelta, Index: 1, Delta: messages.OtherDelta},
		{Type: messages.ContentBlockStop, Index: 1},
		{Type: messages.ContentBlockStart, Index: 2, Block: &messages.ContentBlock{Type: messages.BlockRedacted, Data: "c2VjcmV0"}},
		{Type: messages.ContentBlockStop, Index: 2},
		{Type: messages.MessageDelta, Message: &messages.Message{StopReason: "pause_turn"}},
		{Type: messages.MessageStop},
	} {
		dst = f.appendEvent(dst, e, 5*time.Millisecond)
	}
	want := `contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"t"}}}
contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"s"}}}
contentBlockStop {"contentBlockIndex":0}
contentBlockDelta {"contentBlockIndex":1,"delta":{"reasoningContent":{"redactedContent":"c2VjcmV0"}}}
contentBlockStop {"contentBlockIndex":1}
messageStop {"stopReason":"end_turn"}
metadata {"usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0,"cacheReadInputTokens":0,"cacheWriteInputTokens":0},"metrics":{"latencyMs":0}}
`
	if diff := cmp.Diff(want, readEvents(t, strings.NewReader(string(dst)))); diff != "" {
		t.Error(diff)
	}
}

// Redacted thinking reaches the client unchanged, so that it can send it back.
func TestConverseRedactedThinking(t *testing.T) {
	m := &messages.Message{StopReason: messages.StopEndTurn, Content: []messages.ContentBlock{{Type: messages.BlockRedacted, Data: "c2VjcmV0"}}}
	got := string(bedrockConverse.appendMessage(http.Header{}, nil, nil, m, 0))
	if !strings.Contains(got, `"content":[{"reasoningContent":{"redactedContent":"c2VjcmV0"}}]`) {
		t.Error(got)
	}
}

// During a silence, the server sends events without content that no Converse client knows.
func TestConverseSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			if yield(translate.Chunk{}, nil) && yield(translate.Chunk{Text: "Well"}, nil) {
				time.Sleep(35 * time.Second)
				yield(endOfTurn, nil)
			}
		})
		w := postTo(newServer(t, up), converseStreamPath, converseQuestion)
		got := readEvents(t, w.Body)
		if strings.Count(got, "\n") != 8 || strings.Count(got, "ping {}\n") != 3 {
			t.Errorf("events:\n%s", got)
		}
	})
}
