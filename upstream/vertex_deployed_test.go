package upstream_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// Endpoints that users deployed are asked at their own host, if they have one. Requests are chat completions,
// or a raw prompt that reaches the container unchanged.
func TestVertexDeployed(t *testing.T) {
	const host = "7.us-east5-42.prediction.vertexai.goog"
	own, shared := "https://"+host+"/v1/projects/p/locations/us-east5/endpoints/7", "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/endpoints/8"
	west := "https://us-west1-aiplatform.googleapis.com/v1/projects/q/locations/us-west1/endpoints/mg-9"
	raw := upstream.Model{Wire: upstream.WirePrompt, Can: upstream.Streaming}
	for name, tt := range map[string]struct {
		id, family string
		model      upstream.Model
		want       []string
	}{
		"chat":                {"endpoints/7", "qwen2.5-7b", upstream.Model{Can: upstream.Streaming}, []string{shared[:len(shared)-1] + "7", own + "/chat/completions"}},
		"chat, in one piece":  {"endpoints/7", "qwen2.5-7b", upstream.Model{}, []string{shared[:len(shared)-1] + "7", own + "/chat/completions"}},
		"not to be described": {"endpoints/8", "", upstream.Model{Can: upstream.Streaming}, []string{shared, shared + "/chat/completions"}},
		"raw":                 {"endpoints/7", "qwen2.5-7b", raw, []string{shared[:len(shared)-1] + "7", own + ":streamRawPredict"}},
		"raw, in one piece":   {"endpoints/7", "qwen2.5-7b", upstream.Model{Wire: upstream.WirePrompt}, []string{shared[:len(shared)-1] + "7", own + ":rawPredict"}},
		"predict":             {"endpoints/7", "qwen2.5-7b", upstream.Model{Wire: upstream.WirePrompt, Body: upstream.BodyPredict}, []string{shared[:len(shared)-1] + "7", own + ":predict"}},
		"of another project":  {"projects/q/locations/us-west1/endpoints/mg-9", "", raw, []string{west, west + ":streamRawPredict"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := upstreamtest.NewVertex(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello there"}))
			fake.Deployed = map[string]upstreamtest.Deployed{"7": {Model: "qwen2.5-7b", Host: host}}
			in := &inside{Handler: fake}
			up := newVertex(t, upstream.VertexOptions{Project: "p", Location: "us-east5", HTTPClient: &http.Client{Transport: in}})
			t.Cleanup(up.Close)
			tt.model.ID = tt.id
			for range 2 {
				r := up.Resolve(t.Context(), tt.model)
				if r.Model != tt.family {
					t.Errorf("%+v", r)
				}
				tt.model.Server = r.Server
			}
			prompt := ask("Hi")
			if tt.model.Wire != "" {
				prompt = inTemplate(t, "qwen2.5", "Hi")
			}
			got, err := collect(t, invoke(up, t.Context(), tt.model, prompt))
			if diff := cmp.Diff(reply{Text: "Hello there", Stop: messages.StopEndTurn}, reply{Text: got.Text, Stop: got.Stop}); err != nil || diff != "" {
				t.Error(err, diff)
			}
			if diff := cmp.Diff(tt.want, in.urls); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An answer of :predict that may have reached max_tokens does not look finished.
func TestPredictCut(t *testing.T) {
	for most, want := range map[int]messages.Stop{100: messages.StopEndTurn, 5: messages.StopMaxTokens} {
		fake := upstreamtest.NewVertex(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello there"}))
		fake.Deployed = map[string]upstreamtest.Deployed{"7": {Model: "qwen2.5-7b"}}
		up := newVertex(t, upstream.VertexOptions{Project: "p", Location: "us-east5", HTTPClient: &http.Client{Transport: &inside{Handler: fake}}})
		t.Cleanup(up.Close)
		prompt := inTemplate(t, "qwen2.5", "Hi")
		prompt.MaxTokens = most
		got, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "endpoints/7", Wire: upstream.WirePrompt, Body: upstream.BodyPredict}, prompt))
		if err != nil || got.Stop != want {
			t.Errorf("at most %d tokens: %v, %v", most, got.Stop, err)
		}
	}
}

// An id that could lead a request and its token to another host is an error.
func TestVertexDeployedIDs(t *testing.T) {
	fake := upstreamtest.NewVertex(nil)
	fake.Deployed = map[string]upstreamtest.Deployed{"7": {Model: "qwen2.5-7b", Host: "evil.test"}}
	in := &inside{Handler: fake}
	up := newVertex(t, upstream.VertexOptions{Project: "p", Location: "us-east5", HTTPClient: &http.Client{Transport: in}})
	t.Cleanup(up.Close)
	for _, id := range []string{
		"endpoints/", "endpoints/..", "endpoints/a/b", "endpoints/7?x", "endpoints/7:predict", "projects/p/locations/evil.test#/endpoints/7",
		"projects/p/../locations/us-east5/endpoints/7", "projects/p/locations/us-east5/endpoints/7/x", "projects//locations/us-east5/endpoints/7",
	} {
		m := upstream.Model{ID: id, Can: upstream.Streaming}
		_ = up.Resolve(t.Context(), m)
		if _, err := up.Prepare(m, ask("Hi")); err == nil || !strings.Contains(err.Error(), "is not an endpoint") {
			t.Errorf("%s: %v", id, err)
		}
	}
	if r := up.Resolve(t.Context(), upstream.Model{ID: "endpoints/7"}); r.Server != "" {
		t.Errorf("a token would go to %s", r.Server)
	}
	if len(in.urls) != 1 {
		t.Error(in.urls)
	}
}
