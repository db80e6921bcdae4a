package proxy

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRepair: if a call cannot be read, Dragoman shows the model its mistake.
func TestRepair(t *testing.T) {
	good := weatherCall("<city>Oslo</city>")
	broken := "Let me look.\n\n<function_calls>\n<invoke>\n<tool_name>{get_weather}</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n"
	lost := weatherCall(`{"city": Oslo}`)
	const oslo = `"name":"get_weather","input":{"city":"Oslo"}`
	tests := []struct {
		name     string
		answers  []string
		want     []string // texts in the message, in this order
		stop     string
		told     []string // texts in the second prompt, in this order
		outcomes string
	}{
		{"a good call", []string{good}, []string{`"text":"Let me look."`, oslo}, "tool_use", nil, "clean"},
		{"no call", []string{"Cold."}, []string{`"text":"Cold."`}, "end_turn", nil, ""},
		{"given back as text", []string{broken, good}, []string{`{get_weather}`, `"text":"Let me look."`, oslo}, "tool_use",
			[]string{"Let me look.", "{get_weather}", "<error>\nThe call could not be read", "not one of a tool", "again"}, "repaired clean"},
		{"opened already", []string{lost, good}, []string{`"text":"Let me look."`, oslo}, "tool_use",
			[]string{"Let me look.", `{"city": Oslo}`, "<error>\nThe call could not be read", "not valid JSON", "again"}, "repaired clean"},
		{"in doubt", []string{weatherCall("<city>Oslo\n\n"), good}, []string{`"text":"Let me look."`, oslo}, "tool_use",
			[]string{"Let me look.", "<city>", "Oslo", "<error>\nThe call could not be read", "not certain where a value in it ends", "again"}, "repaired clean"},
		{"twice", []string{lost, lost}, []string{`{\"city\": Oslo}`}, "end_turn", []string{"not valid JSON"}, "repaired refused"},
		{"parameters that do not fit", []string{weatherCall("<town>Oslo</town>"), good}, []string{`"text":"Let me look."`, oslo}, "tool_use",
			[]string{"<town>", "Oslo", "<error>\nnot run: the parameters do not fit the tool. Missing parameters: city.", "again"}, "clean"},
		{"in attributes", []string{"Let me look.\n\n<function_calls>\n<invoke name=\"get_weather\" town=\"Oslo\"></invoke>\n", good}, []string{`"text":"Let me look."`, oslo}, "tool_use",
			[]string{"Let me look.", "town=", "Oslo", "<error>\nThe call could not be read, and was not run. Missing parameters: city.", "again"}, "repaired clean"},
		{"and the upstream fails", []string{broken}, []string{"{get_weather}"}, "end_turn", []string{"again"}, "refused"},
		{"in words", []string{broken, "It is cold."}, []string{"{get_weather}", "It is cold."}, "end_turn", []string{"again"}, "repaired"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := &answering{answers: tt.answers}
			on := func(o *Options) { o.Routes[0].Repair = 1 }
			s := newServer(t, up, on)
			whole := post(s, question)
			metrics := httptest.NewRecorder()
			s.Admin().ServeHTTP(metrics, newRequest("GET", "/metrics", ""))
			for _, outcome := range []string{"clean", "repaired", "leaked", "refused", "invalid", "incomplete"} {
				counted := strings.Contains(metrics.Body.String(), `outcome="`+outcome+`"`)
				if counted != strings.Contains(tt.outcomes, outcome) {
					t.Errorf("outcome %s counted: %v", outcome, counted)
				}
			}
			ordered(t, whole.Body.String(), tt.want)
			if asked := min(len(tt.told), 1) + 1; len(up.prompts) != asked {
				t.Errorf("asked %d times, want %d", len(up.prompts), asked)
			} else if asked == 2 {
				ordered(t, up.prompts[1].Text(), tt.told)
			}
			var want message
			if err := json.Unmarshal(whole.Body.Bytes(), &want); err != nil {
				t.Fatal(err)
			}
			if want.StopReason != tt.stop {
				t.Errorf("stop_reason %s", want.StopReason)
			}
			stream := post(newServer(t, &answering{answers: tt.answers}, on), streamed(question))
			got := accumulate(t, readFrames(t, stream.Body))
			for _, m := range []*message{&got, &want} {
				m.ID = ""
				for i := range m.Content {
					m.Content[i].ID = ""
				}
			}
			got.closeCut()
			if diff := cmp.Diff(want.Content, got.Content); diff != "" || got.StopReason != want.StopReason {
				t.Errorf("streamed: %s, %s", got.StopReason, diff)
			}
		})
	}
	// The model entry asks for repair.
	up := &answering{answers: []string{broken, good}}
	if post(newServer(t, up), question); len(up.prompts) != 1 {
		t.Error("asked again by default")
	}
}

func ordered(t *testing.T, text string, want []string) {
	t.Helper()
	rest := text
	for _, part := range want {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("no %q, or out of order, in\n%s", part, text)
			return
		}
		rest = after
	}
}
