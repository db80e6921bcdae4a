package translate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate/answer"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// collectEvents writes each event on a line.
func collectEvents(t *testing.T, req *messages.Request, prompt *Prompt, ask Ask) (lines []string) {
	t.Helper()
	for e, err := range checked(t, Events(req, prompt, ask)) {
		switch {
		case err != nil:
			lines = append(lines, "error "+err.Error())
		case e.Type == messages.ContentBlockStart:
			lines = append(lines, fmt.Sprint("start ", e.Index, " ", e.Block.Type, e.Block.Name))
		case e.Type == messages.ContentBlockDelta:
			lines = append(lines, fmt.Sprintf("delta %d %s", e.Index, e.Text))
		case e.Type == messages.ContentBlockStop:
			lines = append(lines, fmt.Sprint("stop ", e.Index))
		case e.Type == messages.MessageDelta:
			lines = append(lines, fmt.Sprint("ending ", e.Message.StopReason, " ", e.Message.Usage.OutputTokens))
		default:
			lines = append(lines, e.Type.String())
		}
	}
	return lines
}

// seq yields chunks, and records whether the reader left before the end.
func seq(left *bool, chunks ...any) Ask {
	return whatever(func(yield func(Chunk, error) bool) {
		for _, c := range chunks {
			ok := false
			switch c := c.(type) {
			case string:
				ok = yield(Chunk{Text: c}, nil)
			case Chunk:
				ok = yield(c, nil)
			case error:
				ok = yield(Chunk{}, c)
			}
			if !ok {
				*left = true
				return
			}
		}
	})
}

// TestPromptness checks G3: each piece of a call is followed at once by the events that it allows,
// and by a pause.
func TestPromptness(t *testing.T) {
	steps := []struct{ text, want string }{
		{"", "message_start,ping"},
		{"I will", "start 0 text,delta 0 I will"},
		{" look", "delta 0  look"},
		{".\n\n", "delta 0 ."},
		{"<function_", ""},
		{"calls>\n<invoke>\n<tool_", ""},
		{"name>write</tool_name", ""},
		{">", ""},
		{"\n<parameters>\n<content", ""}, // the call may still be refused
		{">", `stop 0,start 1 tool_usewrite,delta 1 {"content":"`},
		{"if a ", "delta 1 if a "},
		{"<", ""},
		{" b {", "delta 1 < b {"},
		{"\n", ""},
		{"\"x\"", `delta 1 \n\"x\"`},
		{"<div>x</div", "delta 1 <div>x</div"},
		{"</cont", ""},
		{"ract>", ""}, // it may be meant as </content>
		{" a <td>", "delta 1 </contract> a <td>"},
		{"</td", "delta 1 </td"},
		{">", "delta 1 >"},
		{"</content>", ""},
		{"\n", ""},
		{"<path>", `delta 1 ","path":"`},
		{"a</path>\n<list>[1,", `delta 1 a"`},
		{"2]</list>\n</par", ""},
		{"ameters>\n", ""},
		{"</invoke>", `delta 1 ,"list":[1,2]},stop 1`},
	}
	req := benchRequest()
	var got []string
	var i int
	chunks := func(yield func(Chunk, error) bool) {
		for i = range steps {
			got = nil
			if !yield(Chunk{Text: steps[i].text}, nil) {
				return
			}
			if want := strings.TrimPrefix(steps[i].want+",pause", ","); strings.Join(got, ",") != want {
				t.Errorf("after %q: got %q, want %q", steps[i].text, got, want)
			}
		}
		yield(Chunk{Stop: messages.StopSequence, StopSequence: CallsEnd}, nil)
	}
	for e, err := range Events(req, &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, whatever(chunks)) {
		if err != nil {
			t.Fatal(err)
		}
		one := func(yield func(messages.Event, error) bool) { yield(e, nil) }
		for e := range one {
			switch e.Type {
			case messages.ContentBlockStart:
				got = append(got, fmt.Sprint("start ", e.Index, " ", e.Block.Type, e.Block.Name))
			case messages.ContentBlockDelta:
				got = append(got, fmt.Sprintf("delta %d %s", e.Index, e.Text))
			case messages.ContentBlockStop:
				got = append(got, fmt.Sprint("stop ", e.Index))
			case messages.Pause:
				got = append(got, "pause")
			default:
				got = append(got, e.Type.String())
			}
		}
	}
}

