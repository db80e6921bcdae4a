package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// If the client leaves, Dragoman stops parsing, even within a long piece of an answer.
func TestParsingEndsWithClient(t *testing.T) {
	long := strings.Repeat("é words that go on ", 1<<18)
	for name, tt := range map[string]struct {
		up     any
		option func(*Options)
	}{
		"text": {completing(endOfTurn, long), func(*Options) {}},
		"thinking": {upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			yield(translate.Chunk{Thinking: long, Text: "x", Stop: messages.StopEndTurn}, nil)
		}), func(*Options) {}},
	} {
		for _, body := range []string{question, streamed(question)} {
			ctx, leave := context.WithCancel(t.Context())
			left, parsed := false, 0 // bytes since then
			observe := func(*http.Request, *metrics.Exchange) *Observation {
				return &Observation{Event: func(e *messages.Event) {
					switch {
					case left:
						parsed += len(e.Text)
					case len(e.Text) > 0:
						left = true
						leave()
					}
				}}
			}
			var log logged
			s := newServer(t, tt.up, log.option, tt.option, func(o *Options) { o.Observe = []Observe{observe} })
			answerTo(s, httptest.NewRecorder(), newRequest("POST", "/v1/messages", body).WithContext(ctx))
			if !left || parsed > 64<<10 {
				t.Errorf("%s: %d bytes were parsed for nobody", name, parsed)
			}
			if got := log.exchange(t); got["terminal"] != "client_gone" {
				t.Errorf("%s: logged %v", name, got)
			}
		}
	}
}

// A long piece of an answer reaches a client that stays.
func TestLongPieces(t *testing.T) {
	long := strings.Repeat("é€ words that go on ", 1<<12) + "."
	chunk := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		yield(translate.Chunk{Thinking: long, Text: long, Stop: messages.StopMaxTokens, Usage: messages.Usage{InputTokens: 3, OutputTokens: 5}}, nil)
	})
	w := post(newServer(t, chunk), `{"thinking":{"type":"enabled","budget_tokens":1024},`+strings.Replace(question[1:], `"max_tokens":100`, `"max_tokens":2000`, 1))
	var m struct {
		Content []struct{ Text, Thinking string }
		Stop    string `json:"stop_reason"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Content) != 2 || m.Content[0].Thinking != long || m.Content[1].Text != long || m.Stop != "max_tokens" {
		t.Errorf("%d: %.300s", w.Code, w.Body)
	}
}

// When the client leaves, an exchange ends at once, whatever it waits for, and no model is asked any more.
func TestNothingIsDoneForNobody(t *testing.T) {
	const strict = `"tools":[{"name":"get_weather","strict":true,`
	held := strings.Replace(question, `"tools":[{"name":"get_weather",`, strict, 1)
	chunks := func(pieces ...string) []pause {
		var list []pause
		for _, piece := range pieces {
			list = append(list, pause{0, translate.Chunk{Text: piece}})
		}
		return append(list, pause{time.Hour, endOfTurn})
	}
	overloaded := &upstream.Error{Status: 529, Type: "overloaded_error", Message: "busy", RetryAfter: 8 * time.Second}
	for _, tt := range []struct {
		name, path, body string
		up               upstreamFunc
	}{
		{"whole, before the first chunk", "/v1/messages", question, slow(pause{time.Hour, endOfTurn})},
		{"whole", "/v1/messages", question, slow(chunks("It is ")...)},
		{"held", "/v1/messages", streamed(held), slow(chunks(weather[:4]...)...)},
		{"whole, retry", "/v1/messages", question, failing(overloaded)},
		{"streamed, retry", "/v1/messages", streamed(question), failing(overloaded)},
		{"deaf", "/v1/messages", question, func(_ context.Context, yield func(translate.Chunk, error) bool) {
			for yield(translate.Chunk{Text: "word "}, nil) {
				time.Sleep(10 * time.Millisecond)
			}
		}},
	} {
		for _, version := range versions {
			t.Run(fmt.Sprintf("HTTP/%d %s", version, tt.name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log logged
					asked := 0
					up := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
						asked++
						tt.up(ctx, yield)
					})
					srv := servePipes(newServer(t, up, log.option, func(o *Options) { o.Attempts = 2 }).Handler())
					client := srv.client(version)
					ctx, leave := context.WithTimeout(t.Context(), time.Second)
					defer leave()
					r, err := http.NewRequestWithContext(ctx, "POST", "http://dragoman"+tt.path, strings.NewReader(tt.body))
					if err != nil {
						t.Fatal(err)
					}
					if res, err := client.Do(r); err == nil {
						<-ctx.Done()
						res.Body.Close()
					}
					time.Sleep(100 * time.Millisecond)
					synctest.Wait()
					if got := log.exchange(t); got["terminal"] != "client_gone" || got["duration_ms"].(float64) > 1100 {
						t.Errorf("logged %v", got)
					}
					if asked != 1 {
						t.Errorf("asked %d times", asked)
					}
					client.CloseIdleConnections()
					srv.close(t)
				})
			})
		}
	}
}
