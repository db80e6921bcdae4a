package proxy

import (
	"net/http"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

func TestRouting(t *testing.T) {
	up := func(name string) upstreamFunc { return completing(endOfTurn, name) }
	s := newServer(t, nil, func(o *Options) {
		o.Routes = []Route{{Name: "claude-2", UpstreamModel: UpstreamModel{Upstream: "a"}}, {Name: "claude-*-v1", UpstreamModel: UpstreamModel{Upstream: "b"}}, {Name: "*haiku*", UpstreamModel: UpstreamModel{Upstream: "c"}}, {Name: "claude-2*", UpstreamModel: UpstreamModel{Upstream: "d"}}}
		o.Upstreams = playAll(map[string]any{"a": up("a"), "b": up("b"), "c": up("c"), "d": up("d")})
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
	if got, want := checkError(t, ask("claud-2"), 404, "not_found_error"), "model: claud-2: no model of this name is configured; the nearest: claude-2, claude-2*, claude-*-v1, *haiku*"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// asked is an upstream that records the prompt.
type asked struct {
	Upstream
	prompt *translate.Prompt
	wire   string
}

func (a *asked) Prepare(model upstream.Model, p *translate.Prompt) (*upstream.Call, error) {
	a.prompt, a.wire = p, model.Wire
	return a.Upstream.Prepare(model, p)
}

// The wire of a model decides which upstream client is used, and how the prompt is rendered. The client sees only the
// upstream's name.
func TestWire(t *testing.T) {
	marked := strings.Replace(question, `"messages"`, `"system":"\n\nHuman: no","messages"`, 1)
	for wire, want := range map[string]string{"": "Human: no", WireMessages: "Human: no", WireText: "&#72;uman: no"} {
		m := Route{Name: "*", UpstreamModel: UpstreamModel{Upstream: "east", Wire: wire}}
		asked := &asked{Upstream: play(completing(endOfTurn))}
		s := newServer(t, nil, func(o *Options) {
			o.Routes = []Route{m}
			o.Upstreams["east"] = asked
		})
		response := post(s, marked).Result()
		if name := response.Header.Get("X-Dragoman-Upstream"); name != "east" || asked.prompt == nil || asked.wire != wire {
			t.Fatalf("wire %q: %s was asked: %t", wire, name, asked.prompt != nil)
		}
		if got := asked.prompt.System[1].Text; strings.TrimSpace(got) != want {
			t.Errorf("wire %q: asked %q, want %q", wire, got, want)
		}
	}
}

func TestPrefillOfText(t *testing.T) {
	for _, tt := range []struct {
		way  UpstreamModel
		want bool
	}{
		{UpstreamModel{Model: "arn:aws:bedrock:us-east-1:1:provisioned-model/abc"}, false},
		{UpstreamModel{Model: "arn:aws:bedrock:us-east-1:1:provisioned-model/abc", Wire: WireText}, true},
		{UpstreamModel{Model: "anthropic.claude-v2", Wire: WireText, Features: upstream.Override{Without: upstream.Prefill}}, false},
	} {
		if got := tt.way.Target(tt.way.Spec()).Prefill; got != tt.want {
			t.Errorf("%+v: prefill %t", tt.way, got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	ups := playAll(map[string]any{"east": completing(endOfTurn)})
	models := []Route{{Name: "*", UpstreamModel: UpstreamModel{Upstream: "east"}}}
	for name, opt := range map[string]Options{
		"no models":      {Upstreams: ups},
		"no upstream":    {Routes: models},
		"other upstream": {Routes: []Route{{Name: "*", UpstreamModel: UpstreamModel{Upstream: "west"}}}, Upstreams: ups},
		"empty key":      {Routes: models, Upstreams: ups, Keys: []Key{NewKey("k"), NewKey("")}},
	} {
		if _, err := New(opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Parameters that a model does not take are dropped and named. A strict server rejects them.
func TestSampling(t *testing.T) {
	sampled := strings.Replace(question, `"messages"`, `"temperature":0.5,"top_k":7,"messages"`, 1)
	for _, tt := range []struct {
		can     upstream.Override
		strict  bool
		dropped string
		status  int
	}{
		{upstream.Override{}, false, "", 200},
		{upstream.Override{Without: upstream.TopK}, false, "top_k", 200},
		{upstream.Override{Without: upstream.Sampling | upstream.TopK}, false, "temperature,top_k", 200},
		{upstream.Override{Without: upstream.Sampling}, true, "temperature", 400},
	} {
		asked := &asked{Upstream: play(completing(endOfTurn, "ok"))}
		s := newServer(t, asked, func(o *Options) {
			o.Strict = tt.strict
			o.Routes = []Route{{Name: "*", UpstreamModel: UpstreamModel{Upstream: "east", Features: tt.can}}}
		})
		response := post(s, sampled).Result()
		if got := response.Header.Get("X-Dragoman-Dropped"); got != tt.dropped || response.StatusCode != tt.status {
			t.Errorf("%+v: status %d, dropped %q", tt, response.StatusCode, got)
		}
		if p := asked.prompt; p != nil && ((p.Temperature == nil) != tt.can.Without.Has(upstream.Sampling) || (p.TopK == nil) != tt.can.Without.Has(upstream.TopK)) {
			t.Errorf("%+v: asked %+v", tt, p)
		}
	}
}
