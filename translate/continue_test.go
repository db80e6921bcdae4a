package translate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate/answer"
	"dragoman/translate/messages"
)

// inTurn gives the first answer to the first prompt, the second answer to the second, and so on.
func inTurn(answers ...Ask) Ask {
	return func(p *Prompt) iter.Seq2[Chunk, error] {
		next := answers[0]
		answers = answers[1:]
		return next(p)
	}
}

// counted sets the usage of the last chunk.
func counted(chunks iter.Seq2[Chunk, error], u messages.Usage) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for c, err := range chunks {
			if c.Stop != "" {
				c.Usage = u
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// callOf returns a call of the tool write with one argument, and the tag that ends the calls.
func callOf(content string) string {
	return CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n<parameters>\n<content>" + content + "</content>\n</parameters>\n</invoke>\n" + CallsEnd
}

// TestContinuationPrompt checks the prompt that asks a model to continue: the first prompt, with
// everything that the model has written at the end of the prefill.
func TestContinuationPrompt(t *testing.T) {
	temperature := 0.5
	base := Prompt{
		System:        []Text{{Text: "Be brief."}},
		Turns:         []Turn{{Role: messages.RoleUser, Parts: []Part{{Type: PartText, Text: "Hi"}}}},
		StopSequences: []string{CallsEnd, "END"},
		MaxTokens:     1000,
		Temperature:   &temperature,
		Asking: asking{
			Continues: true,
		},
	}
	prefilled := base
	prefilled.Turns = []Turn{base.Turns[0], {Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: "I write"}, {Type: PartText, Text: " it."}}}}
	text := callOf("a" + CallsEnd + "b" + CallsEnd + "c")
	first, rest, _ := strings.Cut(text, CallsEnd)
	second, _, _ := strings.Cut(rest, CallsEnd)
	for _, prompt := range []Prompt{base, prefilled} {
		w := &writer{t: t, prompt: &prompt, text: text}
		if got, want := show(w.message(benchRequest())), `write {"content":"a</function_calls>b</function_calls>c"}`+"\ntool_use\n# continued write "; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if len(w.asked) != 3 {
			t.Fatalf("asked %d times", len(w.asked))
		}
		said := first
		for i, left := range []int{1000, 1000 - len(first), 1000 - len(first) - len(second)} {
			want := base
			want.MaxTokens = left
			switch {
			case i == 0:
				want.Turns = prompt.Turns
			case len(prompt.Turns) == 1:
				want.Turns = []Turn{base.Turns[0], {Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: said + CallsEnd}}}}
			default:
				want.Turns = []Turn{base.Turns[0], {Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: "I write"}, {Type: PartText, Text: " it." + said + CallsEnd}}}}
			}
			if i > 0 {
				want.Why = ReasonStopped
			}
			if i == 1 {
				said += CallsEnd + second
			}
			if diff := cmp.Diff(want, *w.asked[i], cmp.AllowUnexported(Prompt{}, asking{})); diff != "" {
				t.Errorf("prompt %d: %s", i, diff)
			}
		}
	}
}

// TestContinuedOpening continues a call that tool_choice has opened.
func TestContinuedOpening(t *testing.T) {
	req := benchRequest()
	req.MaxTokens = 1000
	req.Messages = []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Write."}}}}
	req.ToolChoice = messages.ToolChoice{Type: messages.ChoiceTool, Name: "write"}
	text := strings.TrimPrefix(callOf("a"+CallsEnd+"b"), CallsStart+"\n<invoke>\n<tool_name>write</tool_name>\n<parameters>")
	const want = `write {"content":"a</function_calls>b"}` + "\ntool_use\n# continued write "
	for _, wire := range []bool{false, true} {
		prompt, err := Render(req, Target{Prefill: true, TextWire: wire})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 9 {
			w := &writer{t: t, prompt: prompt, text: text, pieces: n}
			if got := show(w.message(req)); got != want || len(w.asked) != 2 {
				t.Errorf("pieces of %d, asked %d: got\n%s\nwant\n%s", n, len(w.asked), got, want)
			}
		}
	}
}

