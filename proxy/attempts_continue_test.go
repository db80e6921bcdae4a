package proxy

import (
	"context"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

// colliding is an upstream that first stops inside a value, and then does what next does.
type colliding struct {
	next  upstreamFunc
	asked int
}

func (c *colliding) Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	if c.asked++; c.asked == 1 {
		return completing(endOfCall, "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Os").Invoke(ctx, m, p)
	}
	return c.next.Invoke(ctx, m, p)
}

// If an answer stops inside a value and is continued, the client sees one answer.
func TestContinued(t *testing.T) {
	end := completing(endOfCall, "lo</city>\n</parameters>\n</invoke>\n")
	refusing := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, busy) })
	tests := []struct {
		name    string
		next    upstreamFunc
		prefill bool
		body    string // a part of the answer
		outcome string
		calls   string // the upstream's calls, by how they ended
	}{
		{"continued", end, true, `"partial_json":"{\"city\":\"Os</function_calls>lo\"}"`, "continued", "none 2"},
		{"counted", end, true, `"usage":{"input_tokens":22,"output_tokens":14,`, "continued", "none 2"},
		{"refused", refusing, true, `"stop_reason":"max_tokens"`, "incomplete", "overloaded_error 1"},
		{"no prefill", end, false, `"stop_reason":"max_tokens"`, "incomplete", "none 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, &colliding{next: tt.next}, func(o *Options) {
				if !tt.prefill {
					o.Routes[0].Features = upstream.Override{Without: upstream.Prefill}
				}
			})
			w := post(s, streamed(question))
			if body := w.Body.String(); !strings.Contains(body, tt.body) || strings.Count(body, "event: message_start") != 1 || !strings.Contains(body, "event: message_stop") {
				t.Errorf("stream:\n%s", body)
			}
			if m := scrape(t, s); !strings.Contains(m, `dragoman_tool_calls_total{model="claude-*",outcome="`+tt.outcome+`",reason=`) {
				t.Errorf("metrics:\n%s", m)
			}
			kind, n, _ := strings.Cut(tt.calls, " ")
			if m := scrape(t, s); !strings.Contains(m, `dragoman_upstream_attempts_total{error_type="`+kind+`",upstream="east"} `+n) {
				t.Errorf("metrics:\n%s", m)
			}
		})
	}
}

// If a client leaves while the upstream continues the answer, the exchange does not count as answered.
func TestContinuedForNobody(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	up := &colliding{next: func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		leave()
		<-ctx.Done()
		yield(translate.Chunk{}, context.Cause(ctx))
	}}
	if !answerTo(newServer(t, up), httptest.NewRecorder(), newRequest("POST", "/v1/messages", question).WithContext(ctx)) {
		t.Error("the answer looks whole")
	}
}

// A continued answer may use what is left of the model's limit of tokens, not of the client's max_tokens.
func TestContinuedWithinMaxTokens(t *testing.T) {
	var asked []int
	up := &colliding{next: completing(endOfCall, "lo</city>\n</parameters>\n</invoke>\n")}
	s := newServer(t, recording{play(up), &asked}, func(o *Options) { o.Routes[0].MaxTokens = 50 })
	w := post(s, question)
	if w.Code != 200 || len(asked) != 2 || asked[0] != 50 || asked[1] != 50-7 {
		t.Errorf("asked for %v tokens: %s", asked, w.Body)
	}
}

// recording is an upstream that records each max_tokens.
type recording struct {
	Upstream
	asked *[]int
}

func (r recording) Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error) {
	*r.asked = append(*r.asked, p.MaxTokens)
	return r.Upstream.Prepare(m, p)
}
