package proxy

import (
	"net/http"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// forcedWeather forces a call of a model of which it is not known whether it takes a prefill.
var forcedWeather = strings.TrimSuffix(ofQwen, "}") + `,"tool_choice":{"type":"tool","name":"get_weather"}}`

// constrainedModel has an entry that asks for constraints.
func constrainedModel(mode string) func(*Options) {
	return func(o *Options) {
		m := &o.Routes[0].UpstreamModel
		m.Constrain, m.Guided, m.Format = mode, upstream.GuidedVLLM, translate.FormatJSON
	}
}

// constraintsSent returns how many requests had a constraint, and the number of all.
func constraintsSent(fake *upstreamtest.Chat) (with, all int) {
	for _, r := range fake.Requests() {
		if all++; strings.Contains(string(r.Body), `"structured_outputs"`) {
			with++
		}
	}
	return with, all
}

// TestConstraint forces calls of models behind servers that hold the model to a constraint, that ignore it, and that
// refuse it, twice: a server that does not take one is asked without, and remembered.
func TestConstraint(t *testing.T) {
	calls := func(_ string, p *translate.Prompt) upstreamtest.Completion {
		return upstreamtest.Completion{Text: p.WriteCalls([]translate.Call{{Name: "get_weather", Input: []byte(`{"city":"Oslo"}`)}})}
	}
	first := true // of a server that ignores: prose, and a call if the model is asked again
	ignores := func(model string, p *translate.Prompt) upstreamtest.Completion {
		if first {
			first = false
			return upstreamtest.Completion{Text: "I would look out of the window."}
		}
		return calls(model, p)
	}
	refuses := upstreamtest.ChatGuided{Kind: upstream.GuidedVLLM, Refuses: "failed to parse grammar"}
	late := refuses
	late.Late = true
	for _, tt := range []struct {
		name, mode string
		script     upstreamtest.Script
		guided     upstreamtest.ChatGuided
		status     int
		with, all  int    // requests of the server for both of the client's: with a constraint, and all
		counted    string // what is counted for the first request; the second is counted as skipped unless it is the same
	}{
		{"holds", ConstrainTry, calls, upstreamtest.ChatGuided{Kind: upstream.GuidedVLLM}, 200, 2, 2, "held"},
		{"holds", ConstrainRequire, calls, upstreamtest.ChatGuided{Kind: upstream.GuidedVLLM}, 200, 2, 2, "held"},
		{"ignores", ConstrainTry, ignores, upstreamtest.ChatGuided{Kind: upstream.GuidedVLLM}, 200, 1, 3, "ignored"},
		{"ignores", ConstrainRequire, ignores, upstreamtest.ChatGuided{Kind: upstream.GuidedVLLM}, 502, 1, 1, "ignored"},
		{"refuses", ConstrainTry, calls, refuses, 200, 1, 3, "refused"},
		{"refuses", ConstrainRequire, calls, refuses, 400, 2, 2, ""},
		{"refuses with 200", ConstrainTry, calls, late, 200, 1, 3, "refused"},
		{"off", ConstrainOff, calls, upstreamtest.ChatGuided{}, 200, 0, 2, ""},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(tt.name+", "+tt.mode, func(t *testing.T) {
				first = true
				fake := upstreamtest.NewChat(tt.script)
				fake.Guided = tt.guided
				s := chatting(t, fake, constrainedModel(tt.mode))
				body := forcedWeather
				if stream {
					body = streamed(body)
				}
				for i := range 2 {
					w := post(s, body)
					if w.Code != tt.status && (i == 0 || tt.name != "ignores") {
						t.Errorf("request %d: status %d, %s", i, w.Code, w.Body)
					}
					if tt.status == http.StatusOK && !strings.Contains(w.Body.String(), "Oslo") {
						t.Errorf("request %d: %s", i, w.Body)
					}
				}
				if with, all := constraintsSent(fake); with != tt.with || all != tt.all {
					t.Errorf("%d of %d requests had a constraint, want %d of %d", with, all, tt.with, tt.all)
				}
				if page := scrape(t, s); tt.counted != "" && !strings.Contains(page, `dragoman_constraints_total{model="*",result="`+tt.counted+`"}`) {
					t.Errorf("not counted as %s: %s", tt.counted, page)
				}
			})
		}
	}
}