// TestNoContinuation has cases in which Dragoman does not ask the model to continue. The model takes no
// prefill, no tool is offered, the tokens are used up, the model has written too much, or the upstream did
// not stop at the tag.
func TestNoContinuation(t *testing.T) {
	text := "`" + CallsEnd + "` or\n" + callOf("a"+CallsEnd+"b")
	call, _, _ := strings.Cut(callOf("a"+CallsEnd+"b"), CallsEnd)
	reads := func(continues bool, tokens int, c completion, asks int) func(*testing.T) {
		return func(t *testing.T) {
			asked := 0
			ask := func(p *Prompt) iter.Seq2[Chunk, error] {
				asked++
				return counted(c.chunks(1000)(p), messages.Usage{OutputTokens: 100})
			}
			m, err := messages.Collect(checked(t, Events(benchRequest(), &Prompt{MaxTokens: tokens, Asking: asking{Continues: continues}}, ask)))
			if err != nil {
				t.Fatal(err)
			}
			if asked != asks {
				t.Errorf("asked %d times, want %d: %s", asked, asks, show(m))
			}
			if asks > 1 {
				return
			}
			if want := show(parse(t, benchRequest(), c, 0)); show(m) != want {
				t.Errorf("got\n%s\nwant\n%s", show(m), want)
			}
		}
	}
	stopped := completion{call, messages.StopSequence, CallsEnd}
	t.Run("asked", reads(true, 101, stopped, 2))
	t.Run("asked without a name", reads(true, 101, completion{call, messages.StopSequence, ""}, 2))
	t.Run("tokens used up", reads(true, 100, stopped, 1))
	t.Run("no prefill", reads(false, 1000, stopped, 1))
	t.Run("end of turn", reads(true, 1000, completion{call, messages.StopEndTurn, ""}, 1))
	t.Run("max_tokens", reads(true, 1000, completion{call, messages.StopMaxTokens, ""}, 1))
	t.Run("client's stop", reads(true, 1000, completion{call, messages.StopSequence, "END"}, 1))
	t.Run("quoted", reads(true, 1000, completion{"See `", messages.StopSequence, CallsEnd}, 2))
	t.Run("quoted without a name", reads(true, 1000, completion{"See `", messages.StopSequence, ""}, 1))
	t.Run("much said", reads(true, 1000, completion{call + strings.Repeat("x", answer.MaxContinued-len(call)), messages.StopSequence, CallsEnd}, 2))
	t.Run("too much said", reads(true, 1000, completion{call + strings.Repeat("x", answer.MaxContinued), messages.StopSequence, CallsEnd}, 1))
	t.Run("no tools", func(t *testing.T) {
		w := &writer{t: t, text: text}
		if w.message(&messages.Request{}); len(w.asked) != 1 {
			t.Errorf("asked %d times", len(w.asked))
		}
	})
	t.Run("tokens not counted", func(t *testing.T) {
		for tokens, want := range map[int]int{(len(call) + 3) / 4: 1, (len(call)+3)/4 + 1: 2} {
			asked := 0
			ask := func(p *Prompt) iter.Seq2[Chunk, error] {
				asked++
				return stopped.chunks(0)(p)
			}
			if _, err := messages.Collect(Events(benchRequest(), &Prompt{MaxTokens: tokens, Asking: asking{Continues: true}}, ask)); err != nil || asked != want {
				t.Errorf("of %d tokens: asked %d times, want %d, error %v", tokens, asked, want, err)
			}
		}
	})
}

