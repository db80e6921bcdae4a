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
	s.ReplayHandler(Replay{Model: "claude-instant", Format: "attribute"}).ServeHTTP(w, newRequest("POST", "/v1/messages", question))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"model":"claude-instant"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if len(prompts) != 1 || !strings.Contains(prompts[0], `<invoke name=`) {
		t.Errorf("prompts %q", prompts)
	}
	w = httptest.NewRecorder()
	s.ReplayHandler(Replay{}).ServeHTTP(w, newRequest("POST", "/v1/messages", question))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"model":"claude-2.1"`) || strings.Contains(prompts[1], `<invoke name=`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	checkError(t, post(s, question).Result(), 401, "authentication_error")
}
