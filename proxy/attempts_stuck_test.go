package proxy

import (
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// osloResult is question with a call and its result.
var osloResult = withResult(question)

// withResult adds a call and its result to a request.
func withResult(body string) string {
	const question = `{"role":"user","content":"What is the weather in Oslo?"}`
	return strings.Replace(body, question, question+`,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"4 degrees"}]}`, 1)
}

// reminder is what a stuck model is told.
const reminder = "If this answers the request, reply in words. Otherwise make the next call."

// TestStuck: a model that answers results with nothing, or with the same call, is reminded once.
func TestStuck(t *testing.T) {
	again := strings.TrimPrefix(weatherCall("<city>Oslo</city>"), "Let me look.\n\n")
	const cold, oslo = `"text":"It is cold."`, `"name":"get_weather","input":{"city":"Oslo"}`
	for _, tt := range []struct {
		name, body string
		answers    []string
		want       string // in the message
		unmet      string
		asked      int
		counted    []string // outcomes and reasons
	}{
		{"an answer", osloResult, []string{"It is cold."}, cold, "", 1, nil},
		{"nothing", osloResult, []string{"", "It is cold."}, cold, "", 2, []string{`outcome="empty",reason="none"} 1`}},
		{"nothing twice", osloResult, []string{"", ""}, `"content":[]`, "answer", 2, []string{`outcome="empty",reason="none"} 2`}},
		{"nothing, and the upstream fails", osloResult, []string{""}, `"content":[]`, "answer", 2, []string{`outcome="empty",reason="none"} 1`}},
		{"the same call", osloResult, []string{again, "It is cold."}, cold, "", 2, []string{`outcome="clean",reason="repeated"} 1`}},
		{"the same call twice", osloResult, []string{again, again}, oslo, "", 2, []string{`outcome="clean",reason="repeated"} 2`}},
		{"nothing to begin with", question, []string{""}, `"content":[]`, "answer", 1, []string{`outcome="empty",reason="none"} 1`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, change := range []func(*Options){nil, func(o *Options) { o.Strict = true }, func(o *Options) { o.Routes[0].Repair = 1 }} {
				up, log := &answering{answers: tt.answers}, &logged{}
				options := []func(*Options){log.option}
				if change != nil {
					options = append(options, change)
				}
				s := newServer(t, up, options...)
				whole := post(s, tt.body)
				if got := whole.Body.String(); whole.Code != 200 || !strings.Contains(got, tt.want) || whole.Header().Get("X-Dragoman-Unmet") != tt.unmet {
					t.Errorf("%d, unmet %q\n%s", whole.Code, whole.Header().Get("X-Dragoman-Unmet"), got)
				}
				if len(up.prompts) != tt.asked {
					t.Errorf("asked %d times", len(up.prompts))
				}
				for i, p := range up.prompts {
					if reminded := strings.Contains(p.Text(), reminder); reminded != (i == 1) {
						t.Errorf("prompt %d has a reminder: %v", i, reminded)
					}
				}
				fields := log.exchange(t)
				if _, unmet := fields["unmet"]; unmet != (tt.unmet != "") || fields["attempts"] != float64(tt.asked) {
					t.Errorf("logged %v", fields)
				}
				metrics := httptest.NewRecorder()
				s.Admin().ServeHTTP(metrics, newRequest("GET", "/metrics", ""))
				for _, sample := range tt.counted {
					if !strings.Contains(metrics.Body.String(), sample) {
						t.Errorf("not counted: %s", sample)
					}
				}
				stream := post(newServer(t, &answering{answers: tt.answers}, options...), streamed(tt.body))
				if got := accumulate(t, readFrames(t, stream.Body)); !strings.Contains(tt.want, "[]") != (len(got.Content) == 1) {
					t.Errorf("streamed: %+v", got)
				}
			}
		})
	}
}

// TestStuckOverToolsAPI: with the tools API of a chat server, the reminder stands in the last result.
func TestStuckOverToolsAPI(t *testing.T) {
	body := withResult(ofQwen)
	if body == ofQwen {
		t.Fatal("no result")
	}
	for _, rescue := range []bool{true, false} {
		change := func(o *Options) { given(ToolsNative)(o); o.Routes[0].Rescue = &rescue }
		for first, want := range map[string]int{"": 2, osloCall: 2, "It is cold.": 1} {
			s, fake, _ := toolServer(t, upstreamtest.ChatTools{Reads: true}, change, first, "It is cold.")
			got := post(s, body)
			if !strings.Contains(got.Body.String(), "It is cold.") {
				t.Errorf("after %q: %s", first, got.Body)
			}
			sent := fake.Requests()
			if len(sent) != want {
				t.Fatalf("after %q: asked %d times", first, len(sent))
			}
			if want == 2 && !strings.Contains(string(sent[1].Body), `"4 degrees\n\n`+reminder+`"`) {
				t.Errorf("after %q: %s", first, sent[1].Body)
			}
		}
	}
}

// TestNeedsReminders: if a model needs reminders often, the log says so once.
func TestNeedsReminders(t *testing.T) {
	for _, note := range []string{"", "Well?"} {
		var answers []string
		for range 20 {
			answers = append(answers, "", "It is cold.")
		}
		up, log := &answering{answers: answers}, &logged{}
		s := newServer(t, up, log.option, func(o *Options) { o.Routes[0].ResultNote = note })
		for range 20 {
			post(s, osloResult)
		}
		want := 1
		if note != "" {
			want = 0
			if text := up.prompts[0].Text(); !strings.Contains(text, "4 degrees") || !strings.Contains(text, note) {
				t.Errorf("no note in %s", text)
			}
		}
		if n := strings.Count(log.String(), "needs_reminders"); n != want {
			t.Errorf("result_note %q: said %d times", note, n)
		}
	}
}
