package proxy

import (
	"context"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/proxy/internal/replay"
	"dragoman/translate"
	"dragoman/upstream"
)

// rendering is an upstream that passes each prompt to the function and returns an empty answer.
type rendering func(p *translate.Prompt)

func (f rendering) Invoke(_ context.Context, _ upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		f(p)
		yield(endOfTurn, nil)
	}
}

// An operator's replay needs no key, and can use another model and another format. The same bytes from a client still
// need a key.
func TestReplay(t *testing.T) {
	var prompts []string
	up := rendering(func(p *translate.Prompt) { prompts = append(prompts, p.Text()) })
	s := newServer(t, up, func(o *Options) { o.Keys = []Key{NewKey("a key that nobody sends")} })

	w := httptest.NewRecorder()
	s.ReplayHandler(replay.Replay{Model: "claude-instant", Format: "attribute"}).ServeHTTP(w, newRequest("POST", "/v1/messages", question))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"model":"claude-instant"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if len(prompts) != 1 || !strings.Contains(prompts[0], `<invoke name=`) {
		t.Errorf("prompts %q", prompts)
	}
	w = httptest.NewRecorder()
	s.ReplayHandler(replay.Replay{}).ServeHTTP(w, newRequest("POST", "/v1/messages", question))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"model":"claude-2.1"`) || strings.Contains(prompts[1], `<invoke name=`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	checkError(t, post(s, question).Result(), 401, "authentication_error")
}

// calledWith is an upstream that passes the context of each call to the function and returns an empty answer.
type calledWith func(ctx context.Context)

func (f calledWith) Invoke(ctx context.Context, _ upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		f(ctx)
		yield(endOfTurn, nil)
	}
}

// A replay lends its freedom from keys to no other request, not even to one with its context.
func TestReplayContext(t *testing.T) {
	var s *Server
	asked, status := 0, 0
	s = newServer(t, calledWith(func(ctx context.Context) {
		if asked++; asked > 1 {
			return
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, newRequest("POST", "/v1/messages", question).WithContext(ctx))
		status = w.Code
	}), func(o *Options) { o.Keys = []Key{NewKey("a key that nobody sends")} })
	s.ReplayHandler(replay.Replay{}).ServeHTTP(httptest.NewRecorder(), newRequest("POST", "/v1/messages", question))
	if asked != 1 || status != 401 {
		t.Errorf("asked %d times, status %d", asked, status)
	}
}
