package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// readChunk reads a chunk's frame and returns its event. If the frame is an exception, it returns the exception's name
// and body.
func readChunk(t *testing.T, r io.Reader) (frame, error) {
	t.Helper()
	m, err := eventstream.NewDecoder().Decode(r, nil)
	if err != nil {
		return frame{}, err
	}
	headers := map[string]string{}
	for _, h := range m.Headers {
		headers[h.Name] = h.Value.String()
	}
	if headers[":content-type"] != "application/json" {
		t.Errorf("headers %v", headers)
	}
	if headers[":message-type"] == "exception" {
		return frame{headers[":exception-type"], string(m.Payload)}, nil
	}
	if headers[":message-type"] != "event" || headers[":event-type"] != "chunk" {
		t.Errorf("headers %v", headers)
	}
	var chunk struct{ Bytes []byte }
	var event struct{ Type string }
	if err := errors.Join(json.Unmarshal(m.Payload, &chunk), json.Unmarshal(chunk.Bytes, &event)); err != nil {
		t.Fatalf("%s: %v", m.Payload, err)
	}
	return frame{event.Type, string(chunk.Bytes)}, nil
}

func readChunks(t *testing.T, r io.Reader) (frames []frame) {
	t.Helper()
	for {
		f, err := readChunk(t, r)
		if err == io.EOF {
			return frames
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
}

// invocationMetrics are the metrics of the last chunk.
type invocationMetrics struct {
	InputTokenCount, OutputTokenCount, InvocationLatency, FirstByteLatency *int
	CacheReadInputTokenCount, CacheWriteInputTokenCount                    *int
}

func metricsOf(t *testing.T, frames []frame) invocationMetrics {
	t.Helper()
	if len(frames) == 0 {
		t.Fatal("no frames")
	}
	for i, f := range frames {
		if has := strings.Contains(f.data, "invocationMetrics"); has != (i == len(frames)-1) {
			t.Errorf("event %d of %d: %s", i, len(frames), f.data)
		}
	}
	var last struct {
		Metrics invocationMetrics `json:"amazon-bedrock-invocationMetrics"`
	}
	if err := json.Unmarshal([]byte(frames[len(frames)-1].data), &last); err != nil {
		t.Fatal(err)
	}
	m := last.Metrics
	if m.InvocationLatency == nil || m.FirstByteLatency == nil || *m.FirstByteLatency < 0 || *m.InvocationLatency < *m.FirstByteLatency {
		t.Errorf("latencies: %s", frames[len(frames)-1].data)
	}
	return m
}

// bedrockClient sends requests over a network.
type bedrockClient struct {
	*http.Client
	url string
}

func (c bedrockClient) post(t *testing.T, path, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// cached ends an answer with every kind of usage.
var cached = translate.Chunk{Stop: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 7, CacheReadInputTokens: 5, CacheCreationInputTokens: 3}}

func TestInvoke(t *testing.T) {
	tests := []struct {
		name       string
		up         any
		content    []block // without ids
		stopReason string
		caches     []int // read, written
	}{
		{"text", completing(endOfTurn, "It is ", "cold & <b>wet</b>.\u2028😀"), []block{{Type: "text", Text: "It is cold & <b>wet</b>.\u2028😀"}}, "end_turn", nil},
		{"with a cache", completing(cached, "It is"), []block{{Type: "text", Text: "It is"}}, "end_turn", []int{5, 3}},
		{"tool call", completing(endOfCall, weather...), []block{
			{Type: "text", Text: "Let me look."},
			{Type: "tool_use", Name: "get_weather", Input: json.RawMessage(`{"city":"Oslo"}`)},
		}, "tool_use", nil},
		{"thinking", upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{Usage: messages.Usage{InputTokens: 11}}, nil) && yield(translate.Chunk{Thinking: "So, "}, nil) &&
				yield(translate.Chunk{Thinking: "Oslo."}, nil) && yield(translate.Chunk{Text: "Cold."}, nil) && yield(endOfTurn, nil)
		}), []block{{Type: "thinking", Thinking: "So, Oslo."}, {Type: "text", Text: "Cold."}}, "end_turn", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := listen(t, newServer(t, tt.up))
			client := bedrockClient{srv.Client(), srv.URL}

			res := client.post(t, invokePath, bedrockQuestion)
			var whole message
			if err := json.NewDecoder(res.Body).Decode(&whole); err != nil || res.StatusCode != 200 {
				t.Fatalf("status %d, %v", res.StatusCode, err)
			}
			checkMessage(t, whole, tt.content, tt.stopReason)
			checkInvokeHeader(t, res.Header, tt.caches)

			res = client.post(t, streamPath, bedrockQuestion, "Content-Type", "application/octet-stream")
			frames := readChunks(t, res.Body)
			checkMessage(t, accumulate(t, frames), tt.content, tt.stopReason)
			for name, want := range map[string]string{
				"Content-Type": "application/vnd.amazon.eventstream", "X-Amzn-Bedrock-Content-Type": "application/json",
				"X-Dragoman-Upstream": "east", "X-Amzn-Requestid": res.Header.Get("request-id"),
			} {
				if got := res.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			m := metricsOf(t, frames)
			m.InvocationLatency, m.FirstByteLatency = nil, nil
			want := invocationMetrics{InputTokenCount: new(11), OutputTokenCount: new(7)}
			if tt.caches != nil {
				want.CacheReadInputTokenCount, want.CacheWriteInputTokenCount = &tt.caches[0], &tt.caches[1]
			}
			if diff := cmp.Diff(want, m); diff != "" {
				t.Errorf("metrics (-want +got):\n%s", diff)
			}
		})
	}
}

