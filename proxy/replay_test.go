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

// rendering is an upstream that shows each prompt to the function, and has nothing to say.
type rendering func(p *translate.Prompt)

func (f rendering) Invoke(_ context.Context, _ upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		f(p)
		yield(endOfTurn, nil)
	}
}

// What an operator sends again needs no key, and is asked of another model and in another format, if
// the operator says so. What a client sends with the same bytes needs a key all the same.
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