// TestConstraintSkipped has requests whose answers are not held to a constraint: a model that may think, and a server
// that is not known.
func TestConstraintSkipped(t *testing.T) {
	for name, change := range map[string]func(m *UpstreamModel){
		"may think":          func(m *UpstreamModel) { m.Thinking = translate.ThinkingMaybe },
		"takes none":         func(m *UpstreamModel) { m.Guided = upstream.GuidedNone },
		"format has no rule": func(m *UpstreamModel) { m.Format = "gemma" },
	} {
		t.Run(name, func(t *testing.T) {
			for mode, status := range map[string]int{ConstrainTry: 200, ConstrainRequire: 502} {
				fake := upstreamtest.NewChat(nil)
				s := chatting(t, fake, constrainedModel(mode), func(o *Options) { change(&o.Routes[0].UpstreamModel) })
				if w := post(s, forcedWeather); w.Code != status {
					t.Errorf("%s: status %d, %s", mode, w.Code, w.Body)
				}
				if with, _ := constraintsSent(fake); with != 0 {
					t.Errorf("%s: a constraint was sent", mode)
				}
				if !strings.Contains(scrape(t, s), `dragoman_constraints_total{model="*",result="skipped"}`) && status == 200 {
					t.Errorf("%s: not counted", mode)
				}
				if w := post(s, ofQwen); w.Code != http.StatusOK { // a free answer needs none
					t.Errorf("%s: status %d, %s", mode, w.Code, w.Body)
				}
			}
		})
	}
}

// inSchema answers as a server does that holds the model to the schema of a call.
func inSchema(string, *translate.Prompt) upstreamtest.Completion {
	return upstreamtest.Completion{Text: `{"name": "get_weather", "arguments": {"city": "Oslo"}}`}
}

// TestConstraintByKind has a server that takes schemas alone asked in JSON and from the beginning, a choice held where
// the entry says so, and each constraint shown.
func TestConstraintByKind(t *testing.T) {
	for _, tt := range []struct {
		kind, body, want string
		auto             bool
	}{
		{upstream.GuidedJSONSchema, forcedWeather, `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"name":{"const":"get_weather"}`, false},
		{upstream.GuidedVLLM, ofQwen, `"structured_outputs":{"structural_tag":`, true},
		{upstream.GuidedLlamaCpp, forcedWeather, `"grammar":"root ::= `, false},
	} {
		script := upstreamtest.Simulated
		if tt.kind == upstream.GuidedJSONSchema {
			script = inSchema
		}
		fake := upstreamtest.NewChat(script)
		fake.Guided.Kind = tt.kind
		s := chatting(t, fake, func(o *Options) {
			m := &o.Routes[0].UpstreamModel
			m.Constrain, m.Guided, m.ConstrainAuto, m.TryPrefill = ConstrainTry, tt.kind, tt.auto, true
		})
		if w := post(s, tt.body); w.Code != http.StatusOK {
			t.Errorf("%s: status %d, %s", tt.kind, w.Code, w.Body)
		}
		last := fake.Requests()[0]
		if page := scrape(t, s); !strings.Contains(page, `result="held"`) {
			t.Errorf("%s: not held: %s", tt.kind, page[strings.Index(page, "dragoman_constraints"):][:300])
		}
		if !strings.Contains(string(last.Body), tt.want) {
			t.Errorf("%s: %s", tt.kind, last.Body)
		}
		if w := explainTo(s, "", tt.body); !strings.Contains(w.Body.String(), `"constraint":{`) || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s is not explained: %s", tt.kind, w.Body)
		}
	}
}

// TestConstraintWithRawPrompt forces calls of models that are asked with raw prompts, by servers that tell what they are.
func TestConstraintWithRawPrompt(t *testing.T) {
	for server, want := range map[string]string{"vllm": `"structured_outputs":{"grammar":"`, "sglang": `"ebnf":"`, "llamacpp": `"grammar":"`, "ollama": `"format":{"type":"object"`} {
		script := upstreamtest.Simulated
		if server == "ollama" {
			script = inSchema
		}
		fake := upstreamtest.NewChat(script)
		fake.Server, fake.Models = server, upstreamtest.Listing{"qwen"}
		fake.Guided.Kind = map[string]string{"llamacpp": upstream.GuidedLlamaCpp}[server]
		if fake.Guided.Kind == "" {
			fake.Guided.Kind = server
		}
		s := chatting(t, fake, func(o *Options) {
			m := &o.Routes[0].UpstreamModel
			m.Wire, m.Family, m.Constrain = WirePrompt, "qwen2.5", ConstrainRequire
		})
		if w := post(s, forcedWeather); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "tool_use") {
			t.Errorf("%s: status %d, %s", server, w.Code, w.Body)
			continue
		}
		if last := fake.Requests()[0]; !strings.Contains(string(last.Body), want) {
			t.Errorf("%s: no %s in %s", server, want, last.Body)
		}
		if page := scrape(t, s); !strings.Contains(page, `dragoman_constraints_total{model="*",result="held"}`) {
			t.Errorf("%s: not held", server)
		}
	}
}