// TestPromptnessOfData checks G3 for data in JSON that begins like a call: the client gets it as soon as it is no call
// of an offered tool, nor one beside which such calls may stand.
func TestPromptnessOfData(t *testing.T) {
	f := &format.JSONCalls
	p := &Prompt{Asking: asking{Declared: f, Reads: format.NewReads(f, nil, 0)}}
	for _, text := range []string{
		`{"name": "Anna", "age":`, `{"name": "Anna", "input": [`, `{"name": "The report.", "arguments"`, `{"name": "zz", "arguments": {}} is`,
	} {
		var got strings.Builder
		at := -1
		chunks := func(yield func(Chunk, error) bool) {
			for _, piece := range strings.SplitAfter(text, " ") {
				if !yield(Chunk{Text: piece}, nil) {
					return
				}
			}
			at = got.Len()
			yield(Chunk{Stop: messages.StopEndTurn}, nil)
		}
		for e, err := range Events(benchRequest(), p, whatever(chunks)) {
			if err != nil {
				t.Fatal(err)
			}
			got.Write(e.Text)
		}
		if got.String() != text || at != len(text) {
			t.Errorf("%q: %d of %d bytes before the end, and all is %q", text, at, len(text), got.String())
		}
	}
}

func TestEventsErrors(t *testing.T) {
	failed := errors.New("upstream failed")
	tests := []struct {
		name   string
		chunks []any
		want   []string
	}{
		{"before the first chunk", []any{failed}, []string{"error upstream failed"}},
		{"after text", []any{"Hello", failed}, []string{"message_start", "ping", "start 0 text", "delta 0 Hello", "error upstream failed"}},
		{"no stop", []any{"Hello"}, []string{"message_start", "ping", "start 0 text", "delta 0 Hello", "error " + answer.ErrNoStop.Error()}},
		{"nothing at all", nil, []string{"error " + answer.ErrNoStop.Error()}},
		{"in a call", []any{valueCompletion("x")[:120], failed}, []string{"message_start", "ping", "start 0 text", "delta 0 I will write it.", "stop 0",
			"start 1 tool_usewrite", `delta 1 {"path":"a","content":"x`, "error upstream failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var left bool
			got := collectEvents(t, benchRequest(), &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, seq(&left, tt.chunks...))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if _, err := messages.Collect(Events(benchRequest(), &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, seq(&left, tt.chunks...))); err == nil {
				t.Error("Collect made a message of it")
			}
		})
	}
}

// TestCancel checks that Events takes nothing more from the upstream after the answer has ended, or
// if nobody listens.
func TestCancel(t *testing.T) {
	call := CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n</invoke>\n"
	tests := []struct {
		name   string
		single bool
		text   string
	}{
		{"prose after the calls", false, call + CallsEnd + "\nIt says 12."},
		{"results", false, "Look:\n<function_results>\n<result>"},
		{"a second call", true, call},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var left bool
			req := benchRequest()
			req.ToolChoice.DisableParallelToolUse = tt.single
			m, err := messages.Collect(Events(req, &Prompt{}, seq(&left, tt.text, "more", "and more", Chunk{Stop: messages.StopEndTurn})))
			if err != nil || !left {
				t.Errorf("left = %v, message %+v, error %v", left, m, err)
			}
		})
	}
	var left bool
	for range Events(benchRequest(), &Prompt{}, seq(&left, "a", "b", Chunk{Stop: messages.StopEndTurn})) {
		break
	}
	if !left {
		t.Error("breaking out of the events left the chunks running")
	}
}

// TestThinkingBehindBlanks has an upstream that sends white space before thinking that it marks
// itself.
func TestThinkingBehindBlanks(t *testing.T) {
	want := "thinking \"hm\"\ntext \"Yes.\"\nend_turn"
	for _, f := range format.List {
		var left bool
		chunks := seq(&left, "\n", "\n", Chunk{Thinking: "hm"}, "Yes.", Chunk{Stop: messages.StopEndTurn})
		m, err := messages.Collect(checked(t, Events(benchRequest(), &Prompt{Asking: asking{Declared: f}}, chunks)))
		if err != nil {
			t.Fatal(err)
		}
		if got := show(m); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, want)
		}
	}
}