// TestContinuationEnds has all ways for the answer to the second prompt to end.
func TestContinuationEnds(t *testing.T) {
	call, _, _ := strings.Cut(callOf("a"+CallsEnd+"b"), CallsEnd)
	failed := errors.New("upstream failed")
	cancelled := fmt.Errorf("gone: %w", context.Canceled)
	begun := []string{"message_start", "ping", "start 0 tool_usewrite", `delta 0 {"content":"a`}
	// The first answer has 7 tokens. The tokens of the second are estimated, if it has an end.
	ending := func(text string, tokens int) []string {
		return append(begun[:4:4], "delta 0 "+CallsEnd+text, "stop 0", fmt.Sprint("ending max_tokens ", 7+tokens), "message_stop")
	}
	stop := Chunk{Stop: messages.StopEndTurn}
	tests := []struct {
		name   string
		answer []any
		want   []string
	}{
		{"nothing", []any{stop}, ending("", 0)},
		{"white space", []any{"\n", " ", stop}, ending("", 1)},
		{"reasoning", []any{Chunk{Thinking: "Done."}, stop}, ending("", 2)},
		{"out of tokens", []any{" ", Chunk{Stop: messages.StopMaxTokens}}, ending("", 1)},
		{"refused", []any{failed}, ending("", 0)},
		{"failed after white space", []any{"", "\n", failed}, ending("", 0)},
		{"cut", []any{""}, ending("", 0)},
		{"cancelled", []any{cancelled}, append(begun[:4:4], "error gone: context canceled")},
		{"failed after text", []any{"b", failed}, append(begun[:4:4], "delta 0 "+CallsEnd+"b", "error upstream failed")},
		{"cut after text", []any{"\n", "b"}, append(begun[:4:4], "delta 0 "+CallsEnd+`\nb`, "error "+answer.ErrNoStop.Error())},
		{"out of tokens after text", []any{"b", Chunk{Stop: messages.StopMaxTokens}}, ending("b", 1)},
		{"much white space", []any{strings.Repeat("\n", answer.MaxBlank), stop}, ending(strings.Repeat(`\n`, answer.MaxBlank-1), answer.MaxBlank/4)},
		{"prose", []any{" Now I wait.", stop}, ending(" Now I wait.", 3)},
		{"the end of the call", []any{"b</content>\n</parameters>", "\n</invoke>\n", Chunk{Stop: messages.StopSequence, StopSequence: CallsEnd, Usage: messages.Usage{OutputTokens: 5}}},
			append(begun[:4:4], "delta 0 "+CallsEnd+"b", `delta 0 "}`, "stop 0", "ending tool_use 12", "message_stop")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var left bool
			answers := []Ask{seq(&left, call, Chunk{Stop: messages.StopSequence, StopSequence: CallsEnd, Usage: messages.Usage{OutputTokens: 7}}), seq(&left, tt.answer...)}
			got := collectEvents(t, benchRequest(), &Prompt{MaxTokens: 1000, Asking: asking{Continues: true, Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, inTurn(answers...))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestContinuedReasoning checks that a model that continues in a code span, after more thinking,
// continues in the same text block.
func TestContinuedReasoning(t *testing.T) {
	var left bool
	answers := []Ask{
		seq(&left, Chunk{Thinking: "Hm."}, "A `", Chunk{Stop: messages.StopSequence, StopSequence: CallsEnd}),
		seq(&left, Chunk{Thinking: "Right."}, "` ends it.", Chunk{Stop: messages.StopEndTurn}),
	}
	got := collectEvents(t, benchRequest(), &Prompt{MaxTokens: 1000, Asking: asking{Continues: true}}, inTurn(answers...))
	want := []string{"message_start", "ping", "start 0 thinking", "delta 0 Hm.", "delta 0 ", "stop 0", "start 1 text", "delta 1 A `",
		"delta 1 " + CallsEnd + "` ends it.", "stop 1", "ending end_turn 6", "message_stop"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestContinuedUsage checks that the usage is the sum of both answers, even if the second is left
// early.
func TestContinuedUsage(t *testing.T) {
	call, rest, _ := strings.Cut(callOf("a"+CallsEnd+"b"), CallsEnd)
	rest += "\n<function_results>\nIt is written."
	var left bool
	answers := []Ask{
		seq(&left, Chunk{Usage: messages.Usage{InputTokens: 10, CacheCreationInputTokens: 5, OutputTokens: 1}}, call,
			Chunk{Stop: messages.StopSequence, StopSequence: CallsEnd, Usage: messages.Usage{OutputTokens: 20}}),
		seq(&left, Chunk{Usage: messages.Usage{InputTokens: 3, CacheReadInputTokens: 30, OutputTokens: 1}}, rest, "more"),
	}
	m, err := messages.Collect(Events(benchRequest(), &Prompt{MaxTokens: 1000, Asking: asking{Continues: true}}, inTurn(answers...)))
	want := messages.Usage{InputTokens: 13, CacheCreationInputTokens: 5, CacheReadInputTokens: 30, OutputTokens: 20 + (len(rest)+3)/4}
	if err != nil || m.Usage != want || !left {
		t.Errorf("usage %+v, want %+v; left = %v, error %v", m.Usage, want, left, err)
	}
}

// TestContinuedUnheard checks that the model is not asked to continue if nobody listens.
func TestContinuedUnheard(t *testing.T) {
	w := &writer{t: t, prompt: &Prompt{MaxTokens: 1000, Asking: asking{Continues: true, Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, text: callOf("a" + CallsEnd + "b")}
	for e := range Events(benchRequest(), w.prompt, w.ask) {
		if e.Type == messages.ContentBlockDelta {
			break
		}
	}
	if len(w.asked) != 1 {
		t.Errorf("asked %d times", len(w.asked))
	}
}
