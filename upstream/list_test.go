package upstream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"dragoman/upstream"
	"dragoman/upstream/simulated"
	"dragoman/upstream/upstreamtest"
)

type lister interface {
	ListModels(context.Context) ([]upstream.Listed, error)
}

// idsOf returns the ids of models.
func idsOf(models []upstream.Listed) (ids []string) {
	for _, m := range models {
		ids = append(ids, m.ID)
	}
	return ids
}

// Each upstream lists the ids that it accepts, from all pages, each once.
func TestListModels(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	five := upstreamtest.Listing{"a", "b/c", "d", "a", "é"}
	bedrock, vertex, relay, local := upstreamtest.NewBedrock(nil), upstreamtest.NewVertex(nil), upstreamtest.NewMessages(nil), upstreamtest.NewChat(nil)
	relay.Models, local.Models = upstreamtest.Listing{"a", "b/c", "d", "e", "é"}, five
	relay.Key, local.Key = "k1", "k2"
	bedrock.Models = upstreamtest.Listing{
		"anthropic.claude-v2:1", "cohere.embed-english-v3", "meta.llama3-70b-instruct-v1:0", "anthropic.claude-opus-4-6-v1",
		"us.anthropic.claude-opus-4-6-v1", "eu.anthropic.claude-opus-4-6-v1", "global.anthropic.claude-opus-4-6-v1",
	}
	bedrock.Imports = map[string]*upstreamtest.Import{}
	vertex.Models = upstreamtest.Listing{"anthropic/claude-opus-4-6", "anthropic/claude-sonnet-4-5", "anthropic/other", "anthropic/claude-haiku-4-5",
		"meta/llama-3.3-70b-instruct-maas", "meta/llama3", "mistralai/mistral-medium-3", "mistralai/mixtral-8x7b", "somebody/x-maas"}
	listen := func(h http.Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	google := listen(vertex)
	credentials, err := vertex.Tokens.ServiceAccount(t.TempDir(), google)
	if err != nil {
		t.Fatal(err)
	}
	must := func(up lister, err error) lister {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return up
	}
	newAnthropic := func(key string) (lister, error) {
		return upstream.NewAnthropic(upstream.ServerOptions{BaseURL: listen(relay), APIKey: key})
	}
	newOpenAI := func(h http.Handler) (lister, error) {
		return upstream.NewOpenAI(upstream.ServerOptions{BaseURL: listen(h) + "/v1", APIKey: "k2"})
	}
	newBedrock := func(endpoint string) (lister, error) {
		return upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: endpoint})
	}
	gcp, err := upstream.NewVertex(t.Context(), upstream.VertexOptions{Project: "p", Location: "global", Endpoint: google, Credentials: credentials})
	if err != nil {
		t.Fatal(err)
	}
	page := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("content-type", "application/json")
			_, _ = w.Write([]byte(text))
		})
	}
	for name, tt := range map[string]struct {
		up   lister
		want string
		err  string
	}{
		"anthropic":              {up: must(newAnthropic("k1")), want: "a b/c d e é"},
		"anthropic, a wrong key": {up: must(newAnthropic("k3")), err: "refused"},
		"openai":                 {up: must(newOpenAI(local)), want: "a b/c d é"},
		"openai, a bare array":   {up: must(newOpenAI(page(` [{"id":"a"},{"id":"b","context_length":8}]`))), want: "a b"},
		"openai, none":           {up: must(newOpenAI(page(`{"object":"list","data":null}`))), want: ""},
		"openai, not JSON":       {up: must(newOpenAI(page(`<html>`))), err: "Dragoman cannot read"},
		"openai, no such call":   {up: must(newOpenAI(http.NotFoundHandler())), err: "404"},
		"openai, a redirect":     {up: must(newOpenAI(http.RedirectHandler("https://elsewhere.example/", http.StatusFound))), err: "redirect"},
		"openai, without end":    {up: must(newOpenAI(page(`{"data":[` + strings.Repeat(`{"id":"x"},`, 1<<20) + `{}]}`))), err: "Dragoman cannot read"},
		"bedrock":                {up: must(newBedrock(listen(bedrock))), want: "anthropic.claude-v2:1 meta.llama3-70b-instruct-v1:0 us.anthropic.claude-opus-4-6-v1 eu.anthropic.claude-opus-4-6-v1 global.anthropic.claude-opus-4-6-v1"},
		"bedrock, a prefix":      {up: must(newBedrock(listen(http.StripPrefix("/pre", bedrock)) + "/pre")), err: "refused"}, // the fake sees another path than the signed one
		"bedrock, no such call":  {up: must(newBedrock(listen(upstreamtest.NewBedrock(nil)))), err: "404"},
		"vertex":                 {up: gcp, want: "claude-opus-4-6 claude-sonnet-4-5 claude-haiku-4-5 meta/llama-3.3-70b-instruct-maas mistralai/mistral-medium-3"},
		"simulated":              {up: simulated.New(), want: "simulated"},
	} {
		t.Run(name, func(t *testing.T) {
			models, err := tt.up.ListModels(t.Context())
			ids := idsOf(models)
			switch {
			case tt.err != "":
				if err == nil {
					t.Errorf("listed %q", ids)
				} else if text := err.Error() + " " + upstream.Explain(err); !strings.Contains(text, tt.err) {
					t.Errorf("error %s", text)
				}
			case err != nil || strings.Join(ids, " ") != tt.want:
				t.Errorf("listed %q, %v", ids, err)
			}
		})
	}
}