// TestGrowth checks G6: ten times the text costs at most sixteen times the work, whatever the text
// and its pieces. It compares times within one run.
func TestGrowth(t *testing.T) {
	small := testcost.Cases(16<<10, 40<<10)
	texts := append(benchTexts, struct{ name, unit string }{"blanks", " \n"}, struct{ name, unit string }{"closers", "</content>\n"},
		struct{ name, unit string }{"entities", "&amp;"}, struct{ name, unit string }{"opens", "<content>"}, struct{ name, unit string }{"wrappers", CallsStart + " "},
		struct{ name, unit string }{"comments", "<!-- a -->\n"}, struct{ name, unit string }{"asides", CallsStart + "\nx\n"},
		// The text after these is doubtful, and held until there is too much of it.
		struct{ name, unit string }{"siblings", "<path>x</path> "}, struct{ name, unit string }{"halves", "</path><path>"}, struct{ name, unit string }{"words", "</x>\n<path>1</path>"},
		struct{ name, unit string }{"own elements", "<content>a</content>"}, struct{ name, unit string }{"undeclared", "</content> <zz>1</zz>"},
		struct{ name, unit string }{"fences", "```\n<invoke name=\"t\">\n"}, struct{ name, unit string }{"names", "<parameters>\n<invoke>x"})
	held := map[string]bool{"closers": true, "siblings": true, "halves": true, "words": true, "own elements": true, "undeclared": true}
	prompt := &Prompt{Asking: asking{Escaped: markup.Escapes{Tags: markup.InTurns}}}
	quoted := &Prompt{Asking: asking{Escaped: markup.Escapes{Tags: markup.InTurns}, Target: Target{ModelOptions: ModelOptions{QuotedCalls: QuotedRead}}}}
	read := func(prompt *Prompt, text string, piece int) func() {
		return func() {
			drain(t, benchRequest(), prompt, completion{text, messages.StopSequence, CallsEnd}.chunks(piece))
		}
	}
	for _, text := range texts {
		for _, piece := range []int{1, 16} {
			for _, form := range []func(string) string{valueCompletion, func(s string) string { return s }, func(s string) string { return "<thinking>" + s }} {
				small := small
				if held[text.name] { // at first, held text costs less
					small = 4 * tagged.MaxDoubt
				}
				if held[text.name] && !testcost.Long() {
					continue
				}
				short, long := form(benchText(text.unit, small)), form(benchText(text.unit, 10*small))
				asked := prompt
				if text.name == "fences" {
					asked = quoted
				}
				if ratio := testcost.Ratio(16, read(asked, short, piece), read(asked, long, piece)); ratio > 16 {
					t.Errorf("%s in pieces of %d: 10 times the text costs %.1f times as much", text.name, piece, ratio)
				}
			}
		}
	}
}

// TestGrowthOfTools checks that the cost is linear in tools and calls together.
func TestGrowthOfTools(t *testing.T) {
	name := strings.Repeat("a", 100)
	read := func(n int) func() {
		req := &messages.Request{}
		for i := range n {
			req.Tools = append(req.Tools, messages.Tool{Name: name + strconv.Itoa(i), InputSchema: []byte(`{"type":"object"}`)})
		}
		text := CallsStart + strings.Repeat("<invoke name=\""+strings.ToUpper(name)+"0\">\n</invoke>\n", n)
		return func() { drain(t, req, &Prompt{}, completion{text, messages.StopEndTurn, ""}.chunks(0)) }
	}
	if ratio := testcost.Ratio(25, read(300), read(3000)); ratio > 25 {
		t.Errorf("10 times the tools and calls cost %.1f times as much", ratio)
	}
}

// TestAllocs checks that a delta allocates nothing after buffers have grown.
func TestAllocs(t *testing.T) {
	for _, text := range benchTexts {
		long, short := valueCompletion(benchText(text.unit, 200<<10)), valueCompletion(benchText(text.unit, 100<<10))
		for _, prompt := range []*Prompt{{}, {Asking: asking{Continues: true}, MaxTokens: 1 << 20}} {
			count := func(s string) float64 {
				return testing.AllocsPerRun(3, func() {
					drain(t, benchRequest(), prompt, completion{s, messages.StopSequence, CallsEnd}.chunks(16))
				})
			}
			more := count(long) - count(short)
			for try := 1; try < 4 && more > 8; try++ { // the race detector randomly drops what pools hold
				more = min(more, count(long)-count(short))
			}
			if more > 8 { // of 6,400 deltas
				t.Errorf("%s, continues %v: 100 KiB more text makes %v more allocations", text.name, prompt.Continues, more)
			}
		}
	}
}

