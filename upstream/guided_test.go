package upstream_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// constrained returns a prompt with a constraint: for a forced call, a free choice, or an answer in JSON.
func constrained(t *testing.T, members string) *translate.Prompt {
	t.Helper()
	return constrainedFor(t, members, translate.Target{ModelOptions: translate.ModelOptions{Format: "json"}})
}

// constrainedFor is constrained for a target.
func constrainedFor(t *testing.T, members string, target translate.Target) *translate.Prompt {
	t.Helper()
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Go."}],`+members+`}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := translate.Render(req, target)
	if err != nil {
		t.Fatal(err)
	}
	if p.Constraint, err = translate.Constrain(t.Context(), p, true); err != nil {
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

// TestConstraintOfServer sends each kind of server a constraint in its own form. The server's fake checks it.
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
			m := upstream.Model{ID: "m", Can: upstream.Streaming | upstream.System | upstream.Guided, Guided: tt.kind}
			if err := upstream.CheckConstraint(m, false, p.Constraint); (err == nil) != (want != "") {
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
			call, err := up.Prepare(m, p)
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

// TestConstraintWithRawPrompt sends servers and imported models a constraint with a raw prompt. Their fakes
// check it. If the constraint is a grammar, the call continues the prefill.
func TestConstraintWithRawPrompt(t *testing.T) {
	const schema = `{"type":"object","properties":{"name":{"const":"f"}`
	for _, tt := range []struct {
		kind, server, body string
		formats            []string // of an imported model
		forced, free, JSON string
	}{
		{upstream.GuidedVLLM, "vllm", "", nil, `"structured_outputs":{"grammar":"root ::= \" \" `, `"structured_outputs":{"structural_tag":"{`, `"response_format":{"type":"json_schema",`},
		{upstream.GuidedSGLang, "sglang", "", nil, `"ebnf":"root ::= \" \" `, `"response_format":{"type":"structural_tag","format":{`, `"response_format":{"type":"json_schema",`},
		{upstream.GuidedLlamaCpp, "llama.cpp", "", nil, `"grammar":"root ::= \" \" `, `"grammar_lazy":true,"grammar_triggers":[{"type":1,"value":"<tool_call>\n{\"name\": \"f\"`, `"json_schema":{"type":"object"}`},
		{upstream.GuidedJSONSchema, "ollama", "", nil, `"format":` + schema, "", `"format":{"type":"object"}`},
		{upstream.GuidedJSONSchema, "lmstudio", "", nil, "", "", ""},
		{upstream.GuidedFireworks, "fireworks", "", nil, "", "", ""},
		{upstream.GuidedImport, "", upstream.BodyCompletions, []string{upstreamtest.FormatCompletion}, `"structured_outputs":{"grammar":"root ::= \" \" `, "", `"response_format":{"type":"json_schema",`},
		{upstream.GuidedImport, "", upstream.BodyLlama, []string{upstreamtest.FormatBedrockMeta}, `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":` + schema, "", `"response_format":{"type":"json_schema",`},
	} {
		for name, want := range map[string]string{"forced": tt.forced, "free": tt.free, "JSON": tt.JSON} {
			m := upstream.Model{ID: "m", Wire: upstream.WirePrompt, Server: tt.server, Body: tt.body, Can: upstream.RawFeatures | upstream.Guided, Guided: tt.kind}
			p := constrainedFor(t, guidedRequests[name], translate.Target{ModelOptions: translate.ModelOptions{Format: "json", ChatTemplate: "qwen2.5"}, Prefill: upstream.TakesGrammar(m)})
			if err := upstream.CheckConstraint(m, true, p.Constraint); (err == nil) != (want != "") {
				t.Errorf("%s, %s: %v", tt.server, name, err)
			}
			if want == "" {
				continue
			}
			var up interface {
				Prepare(upstream.Model, *translate.Prompt) (*upstream.Call, error)
			}
			var requests func() []upstreamtest.Request
			if tt.formats != nil {
				m.ID = imported
				fake := upstreamtest.NewBedrock(nil)
				fake.Imports = map[string]*upstreamtest.Import{imported: {Created: newFormats, Formats: tt.formats}}
				served := httptest.NewServer(fake)
				t.Cleanup(served.Close)
				up, requests = signedBedrock(t, served), fake.Requests
			} else {
				fake := upstreamtest.NewChat(nil)
				fake.Server, fake.Guided.Kind = tt.server, tt.kind
				served := httptest.NewServer(fake)
				t.Cleanup(served.Close)
				server, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: served.URL + "/v1"})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(server.Close)
				up, requests = server, fake.Requests
			}
			call, err := up.Prepare(m, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range call.Chunks(t.Context()) {
				if err != nil {
					t.Errorf("%s%s, %s: %v", tt.server, tt.body, name, err)
				}
			}
			if list := requests(); len(list) != 1 || !strings.Contains(string(list[0].Body), want) {
				t.Errorf("%s%s, %s: %d requests, of which the first has no %s: %s", tt.server, tt.body, name, len(list), want, list[0].Body)
			}
		}
	}
}

// TestConstraintRefused makes servers reject a constraint, before an answer and in its place, and fail for
// other reasons.
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
