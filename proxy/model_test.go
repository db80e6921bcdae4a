package proxy

import (
	"net/http"
	"strings"
	"testing"
)

func TestRouting(t *testing.T) {
	up := func(name string) Upstream { return completing(endOfTurn, name) }
	s := newServer(t, nil, func(o *Options) {
		o.Models = []Model{{Name: "claude-2", Upstream: "a"}, {Name: "claude-*-v1", Upstream: "b"}, {Name: "*haiku*", Upstream: "c"}, {Name: "claude-2*", Upstream: "d"}}
		o.Upstreams = map[string]Upstream{"a": up("a"), "b": up("b"), "c": up("c"), "d": up("d")}
	})
	ask := func(model string) *http.Response {
		return post(s, strings.Replace(question, "claude-2.1", model, 1)).Result()
	}
	for model, want := range map[string]string{
		"claude-2": "a", "claude-3-v1": "b", "claude--v1": "b", "claude-haiku": "c", "haiku": "c", "claude-2.1": "d", "claude-2haiku": "c",
	} {
		if got := ask(model).Header.Get("X-Dragoman-Upstream"); got != want {
			t.Errorf("%s goes to %q, want %q", model, got, want)
		}
	}
	for _, model := range []string{"claude-1", "claude-v1", "Claude-2", "xclaude-2", "gpt"} {
		checkError(t, ask(model), 404, "not_found_error")
	}
	if got, want := checkError(t, ask("claud-2"), 404, "not_found_error"), "model: claud-2: no model of this name is configured; the nearest: claude-2, claude-2*, claude-*-v1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNewRefuses(t *testing.T) {
	ups := map[string]Upstream{"east": completing(endOfTurn)}
	models := []Model{{Name: "*", Upstream: "east"}}
	for name, opt := range map[string]Options{
		"no models":      {Upstreams: ups},
		"no upstream":    {Models: models},
		"other upstream": {Models: []Model{{Name: "*", Upstream: "west"}}, Upstreams: ups},
		"empty key":      {Models: models, Upstreams: ups, Keys: []string{"k", ""}},
	} {
		if _, err := New(opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
