package proxy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/testcost"
	"dragoman/upstream"
)

func TestExchangeLine(t *testing.T) {
	var log logged
	s := newServer(t, completing(endOfCall, weather...), log.option, func(o *Options) {
		o.Routes[0].Model = "anthropic.claude-v2:1"
		o.Keys = []Key{NewKey("key-one")}
	})
	body := streamed(`{"speed":"fast","mine":1,` + question[1:])
	w := post(s, body, "x-api-key", "key-one", "x-request-id", "client-1",
		"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	got := log.exchange(t)
	for _, name := range []string{"ttfe_ms", "duration_ms", "overhead_ms"} {
		if ms, ok := got[name].(float64); !ok || ms <= 0 || ms > 60_000 {
			t.Errorf("%s is %v", name, got[name])
		}
		delete(got, name)
	}
	want := map[string]any{
		"level": "info", "msg": "exchange",
		"request_id": w.Header().Get("request-id"), "client_request_id": "client-1", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
		"dialect": "messages", "path": "/v1/messages", "model": "claude-2.1", "upstream": "east", "upstream_model": "anthropic.claude-v2:1", "format": "legacy", "format_reason": "set by format",
		"status": 200., "stream": true, "attempts": 1., "bytes_in": float64(len(body)), "bytes_out": float64(w.Body.Len()),
		"input_tokens": 11., "output_tokens": 7., "stop_reason": "tool_use", "tool_calls": 1., "tool_call_outcomes": []any{"clean"}, "tool_call_reasons": []any{"none"}, "tool_call_source": "text",
		"dropped": []any{"other", "speed"}, "terminal": "complete", "key_id": "9b346041",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExchangeLineOfARefusal(t *testing.T) {
	var log logged
	w := httptest.NewRecorder()
	newServer(t, completing(endOfTurn), log.option).Handler().ServeHTTP(w, newRequest("GET", "/nowhere", "", "traceparent", "00-x-y-z"))
	got := log.exchange(t)
	want := []string{
		"attempts", "bytes_in", "bytes_out", "duration_ms", "error", "error_type", "input_tokens", "level", "msg", "output_tokens",
		"overhead_ms", "path", "request_id", "status", "stream", "terminal", "tool_calls",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got["status"] != 404. || got["error_type"] != "not_found_error" || got["terminal"] != "error" {
		t.Errorf("logged %v", got)
	}
}

func TestMetrics(t *testing.T) {
	s := newServer(t, completing(endOfCall, weather...))
	post(s, question)
	post(s, streamed(question))
	post(s, strings.Replace(question, "claude", "gpt", 1))
	got := scrape(t, s)
	for _, want := range []string{
		`dragoman_requests_total{dialect="messages",model="claude-*",status_class="2xx",stream="false",upstream="east"} 1`,
		`dragoman_requests_total{dialect="messages",model="claude-*",status_class="2xx",stream="true",upstream="east"} 1`,
		`dragoman_requests_total{dialect="messages",model="other",status_class="4xx",stream="false",upstream="other"} 1`,
		`dragoman_time_to_first_event_seconds_count{dialect="messages",model="claude-*",status_class="2xx",stream="false",upstream="east"} 1`,
		`dragoman_tool_calls_total{model="claude-*",outcome="clean",reason="none"} 2`,
		`dragoman_tokens_total{model="claude-*",type="input"} 22`,
		`dragoman_upstream_attempts_total{error_type="none",upstream="east"} 2`,
		`dragoman_stream_terminations_total{outcome="complete"} 1`,
		`dragoman_overhead_seconds_count{stage="decode"} 3`,
		`dragoman_overhead_seconds_count{stage="render"} 2`,
		`dragoman_overhead_seconds_count{stage="parse"} 2`,
		`dragoman_overhead_seconds_count{stage="encode"} 1`,
		`dragoman_inflight_requests 0`,
		`dragoman_open_streams 0`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// Model names that clients make up add no series.
func TestModelsMakeNoSeries(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	post(s, question)
	post(s, strings.Replace(question, "claude", "gpt", 1))
	series := func() int { return strings.Count(scrape(t, s), "\n") }
	before := series()
	h := s.Handler()
	for i := range testcost.Cases(3_000, 100_000) {
		prefix := "made-up"
		if i%10 == 0 {
			prefix = "claude" // the wildcard serves it
		}
		body := fmt.Sprintf(`{"model":"%s-%d","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, prefix, i)
		h.ServeHTTP(httptest.NewRecorder(), newRequest("POST", "/v1/messages", body))
	}
	if after := series(); after != before {
		t.Errorf("%d lines became %d", before, after)
	}
}

// This test marks everything that must not appear in the log or the metrics.
func TestNothingLeaks(t *testing.T) {
	const canary = "c4n4ry"
	body := strings.NewReplacer(
		"What is the weather", canary, "Weather", canary, `"city"`, `"city`+canary+`"`, `"get_weather"`, `"get_`+canary+`"`,
	).Replace(question)
	body = `{"system":"` + canary + `","stop_sequences":["` + canary + `"],"` + canary + `":1,"metadata":{"user_id":"` + canary + `"},` + body[1:]
	header := []string{
		"x-api-key", canary, "Authorization", "Bearer key-" + canary, "Cookie", canary, "User-Agent", canary, "anthropic-beta", canary,
		"anthropic-version", canary, "traceparent", "00-" + canary, "x-request-id", "<" + canary + ">", "X-Dragoman-" + canary, canary,
		"anthropic-user-profile-id", canary,
	}
	ups := map[string]upstreamFunc{
		"answers": completing(endOfTurn, canary, "<function_calls>\n<invoke>\n<tool_name>"+canary+"</tool_name>\n<"+canary),
		"fails":   failing(&upstream.Error{Status: 400, Type: "invalid_request_error", Message: canary, Err: errors.New("cause")}, translate.Chunk{Text: canary}),
		"panics": func(_ context.Context, yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{Text: canary}, nil)
			panic(canary)
		},
	}
	for name, up := range ups {
		for _, keys := range [][]Key{{NewKey("key-" + canary)}, {NewKey(canary + "-other")}, nil} {
			var log logged
			s := newServer(t, up, log.option, func(o *Options) { o.Keys = keys })
			for _, body := range []string{body, streamed(body), body[1:], `{"` + canary + `":` + body + "}"} {
				post(s, body, header...)
				post(s, body, append(header, "x-dragoman-dry-run", "1")...)
				post(s, body, append(header, "content-encoding", canary)...)
			}
			answerTo(s, httptest.NewRecorder(), newRequest("GET", "/"+canary+"?"+canary, body, header...))
			for sink, text := range map[string]string{"log": log.String(), "metrics": scrape(t, s)} {
				if i := strings.Index(text, canary); i >= 0 {
					t.Errorf("%s, %d keys: in the %s: …%s", name, len(keys), sink, text[max(0, i-200):i+len(canary)])
				}
			}
		}
	}
}

// writes counts the writes to the connection.
type writes struct {
	*httptest.ResponseRecorder
	written, flushed int
}

func (w *writes) Write(p []byte) (int, error) {
	w.written++
	return w.ResponseRecorder.Write(p)
}

func (w *writes) Flush() { w.flushed++ }

// The frames of all events of one chunk are written together, before the proxy waits for more.
func TestOneWriteForAChunk(t *testing.T) {
	w := &writes{ResponseRecorder: httptest.NewRecorder()}
	var heard []string
	up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		text := strings.Join(weather, "")
		for _, c := range []translate.Chunk{{}, {Text: text}, endOfCall} {
			if !yield(c, nil) {
				break
			}
			heard = append(heard, names(readFrames(t, strings.NewReader(w.Body.String()))))
		}
	})
	answerTo(newServer(t, up), w, newRequest("POST", "/v1/messages", streamed(question)))
	if w.written != 3 || w.flushed != 3 {
		t.Errorf("%d writes, %d flushes for 3 chunks", w.written, w.flushed)
	}
	want := []string{
		"message_start ping",
		"message_start ping content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop",
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("heard before the next chunk (-want +got):\n%s", diff)
	}
}