// The three lists of Bedrock do not depend on one another. If one is refused, the others are listed, and the error tells.
func TestListModelsOfSomeKinds(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	lists := map[string]string{
		"/foundation-models":  `{"modelSummaries":[{"modelId":"amazon.nova-lite-v1:0","inferenceTypesSupported":["ON_DEMAND"]}]}`,
		"/inference-profiles": `{"inferenceProfileSummaries":[{"inferenceProfileId":"us.amazon.nova-pro-v1:0"}]}`,
		"/imported-models":    `{"modelSummaries":[{"modelArn":"arn:aws:bedrock:us-east-1:1:imported-model/a"}]}`,
	}
	for path, list := range lists {
		for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
			for _, only := range []bool{true, false} {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("content-type", "application/json")
					if (r.URL.Path == path) == only {
						w.WriteHeader(status)
						_, _ = w.Write([]byte(`{"message":"no"}`))
						return
					}
					_, _ = w.Write([]byte(lists[r.URL.Path]))
				}))
				up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: server.URL})
				if err != nil {
					t.Fatal(err)
				}
				models, err := up.ListModels(t.Context())
				want := 2
				if !only {
					want = 1
				}
				if ids := idsOf(models); err == nil || len(ids) != want || strings.Contains(list, ids[0]) == only {
					t.Errorf("%s, %d: listed %q, %v", path, status, ids, err)
				}
				up.Close()
				server.Close()
			}
		}
	}
}

// A list without end, or with ids that are too long, takes little memory. Dragoman reads no more pages than
// it needs.
func TestListModelsWithoutEnd(t *testing.T) {
	pages := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages++
		w.Header().Set("content-type", "application/json")
		_, _ = fmt.Fprintf(w, `{"data":[{"id":%q}`, strings.Repeat("l", 1<<20))
		for i := range 2000 {
			_, _ = fmt.Fprintf(w, `,{"id":"%d-%d"}`, pages, i)
		}
		_, _ = fmt.Fprintf(w, `],"has_more":true,"last_id":"%d"}`, pages)
	}))
	defer server.Close()
	up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	models, err := up.ListModels(t.Context())
	ids := idsOf(models)
	long := slices.IndexFunc(ids, func(id string) bool { return len(id) > 2048 })
	if err != nil || len(ids) != 5000 || long >= 0 || pages != 3 {
		t.Errorf("%d ids of %d pages, %d is long, %v", len(ids), pages, long, err)
	}
}

// The control plane has Bedrock's lists. Its hosts are named like the hosts for models.
func TestControlPlaneOfBedrock(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	for region, want := range map[string]string{
		"us-east-1":  "https://bedrock.us-east-1.amazonaws.com/foundation-models?byOutputModality=TEXT",
		"cn-north-1": "https://bedrock.cn-north-1.amazonaws.com.cn/foundation-models?byOutputModality=TEXT",
	} {
		var got *http.Request
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if got == nil {
				got = r
			}
			return nil, context.Canceled
		})}
		up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: region, HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = up.ListModels(t.Context()) // always fails
		if got == nil || got.URL.String() != want || got.Method != "GET" || !strings.Contains(got.Header.Get("Authorization"), "/"+region+"/bedrock/aws4_request") {
			t.Errorf("%s: %+v", region, got)
		}
	}
}

// Servers have many names for the context window, and the value may be anything.
func TestListModelsWindow(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "application/json")
		_, _ = w.Write([]byte(`{"data":[{"id":"vllm","max_model_len":32768},{"id":"llama.cpp","meta":{"n_ctx_train":131072,"n_ctx":4096}},{"id":"router","context_length":200000},
			{"id":"older llama.cpp","meta":{"n_ctx_train":131072}},{"id":"anthropic","max_input_tokens":1000000},{"id":"null","context_length":null,"meta":null},
			{"id":"odd","context_length":"8192","max_model_len":-1,"max_input_tokens":{"a":[1e9]}}]}`))
	}))
	defer server.Close()
	up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	models, err := up.ListModels(t.Context())
	want := []upstream.Listed{{"vllm", 32768}, {"llama.cpp", 4096}, {"router", 200000}, {"older llama.cpp", 0}, {"anthropic", 1000000}, {"null", 0}, {"odd", 0}}
	if err != nil || !slices.Equal(models, want) {
		t.Errorf("%+v, %v", models, err)
	}
}
