package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// constrained returns a prompt with its constraint: of a forced call, of a free choice, or of an answer in JSON.
func constrained(t *testing.T, members string) *translate.Prompt {
	t.Helper()
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Go."}],`+members+`}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := translate.Render(req, translate.Target{Format: "json"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Constraint, err = translate.Constrain(p, true); err != nil {
		t.Fatal(err)
	}
	return p
}

const guidedTools = `"tools":[{"name":"f","input_schema":{"type":"object","properties":{"x":{"type":"string"}}}}]`

var guidedRequests = map[string]string{
	"forced": guidedTools + `,"tool_choice":{"type":"any"}`,
	"free":   guidedTools,
	"JSON":   `"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`,
}

// TestConstraintOfServer has each kind of server sent what it takes, which a fake of it checks, and nothing else.
func TestConstraintOfServer(t *testing.T) {
	for _, tt := range []struct{ kind, forced, free, JSON string }{
		{upstream.GuidedVLLM, `"structured_outputs":{"grammar":"root ::= `, `"structured_outputs":{"structural_tag":"{`, `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}}`},
		{upstream.GuidedSGLang, `"ebnf":"root ::= `, `"response_format":{"type":"structural_tag","format":{`, `"response_format":{"type":"json_schema",`},
		{upstream.GuidedLlamaCpp, `"grammar":"root ::= `, "", `"response_format":{"type":"json_schema",`},
		{upstream.GuidedJSONSchema, `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"name":{"const":"f"}`, "", `"response_format":{"type":"json_schema",`},
		{upstream.GuidedImport, `"structured_outputs":{"grammar":"root ::= `, "", `"response_format":{"type":"json_schema",`},
		{upstream.GuidedFireworks, `"response_format":{"type":"grammar","grammar":"root ::= `, "", `"response_format":{"type":"json_schema",`},
		{upstream.GuidedNone, "", "", ""},
	} {
		for name, want := range map[string]string{"forced": tt.forced, "free": tt.free, "JSON": tt.JSON} {
			p := constrained(t, guidedRequests[name])
			if err := upstream.CheckConstraint(tt.kind, p.Constraint); (err == nil) != (want != "") {
				t.Errorf("%s, %s: %v", tt.kind, name, err)
			}
			if want == "" {
				continue
			}
			fake := upstreamtest.NewChat(nil)
			fake.Guided.Kind = tt.kind
			served := httptest.NewServer(fake)
			up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: served.URL + "/v1"})
			if err != nil {
				t.Fatal(err)
			}
			call, err := up.Prepare(upstream.Model{ID: "m", Can: upstream.Streaming | upstream.System | upstream.Guided, Guided: tt.kind}, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range call.Chunks(t.Context()) {
				if err != nil {
					t.Errorf("%s, %s: %v", tt.kind, name, err)
				}
			}
			if list := fake.Requests(); len(list) != 1 || !strings.Contains(string(list[0].Body), want) {
				t.Errorf("%s, %s: %d requests, of which the first has no %s", tt.kind, name, len(list), want)
			}
			up.Close()
			served.Close()
		}
	}
}

// TestConstraintRefused has servers refuse a constraint, before an answer and in its place, and fail otherwise.
func TestConstraintRefused(t *testing.T) {
	for _, tt := range []struct {
		message      string
		late, stream bool
		refuses      bool
	}{
		{"Failed to initialize samplers: failed to parse grammar", false, true, true},
		{"The provided JSON schema contains features not supported by xgrammar", true, true, true},
		{"Grammar-based generation is not supported", true, false, true},
		{"The moon is full", false, true, false},
	} {
		fake := upstreamtest.NewChat(nil)
		fake.Guided = upstreamtest.ChatGuided{Kind: upstream.GuidedVLLM, Refuses: tt.message, Late: tt.late}
		served := httptest.NewServer(fake)
		up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: served.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		m := upstream.Model{ID: "m", Can: upstream.System, Guided: upstream.GuidedVLLM}
		if tt.stream {
			m.Can |= upstream.Streaming
		}
		call, err := up.Prepare(m, constrained(t, guidedRequests["forced"]))
		if err != nil {
			t.Fatal(err)
		}
		var failed *upstream.Error
		for _, err := range call.Chunks(t.Context()) {
			errors.As(err, &failed)
		}
		if failed == nil || failed.Refuses.Has(upstream.Guided) != tt.refuses {
			t.Errorf("%s: %+v", tt.message, failed)
		}
		up.Close()
		served.Close()
	}
}

// TestGuidedKind has servers asked once how they take constraints.
func TestGuidedKind(t *testing.T) {
	for _, tt := range []struct{ models, props, version, want string }{
		{`{"data":[{"id":"m","owned_by":"vllm"}]}`, "", "", upstream.GuidedVLLM},
		{`{"data":[{"id":"m","owned_by":"sglang"}]}`, "", "", upstream.GuidedSGLang},
		{`{"data":[{"id":"m","owned_by":"llamacpp"}]}`, "", "", upstream.GuidedLlamaCpp},
		{`{"data":[{"id":"m","owned_by":"library"}]}`, "", "", upstream.GuidedJSONSchema},
		{`{"data":[{"id":"m","owned_by":"me"}]}`, `{"model_path":"/models/qwen.gguf"}`, "", upstream.GuidedLlamaCpp},
		{`{"data":[{"id":"m","owned_by":"me"}]}`, "", `{"version":"0.12.0"}`, upstream.GuidedVLLM},
		{`{"data":[]}`, "", "", ""},
	} {
		asked := 0
		served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			body := map[string]string{"/v1/models": tt.models, "/props": tt.props, "/version": tt.version}[r.URL.Path]
			if body == "" {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("content-type", "application/json")
			w.Write([]byte(body))
		}))
		up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: served.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		first := up.GuidedKind(t.Context())
		before := asked
		if again := up.GuidedKind(t.Context()); first != tt.want || again != tt.want || asked != before {
			t.Errorf("%s: %q, then %q; asked %d and %d times", tt.models, first, again, before, asked)
		}
		up.Close()
		served.Close()
	}
}
