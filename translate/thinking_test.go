package translate

import (
	gocmp "cmp"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/messages"
)

// TestThinking asks a model for its reasoning, and reads it as blocks.
func TestThinking(t *testing.T) {
	const call = "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n</parameters>\n</invoke>\n"
	thought := func(s string) messages.ContentBlock {
		return messages.ContentBlock{Type: messages.BlockThinking, Thinking: s}
	}
	said := func(s string) messages.ContentBlock { return messages.ContentBlock{Type: messages.BlockText, Text: s} }
	called := messages.ContentBlock{Type: messages.BlockToolUse, Name: "f", Input: []byte("{}")}
	tests := []struct {
		name, completion string
		thinking         messages.Thinking
		noTools          bool
		Format           string
		stop             messages.Stop
		want             []messages.ContentBlock
		wantStop         messages.Stop
	}{
		{name: "and an answer", completion: "<thinking>\nHm, 1 < 2.\n</thinking>\n\nYes.", want: []messages.ContentBlock{thought("Hm, 1 < 2."), said("Yes.")}},
		{name: "and a call", completion: " <thinking>Hm.</thinking>\n" + call, stop: messages.StopSequence, want: []messages.ContentBlock{thought("Hm."), called}, wantStop: messages.StopToolUse},
		{name: "without tools", completion: "<thinking>Hm <b>.</thinking>Yes <i>.", noTools: true, want: []messages.ContentBlock{thought("Hm <b>."), said("Yes <i>.")}},
		{name: "that is omitted", completion: "<thinking>Hm.</thinking>Yes.", thinking: messages.ThinkingOmitted, want: []messages.ContentBlock{thought(""), said("Yes.")}},
		{name: "that nobody asked for", completion: "<thinking>Hm.</thinking>Yes.", thinking: messages.ThinkingOff, want: []messages.ContentBlock{said("<thinking>Hm.</thinking>Yes.")}},
		{name: "none", completion: "Yes.", want: []messages.ContentBlock{said("Yes.")}},
		{name: "later", completion: "Yes. <thinking>Hm.</thinking>", want: []messages.ContentBlock{said("Yes. <thinking>Hm.</thinking>")}},
		{name: "a second time", completion: "<thinking>Hm.</thinking><thinking>Hm!</thinking>Yes.", want: []messages.ContentBlock{thought("Hm."), thought("Hm!"), said("Yes.")}},
		{name: "with open code", completion: "<thinking>Use `x.</thinking>Yes.", want: []messages.ContentBlock{thought("Use `x."), said("Yes.")}},
		{name: "with a rehearsal", completion: "<thinking>I write " + call + "</function_calls> now.</thinking>Yes.",
			want: []messages.ContentBlock{thought("I write " + call + "</function_calls> now."), said("Yes.")}},
		{name: "that is cut", completion: "<thinking>Hm, I", stop: messages.StopMaxTokens, want: []messages.ContentBlock{thought("Hm, I")}, wantStop: messages.StopMaxTokens},
		{name: "that is never closed, and a call", completion: "<thinking>Hm.\n" + call, stop: messages.StopSequence, want: []messages.ContentBlock{thought("Hm."), called}, wantStop: messages.StopToolUse},
		{name: "on a channel", Format: format.Harmony, completion: "<|channel|>analysis<|message|>Hm <b>.<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
			want: []messages.ContentBlock{thought("Hm <b>."), said("Yes.")}},
		{name: "on a channel that is not ended, and a call", Format: format.Harmony, completion: "<|channel|>analysis<|message|>Hm.\n<|start|>assistant<|channel|>commentary to=functions.f json<|message|>{}",
			want: []messages.ContentBlock{thought("Hm."), called}, wantStop: messages.StopToolUse},
		{name: "on a channel, with a rehearsal", Format: format.Harmony, completion: "<|channel|>analysis<|message|>I write " + call + " now.<|end|><|channel|>final<|message|>Yes.",
			want: []messages.ContentBlock{thought("I write " + call + " now."), said("Yes.")}},
		{name: "on a channel, without markers", Format: format.Harmony, completion: "analysisWe assist. The assistant says: assistantfinalYes.",
			want: []messages.ContentBlock{thought("We assist. The assistant says:"), said("Yes.")}},
		{name: "on a channel, without markers, and a call", Format: format.Harmony, completion: "analysisWe call.assistantcommentary to=functions.f json{}",
			want: []messages.ContentBlock{thought("We call."), called}, wantStop: messages.StopToolUse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.thinking == messages.ThinkingOff && test.name != "that nobody asked for" {
				test.thinking = messages.ThinkingShown
			}
			req := &messages.Request{Thinking: test.thinking, MaxTokens: 9, Tools: []messages.Tool{{Name: "f", InputSchema: []byte(`{"type":"object"}`)}},
				Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Hi"}}}}}
			if test.noTools {
				req.Tools = nil
			}
			prompt, err := Render(req, Target{ModelOptions: ModelOptions{Format: test.Format}})
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= len(test.completion); n++ {
				m, err := messages.Collect(Events(req, prompt, func(*Prompt) iter.Seq2[Chunk, error] { return cutChunks(test.completion, n, test.stop) }))
				if err != nil {
					t.Fatal(err)
				}
				for i := range m.Content {
					m.Content[i].ID = ""
				}
				if diff := cmp.Diff(test.want, m.Content); diff != "" {
					t.Fatalf("in pieces of %d: %s", n, diff)
				}
				if want := gocmp.Or(test.wantStop, messages.StopEndTurn); m.StopReason != want {
					t.Errorf("in pieces of %d: stop_reason %s, want %s", n, m.StopReason, want)
				}
			}
		})
	}
}

func cutChunks(text string, n int, stop messages.Stop) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for text != "" {
			piece := text[:min(n, len(text))]
			text = text[len(piece):]
			if !yield(Chunk{Text: piece}, nil) {
				return
			}
		}
		last := Chunk{Stop: gocmp.Or(stop, messages.StopEndTurn)}
		if stop == messages.StopSequence {
			last.StopSequence = CallsEnd
		}
		yield(last, nil)
	}
}

// TestThinkingInThePrompt checks that the instruction to think comes after the tools, and that the
// prompt shows past thinking.
func TestThinkingInThePrompt(t *testing.T) {
	body := `{"model":"m","max_tokens":9,"system":"Be brief.","thinking":{"type":"enabled","budget_tokens":2048},
		"tools":[{"name":"f","input_schema":{"type":"object"}}],
		"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":""},
			{"type":"thinking","thinking":"","signature":"x"},{"type":"text","text":"Yes?"}]},{"role":"user","content":"Go on"}]}`
	for _, strict := range []bool{false, true} {
		req, err := messages.Decode([]byte(body), messages.DecodeOptions{Strict: strict})
		if err != nil || len(req.Dropped) > 0 {
			t.Fatalf("%v; dropped %v", err, req.Dropped)
		}
		p, err := Render(req, Target{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.System) != 3 || p.System[2].Text != language.English.ThinkFirst {
			t.Errorf("system %+v", p.System)
		}
		if text := p.Text(); !strings.Contains(text, "Assistant: <thinking>\nHm.\n</thinking>\nYes?") || strings.Contains(text, "<thinking>\n\n") {
			t.Errorf("prompt:\n%s", text)
		}
	}
}
