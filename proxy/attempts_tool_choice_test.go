package proxy

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

const (
	forcesTool = `{"type":"tool","name":"get_weather"}`
	forcesAny  = `{"type":"any"}`
	forcesNone = `{"type":"none"}`
)

// TestChoice: models that do not obey tool_choice, over HTTP on both sides, in every dialect, whole and streamed,
// lenient and strict.
func TestChoice(t *testing.T) {
	weather := says(weatherCall("<city>Oslo</city>"))
	bare := says(strings.TrimPrefix(weather.Text, "Let me look.\n\n"))
	time := says("<function_calls>\n<invoke>\n<tool_name>get_time</tool_name>\n<parameters>\n</parameters>\n</invoke>\n")
	words := says("It may be cold.")
	cut := words
	cut.Stop = "max_tokens"
	unmet := []string{"It may be cold."}
	tests := []struct {
		name, choice   string
		completions    []upstreamtest.Completion
		has, lacks     []string // texts that the answer has or lacks
		dropped, unmet string   // in the header
		asked          int
	}{
		{"at once", forcesTool, []upstreamtest.Completion{bare}, []string{"get_weather", "Oslo"}, nil, "", "", 1},
		{"text before", forcesTool, []upstreamtest.Completion{weather}, []string{"get_weather", "Oslo"}, []string{"Let me"}, "text", "", 1},
		{"any, text before", forcesAny, []upstreamtest.Completion{weather}, []string{"get_weather", "Oslo"}, []string{"Let me"}, "text", "", 1},
		{"words, then", forcesTool, []upstreamtest.Completion{words, weather}, []string{"get_weather", "Oslo"}, []string{"Let me", "cold"}, "text", "", 2},
		{"another, then", forcesTool, []upstreamtest.Completion{time, bare}, []string{"get_weather", "Oslo"}, []string{"get_time"}, "", "", 2},
		{"words twice", forcesAny, []upstreamtest.Completion{says("Let me see."), words}, unmet, []string{"Let me", `"tool_use"`}, "", "tool_choice", 2},
		{"another twice", forcesTool, []upstreamtest.Completion{time}, []string{"get_time"}, nil, "", "tool_choice", 2},
		{"words that are cut", forcesAny, []upstreamtest.Completion{cut}, append(unmet, "max_tokens"), nil, "", "tool_choice", 2},
		{"the second fails", forcesAny, []upstreamtest.Completion{words, {Fault: upstreamtest.Refuse(500, "api_error", "no", "")}}, unmet, nil, "", "tool_choice", 2},
		{"none, words", forcesNone, []upstreamtest.Completion{words}, unmet, nil, "", "", 1},
		{"none, a call after", forcesNone, []upstreamtest.Completion{weather}, []string{"Let me look."}, []string{"get_weather", `"tool_use"`, "function_calls"}, "", "", 1},
		{"none, a call, then", forcesNone, []upstreamtest.Completion{bare, words}, unmet, []string{"get_weather", `"tool_use"`, "function_calls"}, "", "", 2},
		{"none, twice", forcesNone, []upstreamtest.Completion{bare}, []string{"end_turn"}, []string{"get_weather", `"tool_use"`, "function_calls"}, "", "", 2},
	}
	for _, tt := range tests {
		for _, c := range choosings {
			if tt.choice == forcesNone && c.dialect == "bedrock_converse" {
				continue // Converse has no tool choice "none"
			}
			for _, strict := range []bool{false, true} {
				for _, stream := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s strict=%v stream=%v", tt.name, c.dialect, strict, stream), func(t *testing.T) {
						var log logged
						up := plays(t, tt.completions...)
						s := newServer(t, up, log.option, withoutPrefill, func(o *Options) {
							o.Strict, o.Attempts = strict, 3
						})
						got := choose(t, s, c, tt.choice, stream)
						refused := strict && tt.unmet != ""
						if refused {
							checkUnmet(t, got, c.dialect)
						} else if got.status != 200 {
							t.Fatalf("status %d: %s", got.status, got.body)
						}
						if dropped, unmet := got.header.Get("x-dragoman-dropped"), got.header.Get("x-dragoman-unmet"); dropped != tt.dropped || unmet != tt.unmet {
							t.Errorf("x-dragoman-dropped %q, x-dragoman-unmet %q", dropped, unmet)
						}
						if asked := got.header.Get("x-dragoman-attempts"); len(up.prompts) != tt.asked || asked != fmt.Sprint(tt.asked) && !(stream && tt.choice == forcesNone) {
							t.Errorf("asked %d times, x-dragoman-attempts %s", len(up.prompts), asked)
						}
						checkCounted(t, s, &log, tt.dropped, tt.unmet, strings.HasPrefix(tt.name, "none, a call") || tt.name == "none, twice")
						if refused {
							return
						}
						for _, text := range tt.has {
							if !strings.Contains(joined(got.body), text) {
								t.Errorf("no %q in\n%s", text, got.body)
							}
						}
						for _, text := range tt.lacks {
							if strings.Contains(joined(got.body), text) {
								t.Errorf("%q in\n%s", text, got.body)
							}
						}
					})
				}
			}
		}
	}
}

