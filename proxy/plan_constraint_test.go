package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// forcedWeather forces a call of a model that may or may not take a prefill.
var forcedWeather = strings.TrimSuffix(ofQwen, "}") + `,"tool_choice":{"type":"tool","name":"get_weather"}}`

// constrainedModel returns an option that makes the entry ask for constraints.
func constrainedModel(mode string) func(*Options) {
	return func(o *Options) {
		m := &o.Routes[0].UpstreamModel
		m.Constrain, m.Guided, m.Format = mode, upstream.GuidedVLLM, translate.FormatJSON
	}
}

// constraintsSent returns how many requests had a constraint, and the number of all requests.
func constraintsSent(fake *upstreamtest.Chat) (with, all int) {
	for _, r := range fake.Requests() {
		if all++; strings.Contains(string(r.Body), `"structured_outputs"`) {
			with++
		}
	}
	return with, all
}

// TestConstraint forces two calls of models whose servers obey a constraint, ignore it or reject it. A server that does
// not take a constraint is asked without one, and remembered.
func TestConstraint(t *testing.T) {
	calls := func(_ string, p *translate.Prompt) upstreamtest.Completion {
		return upstreamtest.Completion{Text: p.WriteCalls([]translate.ToolUse{{Name: "get_weather", Input: []byte(`{"city":"Oslo"}`)}})}
	}
	first := true // the answer of a server that ignores constraints: prose first, and a call if asked again
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
		with, all  int    // requests to the server for both of the client's requests: with a constraint, and all
		counted    string // counted for the first request; the second counts as skipped, unless it is the same
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

// TestConstraintObeyed: answers that a server may write although it obeys: max_tokens cuts one before its call, one copies
// the example, and one calls in a form that triggers no grammar. The next request has a constraint again.
func TestConstraintObeyed(t *testing.T) {
	call := func(input string) upstreamtest.Script {
		return func(_ string, p *translate.Prompt) upstreamtest.Completion {
			return upstreamtest.Completion{Text: p.WriteCalls([]translate.ToolUse{{Name: "get_weather", Input: []byte(input)}})}
		}
	}
	text := func(c upstreamtest.Completion) upstreamtest.Script {
		return func(string, *translate.Prompt) upstreamtest.Completion { return c }
	}
	for name, tt := range map[string]struct {
		body   string
		script upstreamtest.Script
	}{
		"cut":     {forcedWeather, text(upstreamtest.Completion{Text: "<tool", Stop: messages.StopMaxTokens})},
		"example": {forcedWeather, call(`{"city":"example city"}`)},
		"form":    {ofQwen, text(upstreamtest.Completion{Text: "<function_calls>\n<invoke name=\"get_wether\">\n</invoke>\n</function_calls>"})},
	} {
		t.Run(name, func(t *testing.T) {
			fake := upstreamtest.NewChat(tt.script)
			fake.Guided.Kind = upstream.GuidedVLLM
			s := chatting(t, fake, constrainedModel(ConstrainRequire), func(o *Options) { o.Routes[0].ConstrainAuto = true })
			for range 2 {
				if w := post(s, tt.body); w.Code != http.StatusOK {
					t.Errorf("status %d, %s", w.Code, w.Body)
				}
			}
			if with, all := constraintsSent(fake); with != all || all < 2 {
				t.Errorf("%d of %d requests had a constraint", with, all)
			}
			if page := scrape(t, s); !strings.Contains(page, `dragoman_constraints_total{model="*",result="held"} 2`) {
				t.Error("not counted as held")
			}
		})
	}
}

// TestConstraintSkipped: answers of a model that may think, or of an unknown server, are not constrained.
func TestConstraintSkipped(t *testing.T) {
	for name, change := range map[string]func(m *UpstreamModel){
		"may think":          func(m *UpstreamModel) { m.Thinking = translate.ThinkingMaybe },
		"takes none":         func(m *UpstreamModel) { m.Guided = upstream.GuidedNone },
		"format has no rule": func(m *UpstreamModel) { m.Format = "gemma" },
	} {
		t.Run(name, func(t *testing.T) {
			for mode, status := range map[string]int{ConstrainTry: 200, ConstrainRequire: 502} {
				fake := upstreamtest.NewChat(nil)
				var log logged
				s := chatting(t, fake, constrainedModel(mode), log.option, func(o *Options) {
					o.Log = o.Log.Level(zerolog.InfoLevel)
					change(&o.Routes[0].UpstreamModel)
				})
				if w := explainTo(s, "", forcedWeather); status == 200 && !strings.Contains(w.Body.String(), `"unconstrained":"`) {
					t.Errorf("%s: no reason in %s", mode, w.Body)
				}
				if w := post(s, forcedWeather); w.Code != status {
					t.Errorf("%s: status %d, %s", mode, w.Code, w.Body)
				}
				if with, _ := constraintsSent(fake); with != 0 {
					t.Errorf("%s: a constraint was sent", mode)
				}
				if status == 200 && !strings.Contains(log.String(), "asked without a constraint") {
					t.Errorf("%s: the log has no reason", mode)
				}
				if !strings.Contains(scrape(t, s), `dragoman_constraints_total{model="*",result="skipped"}`) && status == 200 {
					t.Errorf("%s: not counted", mode)
				}
				if w := post(s, ofQwen); w.Code != http.StatusOK { // a free answer needs no constraint
					t.Errorf("%s: status %d, %s", mode, w.Code, w.Body)
				}
			}
		})
	}
}

// TestConstraintOfPassed: a server with a tools API writes calls in its own format, whether the request passes through
// or its tools are sent over chat completions. No constraint fits a forced call. Other answers need none.
func TestConstraintOfPassed(t *testing.T) {
	const free = `{"model":"claude-2.1","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`
	forced := strings.TrimSuffix(free, "}") + `,"tools":[{"name":"now","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`
	for name, serve := range map[string]func(change func(*Options)) *Server{
		"passed": func(change func(*Options)) *Server {
			return newServer(t, &nativeModel{text: "Hi"}, withTools(ToolsNative), change)
		},
		"chat": func(change func(*Options)) *Server {
			return chatting(t, upstreamtest.NewChat(nil), withTools(ToolsNative), change)
		},
	} {
		for mode, status := range map[string]int{ConstrainTry: 200, ConstrainRequire: 502} {
			s := serve(func(o *Options) { o.Routes[0].Constrain, o.Routes[0].ConstrainAuto = mode, true })
			if w := post(s, free); w.Code != http.StatusOK || strings.Contains(scrape(t, s), `result="skipped"`) {
				t.Errorf("%s, %s: status %d, %s", name, mode, w.Code, w.Body)
			}
			if w := post(s, forced); w.Code != status {
				t.Errorf("%s, %s, forced: status %d, %s", name, mode, w.Code, w.Body)
			}
			if counted := strings.Contains(scrape(t, s), `result="skipped"} 1`); counted != (mode == ConstrainTry) {
				t.Errorf("%s, %s: counted is %v", name, mode, counted)
			}
		}
	}
}

// inSchema answers like a server that constrains the model to the schema of a call.
func inSchema(string, *translate.Prompt) upstreamtest.Completion {
	return upstreamtest.Completion{Text: `{"name": "get_weather", "arguments": {"city": "Oslo"}}`}
}

// TestConstraintByKind: a server that takes only schemas is asked in JSON and without a prefill. A free choice is
// constrained if the entry says so. Each constraint is shown.
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
			m.Constrain, m.Guided, m.ConstrainAuto, m.Kind = ConstrainTry, tt.kind, tt.auto, upstream.KindOpenAI
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

// TestConstraintWithRawPrompt forces calls of models that get raw prompts, on servers that say which kind they are.
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
