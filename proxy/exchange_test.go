package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/upstream"
)

func TestMessage(t *testing.T) {
	tests := []struct {
		name       string
		up         any
		content    []block // without ids
		stopReason string
	}{{
		name:       "text",
		up:         completing(endOfTurn, "It is ", "cold & <b>wet</b>.\n\nevent: x\ndata: {}\n\n\u2028ok"),
		content:    []block{{Type: "text", Text: "It is cold & <b>wet</b>.\n\nevent: x\ndata: {}\n\n\u2028ok"}},
		stopReason: "end_turn",
	}, {
		name: "tool call",
		up:   completing(endOfCall, weather...),
		content: []block{
			{Type: "text", Text: "Let me look."},
			{Type: "tool_use", Name: "get_weather", Input: json.RawMessage(`{"city":"Oslo"}`)},
		},
		stopReason: "tool_use",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := listen(t, newServer(t, tt.up))

			res, err := srv.Client().Post(srv.URL+"/v1/messages?beta=true", "application/json", strings.NewReader(question))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			var whole message
			if err := json.NewDecoder(res.Body).Decode(&whole); err != nil || res.StatusCode != 200 {
				t.Fatalf("status %d, %v", res.StatusCode, err)
			}
			if got := res.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type %q", got)
			}
			checkMessage(t, whole, tt.content, tt.stopReason)

			res, err = srv.Client().Post(srv.URL+"/v1/messages", "", strings.NewReader(streamed(question)))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			for name, want := range map[string]string{
				"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
				"X-Dragoman-Upstream": "east", "X-Dragoman-Attempts": "1",
			} {
				if got := res.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if !isRequestID(res.Header.Get("request-id")) {
				t.Errorf("request-id %q", res.Header.Get("request-id"))
			}
			checkMessage(t, accumulate(t, readFrames(t, res.Body)), tt.content, tt.stopReason)
		})
	}
}

// checkMessage checks a message without the ids of its blocks.
func checkMessage(t *testing.T, m message, content []block, stopReason string) {
	t.Helper()
	if id, ok := strings.CutPrefix(m.ID, "msg_"); !ok || len(id) != 24 || strings.Trim(id, alphanumeric) != "" {
		t.Errorf("id %q", m.ID)
	}
	if m.Model != "claude-2.1" || m.StopReason != stopReason {
		t.Errorf("model %q, stop_reason %q; want %q", m.Model, m.StopReason, stopReason)
	}
	if m.Usage["input_tokens"] != 11. || m.Usage["output_tokens"] != 7. {
		t.Errorf("usage %v", m.Usage)
	}
	for i := range m.Content {
		b := &m.Content[i]
		if (b.Type == "tool_use") != strings.HasPrefix(b.ID, "toolu_") {
			t.Errorf("a %s block has the id %q", b.Type, b.ID)
		}
		b.ID = ""
	}
	if diff := cmp.Diff(content, m.Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestIDsAreNew(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	seen := map[string]bool{}
	for range 10 {
		w := post(s, question)
		var m message
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{m.ID, w.Header().Get("request-id")} {
			if seen[id] {
				t.Errorf("%s came twice", id)
			}
			seen[id] = true
		}
	}
}

// failing returns an upstream that fails with err after the chunks.
func failing(err error, chunks ...translate.Chunk) upstreamFunc {
	return func(_ context.Context, yield func(translate.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		yield(translate.Chunk{}, err)
	}
}

func TestUpstreamFails(t *testing.T) {
	overloaded := &upstream.Error{Status: 529, Type: "overloaded_error", Message: "Overloaded", RetryAfter: 6500 * time.Millisecond, Err: errors.New("secret")}
	tests := []struct {
		name       string
		err        error
		status     int
		typ        string
		message    string
		retryAfter string
	}{
		{"overloaded", overloaded, 529, "overloaded_error", "Overloaded", "7"},
		{"not in the terms of the API", &upstream.Error{Message: "odd"}, 500, "api_error", "odd", ""},
		{"unexpected", errors.New("secret"), 500, "api_error", "internal error", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, body := range map[string]string{"whole": question, "stream": streamed(question)} {
				w := post(newServer(t, failing(tt.err)), body).Result()
				if got := checkError(t, w, tt.status, tt.typ); got != tt.message {
					t.Errorf("%s: message %q", name, got)
				}
				if got := w.Header.Get("Retry-After"); got != tt.retryAfter {
					t.Errorf("%s: Retry-After %q, want %q", name, got, tt.retryAfter)
				}
			}
			midway := newServer(t, failing(tt.err, translate.Chunk{}, translate.Chunk{Text: "It is "}))
			checkError(t, post(midway, question).Result(), tt.status, tt.typ)

			w := post(midway, streamed(question)).Result()
			frames := readFrames(t, w.Body)
			if got, want := names(frames), "message_start ping content_block_start content_block_delta error"; got != want {
				t.Fatalf("events %s, want %s", got, want)
			}
			var e apiError
			if err := json.Unmarshal([]byte(frames[len(frames)-1].data), &e); err != nil {
				t.Fatal(err)
			}
			if w.StatusCode != 200 || e.Type != "error" || e.Error.Type != tt.typ || e.Error.Message != tt.message || e.ID != w.Header.Get("request-id") {
				t.Errorf("status %d, %+v", w.StatusCode, e)
			}
		})
	}
}

// However much of an answer arrived before it broke off, the answer never looks finished.
func TestTruncatedAnswerNeverLooksFinished(t *testing.T) {
	text := strings.Join(weather, "")
	for n := range len(text) {
		cut := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{}, nil) && yield(translate.Chunk{Text: text[:n]}, nil)
		})
		s := newServer(t, cut)
		checkError(t, post(s, question).Result(), 500, "api_error")
		events := names(readFrames(t, post(s, streamed(question)).Body))
		if !strings.HasSuffix(events, " error") || strings.Contains(events, "message_delta") || strings.Contains(events, "message_stop") {
			t.Fatalf("cut after %q: %s", text[:n], events)
		}
	}
}