// withoutPrefill configures a model that takes no prefill, so that a call is asked for in words.
func withoutPrefill(o *Options) {
	o.Routes[0].Features = upstream.Override{Without: upstream.Prefill}
}

// TestChoiceAfterPrefill: a model does not continue the call that a prefill began, although it is asked twice. The
// answer has begun at once, so a stream has no header left to report it. The log and the metrics report it instead, and
// under compat: strict an error does.
func TestChoiceAfterPrefill(t *testing.T) {
	for _, c := range choosings {
		for _, strict := range []bool{false, true} {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s strict=%v stream=%v", c.dialect, strict, stream), func(t *testing.T) {
					var log logged
					up := plays(t, says("\nLet me see."), says("\nI would rather not."))
					s := newServer(t, up, log.option, func(o *Options) { o.Strict = strict })
					got := choose(t, s, c, forcesAny, stream)
					switch {
					case strict && !stream:
						checkUnmet(t, got, c.dialect)
					case got.status != 200, strict != strings.Contains(got.body, errUnmet.message), !strings.Contains(joined(got.body), "I would rather not."):
						t.Errorf("status %d: %s", got.status, got.body)
					}
					if unmet := got.header.Get("x-dragoman-unmet"); stream != (unmet == "") || len(up.prompts) != 2 {
						t.Errorf("x-dragoman-unmet %q after %d calls", unmet, len(up.prompts))
					}
					checkCounted(t, s, &log, "", "tool_choice", false)
				})
			}
		}
	}
}

// TestChoiceFailsWithAStatus: while the text of a forced answer is held back, the client gets nothing. So if the
// upstream fails in the meantime, Dragoman can still retry it or answer with an error status.
func TestChoiceFailsWithAStatus(t *testing.T) {
	broken := says("Let me look, and think about it for a while.")
	broken.Fault = upstreamtest.Fail(4, "overloaded_error", "busy")
	for attempts, status := range map[int]int{1: 529, 2: 200} {
		for _, c := range choosings {
			up := plays(t, broken, says(weatherCall("<city>Oslo</city>")))
			s := newServer(t, up, withoutPrefill, func(o *Options) { o.Attempts = attempts })
			want := status
			if want == 529 && strings.HasPrefix(c.dialect, "bedrock") {
				want = 503
			}
			if got := choose(t, s, c, forcesTool, true); got.status != want || len(up.prompts) != attempts {
				t.Errorf("%s: status %d after %d calls: %s", c.dialect, got.status, len(up.prompts), got.body)
			}
		}
	}
}

// TestChoiceOfAClientThatLeaves: the client leaves while the answer is held back.
func TestChoiceOfAClientThatLeaves(t *testing.T) {
	slow := says("Let me look, and think about it for a while.")
	slow.Fault = upstreamtest.Stall(4)
	asked := make(chan struct{})
	fake := upstreamtest.NewMessages(func(string, *translate.Prompt) upstreamtest.Completion {
		close(asked)
		return slow
	})
	server := httptest.NewServer(fake)
	defer server.Close()
	up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL, HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	srv := listen(t, newServer(t, up, withoutPrefill))
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/messages", strings.NewReader(streamed(choosings[0].body(forcesAny))))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-asked
		leave()
	}()
	if res, err := srv.Client().Do(r); err == nil {
		t.Errorf("status %d before there was a call", res.StatusCode)
	}
	<-fake.Gone()
}