// checkInvokeHeader checks the headers of a whole message.
func checkInvokeHeader(t *testing.T, h http.Header, caches []int) {
	t.Helper()
	want := map[string]string{
		"Content-Type": "application/json", "X-Amzn-Requestid": h.Get("request-id"),
		"X-Amzn-Bedrock-Input-Token-Count": "11", "X-Amzn-Bedrock-Output-Token-Count": "7",
		"X-Amzn-Bedrock-Cache-Read-Input-Token-Count": "", "X-Amzn-Bedrock-Cache-Write-Input-Token-Count": "",
	}
	if caches != nil {
		want["X-Amzn-Bedrock-Cache-Read-Input-Token-Count"], want["X-Amzn-Bedrock-Cache-Write-Input-Token-Count"] = "5", "3"
	}
	for name, value := range want {
		if got := h.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
	if got := h.Get("X-Amzn-Bedrock-Invocation-Latency"); got == "" || strings.Trim(got, "0123456789") != "" {
		t.Errorf("X-Amzn-Bedrock-Invocation-Latency: %q", got)
	}
}

// TestInvokeLatencies: the model thinks for 100 ms and speaks for 200 ms.
func TestInvokeLatencies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, slow(
			pause{100 * time.Millisecond, translate.Chunk{}},
			pause{200 * time.Millisecond, translate.Chunk{Text: "hi"}}, pause{0, endOfTurn},
		))
		if got := postTo(s, invokePath, bedrockQuestion).Header.Get("X-Amzn-Bedrock-Invocation-Latency"); got != "300" {
			t.Errorf("a message took %s ms", got)
		}
		m := metricsOf(t, readChunks(t, postTo(s, streamPath, bedrockQuestion).Body))
		if *m.FirstByteLatency != 100 || *m.InvocationLatency != 300 {
			t.Errorf("a stream took %d ms, %d until its first event", *m.InvocationLatency, *m.FirstByteLatency)
		}
	})
}

// TestInvokeNative: a model with its own tools API answers.
func TestInvokeNative(t *testing.T) {
	body := `{"anthropic_version":"2026-10-21","anthropic_beta":["a"], "messages":"for the model to judge"}`
	m := &nativeModel{text: "Hi"}
	s := newServer(t, m, withTools(ToolsNative))
	frames := readChunks(t, postTo(s, streamPath, body, "Anthropic-Version", "2023-06-01").Body)
	if got := names(frames); !strings.HasPrefix(got, "message_start surprise content_block_start ") {
		t.Errorf("events %s", got)
	}
	got := metricsOf(t, frames)
	if *got.InputTokenCount != 5 || *got.OutputTokenCount != 8 {
		t.Errorf("metrics %+v", got)
	}
	if n := m.passed[0]; string(n.Body) != body || n.Version != "" {
		t.Errorf("passed on: %s, %q", n.Body, n.Version)
	}
}

// The path decides the model and the streaming, whatever the body says.
func TestInvokeIgnoresModelAndStream(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Strict = true })
	for _, members := range []string{"", `"model":"gpt","stream":true,`, `"model":7,"stream":"yes",`, `"stream":false,`} {
		body := strings.Replace(bedrockQuestion, "{", "{"+members, 1)
		var whole message
		if err := json.NewDecoder(postTo(s, invokePath, body).Body).Decode(&whole); err != nil || whole.Model != "claude-2.1" {
			t.Errorf("%s: %+v, %v", members, whole, err)
		}
		if m := accumulate(t, readChunks(t, postTo(s, streamPath, body).Body)); m.Model != "claude-2.1" {
			t.Errorf("%s: %+v", members, m)
		}
	}
}

func TestInvokeTakesTheVersionOfTheBody(t *testing.T) {
	body := strings.Replace(bedrockQuestion, "{", `{"temperature":1,`, 1)
	s := newServer(t, completing(endOfTurn, "hi"))
	if w := postTo(s, invokePath, body, "Anthropic-Version", "2026-10-21"); w.StatusCode != 200 {
		t.Errorf("status %d", w.StatusCode)
	}
	body = strings.Replace(body, "bedrock-2023-05-31", "2026-10-21", 1)
	checkException(t, postTo(s, invokePath, body, "Anthropic-Version", "2023-06-01"), 400, "ValidationException")
}

// Pings break a silence. A client that leaves during a silence ends the upstream's call.
func TestInvokeClientLeaves(t *testing.T) {
	up := newHanging(translate.Chunk{}, translate.Chunk{Text: "It is "})
	var log logged
	s := newServer(t, up.upstream(), log.option, func(o *Options) { o.Ping = time.Millisecond })
	srv := listen(t, s)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+streamPath, strings.NewReader(bedrockQuestion))
	if err != nil {
		t.Fatal(err)
	}
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body := bufio.NewReader(res.Body)
	var events []frame
	for len(events) < 7 {
		f, err := readChunk(t, body)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, f)
	}
	if !slices.Contains(events[4:], frame{"ping", `{"type":"ping"}`}) {
		t.Errorf("events %v", events)
	}
	<-up.hangs
	leave()
	if err := <-up.ended; err == nil {
		t.Error("the upstream's context goes on")
	}
	srv.Close() // waits for the exchange to end
	if fields := log.exchange(t); fields["terminal"] != "client_gone" || fields["dialect"] != "bedrock_invoke" {
		t.Errorf("logged %v", fields)
	}
}