// TestThinkingInCall drops reasoning in the middle of a call, because it belongs neither in the
// block nor before it.
func TestThinkingInCall(t *testing.T) {
	var left bool
	got := collectEvents(t, benchRequest(), &Prompt{Asking: asking{Target: Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}}}, seq(&left,
		"Hm\n<functi", Chunk{Thinking: "a"}, "on_calls>\n<invoke>\n<tool_name>write</tool_name>\n<parameters>\n<path>a", Chunk{Thinking: "b"},
		"b</path>\n</parameters>\n</invoke>\n", Chunk{Stop: messages.StopSequence, StopSequence: CallsEnd}))
	want := []string{"message_start", "ping", "start 0 text", "delta 0 Hm", "stop 0", "start 1 tool_usewrite", `delta 1 {"path":"a`,
		`delta 1 b"}`, "stop 1", "ending tool_use 29", "message_stop"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPrefill continues a client's prefill.
func TestPrefill(t *testing.T) {
	call := CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n</invoke>\n"
	for _, tt := range []struct{ prefill, opening, text, want string }{
		{"```xml\n", "", call + CallsEnd + "\n```", "text \"<function_calls>\\n<invoke>\\n<tool_name>write</tool_name>\\n</invoke>\\n</function_calls>\\n```\"\nend_turn\n# leaked write quoted"},
		{"```xml\n", CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n<parameters>", "\n</parameters>\n</invoke>\n" + CallsEnd, "write {}\ntool_use"},
		{"<thinking>", "", "maybe " + call + CallsEnd + " no</thinking>", "text \"maybe <function_calls>\\n<invoke>\\n<tool_name>write</tool_name>\\n</invoke>\\n</function_calls> no</thinking>\"\nend_turn\n# leaked write thinking"},
		{"<thinking>x</thinking>", "", call + CallsEnd, "write {}\ntool_use"},
		{"Say", "", " hello", "text \" hello\"\nend_turn"},
	} {
		prompt := &Prompt{Turns: []Turn{{Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: tt.prefill + tt.opening}}}}, Asking: asking{Opening: tt.opening}}
		for n := range 9 {
			m, err := messages.Collect(checked(t, Events(benchRequest(), prompt, completion{tt.text, messages.StopEndTurn, ""}.chunks(n))))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(m); got != tt.want {
				t.Errorf("after %q, pieces of %d: got\n%s\nwant\n%s", tt.prefill, n, got, tt.want)
			}
		}
	}
}

// TestEstimatedUsage checks that missing token counts are estimated, in the first event and in the
// answer, and that the upstream's own counts are used.
func TestEstimatedUsage(t *testing.T) {
	call := CallsStart + "\n<invoke>\n<tool_name>write</tool_name>\n</invoke>\n"
	prompt := &Prompt{Turns: []Turn{{Role: messages.RoleUser, Parts: []Part{{Type: PartText, Text: strings.Repeat("word ", 80)}}}}}
	const asked = 100
	written, thought := EstimateTokens(2*len(call)), EstimateTokens(2*len(call)+len("Hm."))
	told := messages.Usage{InputTokens: 9, OutputTokens: 99}
	for name, tt := range map[string]struct {
		chunks      []any
		first, last messages.Usage
		estimated   bool
	}{
		"told": {[]any{call, Chunk{Stop: messages.StopEndTurn, Usage: told}}, messages.Usage{InputTokens: asked}, told, false},
		"told at once": {[]any{Chunk{Usage: messages.Usage{InputTokens: 9, OutputTokens: 1}}, call, Chunk{Stop: messages.StopEndTurn, Usage: told}},
			messages.Usage{InputTokens: 9, OutputTokens: 1}, told, false},
		"all from the cache": {[]any{Chunk{Usage: messages.Usage{CacheReadInputTokens: 9}}, Chunk{Stop: messages.StopEndTurn}},
			messages.Usage{CacheReadInputTokens: 9}, messages.Usage{CacheReadInputTokens: 9}, false},
		"nothing told": {[]any{Chunk{Thinking: "Hm."}, call + call, Chunk{Stop: messages.StopEndTurn}},
			messages.Usage{InputTokens: asked}, messages.Usage{InputTokens: asked, OutputTokens: thought}, true},
		"left by the upstream's code": {[]any{Chunk{Usage: messages.Usage{InputTokens: 9, OutputTokens: 1}}, call + call, Chunk{Stop: messages.StopSequence, StopSequence: "x", Left: true}},
			messages.Usage{InputTokens: 9, OutputTokens: 1}, messages.Usage{InputTokens: 9, OutputTokens: written}, true},
		"left behind the calls": {[]any{call + CallsEnd + "<function_results>"}, messages.Usage{InputTokens: asked},
			messages.Usage{InputTokens: asked, OutputTokens: EstimateTokens(len(call + CallsEnd + "<function_results>"))}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var left bool
			var got []*messages.Message
			for e, err := range Events(benchRequest(), prompt, seq(&left, tt.chunks...)) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Message != nil {
					got = append(got, e.Message)
				}
			}
			if first, last := got[0], got[1]; first.Usage != tt.first || first.UsageEstimated != (tt.first.InputTokens == asked) ||
				last.Usage != tt.last || last.UsageEstimated != tt.estimated {
				t.Errorf("%+v, then %+v", first, last)
			}
		})
	}
}