// TestChoiceOfAnEndlessModel: the model talks without end and never calls.
func TestChoiceOfAnEndlessModel(t *testing.T) {
	up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		for piece := strings.Repeat("word ", 200_000); yield(translate.Chunk{Text: piece}, nil); {
		}
	})
	got := choose(t, newServer(t, up, withoutPrefill), choosings[0], forcesAny, true)
	if got.status != 502 || !strings.Contains(got.body, "does not end") {
		t.Errorf("%d %s", got.status, clip(got.body))
	}
}

// TestChoiceOfAReasoningModel: the model thinks without being asked to. The thinking before a forced call is dropped,
// too.
func TestChoiceOfAReasoningModel(t *testing.T) {
	up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		_ = yield(translate.Chunk{Thinking: "So, Oslo."}, nil) && yield(translate.Chunk{Text: weatherCall("<city>Oslo</city>")}, nil) && yield(endOfCall, nil)
	})
	for _, stream := range []bool{false, true} {
		got := choose(t, newServer(t, up, withoutPrefill), choosings[0], forcesAny, stream)
		if got.header.Get("x-dragoman-dropped") != "text,thinking" || strings.Contains(got.body, "So, Oslo") || !strings.Contains(got.body, "get_weather") {
			t.Errorf("x-dragoman-dropped %q: %s", got.header.Get("x-dragoman-dropped"), got.body)
		}
	}
}

// TestChoiceInWordsAfterNative: the model reports that it has no tools, so it is asked in words.
func TestChoiceInWordsAfterNative(t *testing.T) {
	m := &nativeModel{flaky: flaky{name: "east"}, refuses: true}
	s := newServer(t, m, withoutPrefill, withTools(ToolsAuto))
	forced := strings.Replace(question, `"messages"`, `"tool_choice":{"type":"any"},"messages"`, 1)
	w := post(s, strings.Replace(forced, "claude-2.1", "claude-3-haiku", 1))
	if w.Code != 200 || len(m.calls) != 2 || w.Header().Get("x-dragoman-unmet") != "tool_choice" || !strings.Contains(w.Body.String(), "from east") {
		t.Errorf("%d after %d calls, %v: %s", w.Code, len(m.calls), w.Header(), w.Body)
	}
}

// TestChoiceIsOfTheModelThatAnswers: a model fails while its text is held back. The next model's answer carries no
// trace of that.
func TestChoiceIsOfTheModelThatAnswers(t *testing.T) {
	met := &answering{answers: []string{"Sure.", weatherCall("<city>Oslo</city>")}}
	s := newServer(t, nil, withoutPrefill, func(o *Options) {
		o.Upstreams["west"] = play(met)
		o.Upstreams["east"] = play(upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{Text: "It may be"}, nil) && yield(translate.Chunk{}, busy)
		}))
		o.Routes[0].Fallbacks = []UpstreamModel{{Upstream: "west", Features: upstream.Override{Without: upstream.Prefill}}}
	})
	got := choose(t, s, choosings[0], forcesAny, true)
	if got.header.Get("x-dragoman-dropped") != "text" || got.header.Get("x-dragoman-unmet") != "" || got.header.Get("x-dragoman-attempts") != "3" ||
		got.header.Get("x-dragoman-upstream") != "west" || strings.Contains(got.body, "may be") {
		t.Errorf("%v: %s", got.header, got.body)
	}
}

// TestThinkingWithAForcedCall: every dialect rejects thinking together with a forced call.
func TestThinkingWithAForcedCall(t *testing.T) {
	const want = "Thinking may not be enabled when tool_choice forces tool use."
	const thinking = `"thinking":{"type":"enabled","budget_tokens":1024}`
	for _, c := range choosings {
		for _, strict := range []bool{false, true} {
			for _, dry := range []string{"", "1"} {
				up := &answering{}
				s := newServer(t, up, func(o *Options) { o.Strict = strict })
				body := "{" + thinking + "," + c.body(forcesAny)[1:]
				if c.dialect == "bedrock_converse" {
					body = `{"additionalModelRequestFields":{` + thinking + `},` + c.body(forcesAny)[1:]
				}
				w := httptest.NewRecorder()
				r := newRequest("POST", c.whole, body)
				if dry != "" {
					r.Header.Set("x-dragoman-dry-run", dry)
				}
				answerTo(s, w, r)
				if w.Code != 400 || !strings.Contains(w.Body.String(), `"message":"`+want) || len(up.prompts) != 0 {
					t.Errorf("%s strict=%v dry=%s: %d %s", c.dialect, strict, dry, w.Code, w.Body)
				}
			}
		}
	}
}