func TestUpstreamWithoutChunks(t *testing.T) {
	s := newServer(t, upstreamFunc(func(context.Context, func(translate.Chunk, error) bool) {}))
	checkError(t, post(s, question).Result(), 500, "api_error")
	checkError(t, post(s, streamed(question)).Result(), 500, "api_error")
}

func TestPanicIsContained(t *testing.T) {
	up := func(chunks ...translate.Chunk) upstreamFunc {
		return func(_ context.Context, yield func(translate.Chunk, error) bool) {
			for _, c := range chunks {
				if !yield(c, nil) {
					return
				}
			}
			panic("in the upstream")
		}
	}
	var log logged
	first, later := newServer(t, up(), log.option), newServer(t, up(translate.Chunk{}, translate.Chunk{Text: "It "}), log.option)
	checkError(t, post(first, question).Result(), 500, "api_error")
	checkError(t, post(first, streamed(question)).Result(), 500, "api_error")
	checkError(t, post(later, question).Result(), 500, "api_error")
	if got := names(readFrames(t, post(later, streamed(question)).Body)); !strings.HasSuffix(got, "content_block_delta error") {
		t.Errorf("events %s", got)
	}
	for s, want := range map[*Server]string{first: "dragoman_panics_total 2", later: "dragoman_panics_total 2"} {
		if got := scrape(t, s); !strings.Contains(got, want+"\n") || !strings.Contains(got, "dragoman_inflight_requests 0\n") || !strings.Contains(got, "dragoman_open_streams 0\n") {
			t.Errorf("metrics without %s:\n%s", want, got)
		}
	}
	if got := scrape(t, first); strings.Contains(got, "dragoman_upstream_errors_total{") {
		t.Errorf("the upstream is blamed:\n%s", got)
	}
	if got := log.String(); !strings.Contains(got, "exchange_test.go") {
		t.Errorf("no stack was logged:\n%s", got)
	}
}

func TestContextEndsWithTheExchange(t *testing.T) {
	for _, body := range []string{question, streamed(question)} {
		var given context.Context
		post(newServer(t, upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
			given = ctx
			completing(endOfTurn, "hi")(ctx, yield)
		})), body)
		if given.Err() == nil {
			t.Errorf("the upstream's context goes on after the answer to %s", body)
		}
	}
}

func TestDryRun(t *testing.T) {
	s := newServer(t, upstreamFunc(func(context.Context, func(translate.Chunk, error) bool) {
		t.Error("the upstream was called")
	}))
	for _, body := range []string{question, streamed(question)} {
		w := post(s, body, "x-dragoman-dry-run", "1")
		var prompt struct {
			System []struct{ Text string }
			Turns  []struct {
				Role  string
				Parts []struct{ Type, Text string }
			}
			StopSequences []string `json:"stop_sequences"`
			MaxTokens     int      `json:"max_tokens"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &prompt); err != nil || w.Code != http.StatusOK {
			t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
		}
		if len(prompt.System) == 0 || !strings.Contains(prompt.System[0].Text, "get_weather") || prompt.MaxTokens != 100 ||
			len(prompt.Turns) != 1 || prompt.Turns[0].Parts[0].Text != "What is the weather in Oslo?" {
			t.Errorf("prompt %s", w.Body)
		}
		if got := w.Header().Get("X-Dragoman-Upstream"); got != "east" {
			t.Errorf("X-Dragoman-Upstream %q", got)
		}
	}
}

func TestDroppedFields(t *testing.T) {
	body := `{"speed":"fast","a\r\nx: y":1,"mine":1,` + question[1:]
	w := post(newServer(t, completing(endOfTurn, "hi")), body)
	if got := w.Header().Get("X-Dragoman-Dropped"); w.Code != 200 || got != "mine,speed" {
		t.Errorf("status %d, X-Dragoman-Dropped %q", w.Code, got)
	}
	strict := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Strict = true })
	checkError(t, post(strict, body).Result(), 400, "invalid_request_error")
}

// TestErrorDetails: the details of a rejection reach the client, for its program.
func TestErrorDetails(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "x"))
	body := post(s, strings.Replace(question, "{", `{"thread":{"type":"create"},`, 1)).Body.String()
	if !strings.Contains(body, `"details":{"error_code":"thread_unsupported_request","unsupported":["thread"]}`) {
		t.Errorf("body %s", body)
	}
}
