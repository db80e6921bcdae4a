package translate

import (
	orders "cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/language"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/testcost"
)

// loop writes the messages of a conversation: a question, and then a turn of calls and a turn of results for each
// round. A result that begins with "!" is an error.
func loop(rounds ...[]string) []messages.MessageParam {
	list := []messages.MessageParam{user("Look it up.")}
	for n, round := range rounds {
		said := messages.MessageParam{Role: messages.RoleAssistant}
		told := messages.MessageParam{Role: messages.RoleUser}
		for i, r := range round {
			call, result, _ := strings.Cut(r, " -> ")
			name, input, _ := strings.Cut(call, " ")
			id := "toolu_" + string(rune('a'+n)) + string(rune('a'+i))
			text, failed := strings.CutPrefix(result, "!")
			said.Content = append(said.Content, messages.BlockParam{Type: messages.BlockToolUse, ID: id, Name: name, Input: jsontext.Value(input)})
			told.Content = append(told.Content, messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: id, IsError: failed, Content: []messages.BlockParam{{Type: messages.BlockText, Text: text}}})
		}
		list = append(list, said, told)
	}
	return list
}

// answeredLoop is what a client gets, and why the model was asked.
type answeredLoop struct {
	content string // as show writes it, with the outcomes that are not clean, or have a reason
	unmet   []string
	reasons []Reason
}

// playLoop asks a scripted model for the next answer of a conversation. Each of its answers comes in pieces of n bytes.
// It returns the prompts, too.
func playLoop(t *testing.T, list []messages.MessageParam, change func(*messages.Request, *Checks), target Target, n int, answers ...completion) (got answeredLoop, prompts []*Prompt) {
	t.Helper()
	req := loopRequest(list)
	var checks *Checks
	if change != nil {
		checks = &Checks{}
		change(req, checks)
	}
	render := func(req *messages.Request, why Reason) (*Prompt, error) {
		target := target
		target.Remind = why == ReasonEmpty || why == ReasonRepeated
		return Render(req, target)
	}
	prompt, err := render(req, "")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(p *Prompt) iter.Seq2[Chunk, error] {
		got.reasons, prompts = append(got.reasons, p.Again()), append(prompts, p)
		if len(prompts) > len(answers) {
			return func(yield func(Chunk, error) bool) { yield(Chunk{}, errors.New("no answer is left")) }
		}
		return answers[len(prompts)-1].chunks(n)(p)
	}
	m, err := messages.Collect(checked(t, Corrected(req, prompt, ask, checks, render)))
	if err != nil {
		t.Fatal(err)
	}
	outcomes := m.Outcomes
	m.Outcomes = nil
	got.content, got.unmet = show(m), m.Unmet
	for _, o := range outcomes {
		if o.Kind != messages.OutcomeClean || o.Reason != messages.ReasonNone {
			got.content += strings.TrimSuffix(fmt.Sprintf("\n# %s %s %s", o.Kind, o.Tool, o.Reason), "none")
		}
	}
	return got, prompts
}

// loopRequest returns a request with two tools and the messages.
func loopRequest(list []messages.MessageParam) *messages.Request {
	return &messages.Request{
		ID: "msg_l", MaxTokens: 1000, Messages: list, ToolChoice: messages.ToolChoice{Type: messages.ChoiceAuto},
		Tools: []messages.Tool{
			{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"integer"}}}`)},
			{Name: "g", InputSchema: jsontext.Value(`{"type":"object"}`)},
		},
	}
}

func TestReminded(t *testing.T) {
	ended := func(text string) completion { return completion{text, messages.StopEndTurn, ""} }
	stopped := func(text string) completion { return completion{text, messages.StopSequence, CallsEnd} }
	call := func(inputs string) string {
		return CallsStart + "\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n" + inputs + "</parameters>\n</invoke>\n"
	}
	const again, other = "<s>a</s>\n", "<s>b</s>\n"
	once := [][]string{{`f {"s":"a"} -> 7`}}
	const answer = "text \"It is 7.\"\nend_turn"
	for name, tt := range map[string]struct {
		rounds  [][]string
		change  func(*messages.Request, *Checks)
		answers []completion
		want    answeredLoop
	}{
		"nothing":                   {once, nil, []completion{ended(""), ended("It is 7.")}, answeredLoop{answer + "\n# empty  ", nil, []Reason{"", ReasonEmpty}}},
		"white space":               {once, nil, []completion{ended(" \n"), ended("It is 7.")}, answeredLoop{answer + "\n# empty  ", nil, []Reason{"", ReasonEmpty}}},
		"nothing twice":             {once, nil, []completion{ended(""), ended("")}, answeredLoop{"end_turn\n# empty  \n# empty  ", []string{"answer"}, []Reason{"", ReasonEmpty}}},
		"nothing, then no answer":   {once, nil, []completion{ended("")}, answeredLoop{"end_turn\n# empty  ", []string{"answer"}, []Reason{"", ReasonEmpty}}},
		"nothing after an error":    {[][]string{{`f {"s":"a"} -> !no`}}, nil, []completion{ended(""), ended("It is 7.")}, answeredLoop{answer + "\n# empty  ", nil, []Reason{"", ReasonEmpty}}},
		"nothing, without results":  {nil, nil, []completion{ended("")}, answeredLoop{"end_turn\n# empty  ", []string{"answer"}, []Reason{""}}},
		"an answer":                 {once, nil, []completion{ended("It is 7.")}, answeredLoop{answer, nil, []Reason{""}}},
		"the same call":             {once, nil, []completion{stopped(call(again)), ended("It is 7.")}, answeredLoop{answer + "\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"the same call twice":       {once, nil, []completion{stopped(call(again)), stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use\n# clean f repeated\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"the same, then another":    {once, nil, []completion{stopped(call(again)), stopped(call(other))}, answeredLoop{"f {\"s\":\"b\"}\ntool_use\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"the same, then nothing":    {once, nil, []completion{stopped(call(again)), ended("")}, answeredLoop{"end_turn\n# clean f repeated\n# empty  ", []string{"answer"}, []Reason{"", ReasonRepeated}}},
		"the same, then no answer":  {once, nil, []completion{stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"another call":              {once, nil, []completion{stopped(call(other))}, answeredLoop{"f {\"s\":\"b\"}\ntool_use", nil, []Reason{""}}},
		"the same after words":      {once, nil, []completion{stopped("Again:\n" + call(again))}, answeredLoop{"text \"Again:\"\nf {\"s\":\"a\"}\ntool_use", nil, []Reason{""}}},
		"one more parameter":        {once, nil, []completion{stopped(call(again + "<n>1</n>\n"))}, answeredLoop{"f {\"s\":\"a\",\"n\":1}\ntool_use", nil, []Reason{""}}},
		"one parameter less":        {[][]string{{`f {"n":1,"s":"a"} -> 7`}}, nil, []completion{stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use", nil, []Reason{""}}},
		"written otherwise":         {[][]string{{`f { "n" : 1.0, "s" : "\u0061" } -> 7`}}, nil, []completion{stopped(call(again + "<n>1</n>\n")), ended("It is 7.")}, answeredLoop{answer + "\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"another long number":       {[][]string{{`f {"n":9007199254740993} -> 7`}}, nil, []completion{stopped(call("<n>9007199254740992</n>\n"))}, answeredLoop{"f {\"n\":9007199254740992}\ntool_use", nil, []Reason{""}}},
		"both calls":                {[][]string{{`f {"s":"a"} -> 7`, `f {"s":"b"} -> 8`}}, nil, []completion{stopped(call(again) + call(other)), ended("It is 7.")}, answeredLoop{answer + "\n# clean f repeated\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"both calls, turned round":  {[][]string{{`f {"s":"a"} -> 7`, `f {"s":"b"} -> 8`}}, nil, []completion{stopped(call(other) + call(again)), ended("It is 7.")}, answeredLoop{answer + "\n# clean f repeated\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"one of two calls":          {[][]string{{`f {"s":"a"} -> 7`, `f {"s":"b"} -> 8`}}, nil, []completion{stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use", nil, []Reason{""}}},
		"the same and another":      {once, nil, []completion{stopped(call(again) + call(other))}, answeredLoop{"f {\"s\":\"a\"}\nf {\"s\":\"b\"}\ntool_use", nil, []Reason{""}}},
		"the same twice in one":     {once, nil, []completion{stopped(call(again) + call(again))}, answeredLoop{"f {\"s\":\"a\"}\nf {\"s\":\"a\"}\ntool_use", nil, []Reason{""}}},
		"without parameters":        {[][]string{{`g {} -> 7`}}, nil, []completion{stopped(strings.Replace(call(""), ">f<", ">g<", 1)), ended("It is 7.")}, answeredLoop{answer + "\n# clean g repeated", nil, []Reason{"", ReasonRepeated}}},
		"the same after an error":   {[][]string{{`f {"s":"a"} -> !no`}}, nil, []completion{stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use", nil, []Reason{""}}},
		"the same error again":      {[][]string{{`f {"s":"a"} -> !no`}, {`f {"s":"a"} -> !no`}}, nil, []completion{stopped(call(again)), ended("It is 7.")}, answeredLoop{answer + "\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"another error":             {[][]string{{`f {"s":"a"} -> !no`}, {`f {"s":"a"} -> !never`}}, nil, []completion{stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use", nil, []Reason{""}}},
		"a poll":                    {[][]string{{`f {"s":"a"} -> 5`}, {`g {} -> x`}, {`f {"s":"a"} -> 7`}}, nil, []completion{stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use", nil, []Reason{""}}},
		"the same result again":     {[][]string{{`f {"s":"a"} -> 7`}, {`f {"s":"a"} -> 7`}}, nil, []completion{stopped(call(again)), ended("It is 7.")}, answeredLoop{answer + "\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"right after an error":      {[][]string{{`f {"s":"a"} -> !no`}, {`f {"s":"a"} -> 7`}}, nil, []completion{stopped(call(again)), ended("It is 7.")}, answeredLoop{answer + "\n# clean f repeated", nil, []Reason{"", ReasonRepeated}}},
		"cut before the first word": {once, nil, []completion{{"", messages.StopMaxTokens, ""}}, answeredLoop{"max_tokens", nil, []Reason{""}}},
		"a full context":            {once, nil, []completion{{"", messages.StopContextWindow, ""}}, answeredLoop{"model_context_window_exceeded", nil, []Reason{""}}},
		"a refusal":                 {once, nil, []completion{{"", messages.StopRefusal, ""}}, answeredLoop{"refusal", nil, []Reason{""}}},
		"a cut call":                {once, nil, []completion{{call(again)[:len(call(again))-20], messages.StopMaxTokens, ""}}, answeredLoop{"f {\"s\":\"a\"}\nmax_tokens\n# incomplete f ", nil, []Reason{""}}},
		"the client's stop": {once, func(r *messages.Request, _ *Checks) { r.StopSequences = []string{"END"} }, []completion{{"", messages.StopSequence, "END"}},
			answeredLoop{"stop_sequence END", nil, []Reason{""}}},
		"a prefill": {once, func(r *messages.Request, _ *Checks) {
			r.Messages = append(r.Messages, messages.MessageParam{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "It is 7."}}})
		}, []completion{ended("")}, answeredLoop{"end_turn", nil, []Reason{""}}},
		"text after the results": {once, func(r *messages.Request, _ *Checks) {
			r.Messages[2].Content = append(r.Messages[2].Content, messages.BlockParam{Type: messages.BlockText, Text: "And?"})
		}, []completion{ended(""), ended("It is 7.")}, answeredLoop{answer + "\n# empty  ", nil, []Reason{"", ReasonEmpty}}},
		"no call allowed": {once, func(r *messages.Request, c *Checks) { r.ToolChoice.Type, c.Choice = messages.ChoiceNone, true },
			[]completion{ended(""), ended("It is 7.")}, answeredLoop{answer + "\n# empty  ", nil, []Reason{"", ReasonEmpty}}},
		"a forced call": {once, func(r *messages.Request, c *Checks) { r.ToolChoice.Type, c.Choice = messages.ChoiceAny, true },
			[]completion{stopped(call(again))}, answeredLoop{"f {\"s\":\"a\"}\ntool_use\n# repaired f restarted", nil, []Reason{""}}},
		"and then an unreadable call: one correction an answer": {once, func(_ *messages.Request, c *Checks) { c.Readable = true },
			[]completion{ended(""), ended("<invoke>\n<tool_name>f</tool_name>\nhello</invoke>"), ended("It is 7.")},
			answeredLoop{"text \"<invoke>\\n<tool_name>f</tool_name>\\nhello</invoke>\"\nend_turn\n# empty  \n# leaked f stray_text", nil, []Reason{"", ReasonEmpty}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, 7} {
				got, _ := playLoop(t, loop(tt.rounds...), tt.change, Target{Prefill: true}, n, tt.answers...)
				if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(answeredLoop{})); diff != "" {
					t.Errorf("pieces of %d bytes:\n%s", n, diff)
				}
			}
		})
	}
}

// TestReminderPlace checks that the second prompt is the first one with the reminder after the results, in each
// language, and that the note of every turn has the same place.
func TestReminderPlace(t *testing.T) {
	ended := func(text string) completion { return completion{text, messages.StopEndTurn, ""} }
	list := loop([]string{`f {"s":"a"} -> 5`}, []string{`g {} -> 6`, `f {"s":"b"} -> 7`})
	list[4].Content = append(list[4].Content, messages.BlockParam{Type: messages.BlockText, Text: "And?"})
	for _, l := range language.All {
		_, prompts := playLoop(t, list, nil, Target{ModelOptions: ModelOptions{Language: l.Name}}, 0, ended(""), ended("7"))
		first, second := turnsOf(prompts[0]), turnsOf(prompts[1])
		want := append([]string(nil), first...)
		at := len(want) - 1
		want[at] = strings.TrimSuffix(want[at], "And?") + l.ResultNote + "\x00And?"
		if diff := cmp.Diff(want, second); diff != "" {
			t.Error(diff)
		}
	}
	noted, err := Render(loopRequest(list), Target{ModelOptions: ModelOptions{ResultNote: "Well?"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range turnsOf(noted) {
		if i == 2 && !strings.HasSuffix(text, "\x00Well?") || i == 4 && !strings.HasSuffix(text, "\x00Well?\x00And?") || i < 2 && strings.Contains(text, "Well?") {
			t.Errorf("turn %d is %q", i, text)
		}
	}
	api, err := Render(loopRequest(list), Target{ToolAPI: true, ModelOptions: ModelOptions{ResultNote: prompt.NoteOn}, Remind: true})
	if err != nil {
		t.Fatal(err)
	}
	last := api.Turns[len(api.Turns)-1].Parts
	note := language.English.ResultNote
	if got, want := last[1].Content[0].Text, "7\n\n"+note+"\n\n"+note; got != want || last[0].Content[0].Text != "6" || last[2].Text != "And?" {
		t.Errorf("got %q, want %q, in %+v", got, want, last)
	}
}

// turnsOf returns the texts of the parts of each turn, with a zero byte between them.
func turnsOf(p *Prompt) (turns []string) {
	for i := range p.Turns {
		var parts []string
		for part := range p.Turns[i].AllParts() {
			parts = append(parts, part.Text)
		}
		turns = append(turns, strings.Join(parts, "\x00"))
	}
	return turns
}

// TestNoteAfterCorrection checks that the note of every turn does not follow what Dragoman says about a wrong answer.
func TestNoteAfterCorrection(t *testing.T) {
	unread := completion{"<invoke>\n<tool_name>f</tool_name>\nhello</invoke>", messages.StopEndTurn, ""}
	_, prompts := playLoop(t, loop([]string{`f {"s":"a"} -> 5`}), func(_ *messages.Request, c *Checks) { c.Readable = true }, Target{ModelOptions: ModelOptions{ResultNote: "Well?"}}, 0,
		unread, completion{"5", messages.StopEndTurn, ""})
	if len(prompts) != 2 {
		t.Fatalf("%d prompts", len(prompts))
	}
	turns := turnsOf(prompts[1])
	if n := strings.Count(strings.Join(turns, "\n"), "Well?"); n != 1 || strings.Contains(turns[len(turns)-1], "Well?") {
		t.Errorf("%d notes in %q", n, turns)
	}
}

// TestRemindedStreams checks when events arrive: thinking and text at once, a call as soon as it differs from the last
// one, and a second answer after the thinking of the first.
func TestRemindedStreams(t *testing.T) {
	begun := CallsStart + "\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n"
	const ends = "</parameters>\n</invoke>\n"
	last := loop([]string{`f {"n":1,"s":"one two three"} -> 7`})
	for name, tt := range map[string]struct {
		flows         bool
		first, second []Chunk
		want          string // what is sent after each chunk; a second answer begins after "|"
	}{
		"thinking, then text":      {false, []Chunk{{Thinking: "Hm."}, {Text: "So: "}, {Text: "7."}}, nil, `thinking(Hm.) text(So:) text( 7.)`},
		"thinking, then nothing":   {false, []Chunk{{Thinking: "Hm."}, {Text: "\n"}}, []Chunk{{Thinking: "Ah."}, {Text: "It "}, {Text: "is 7."}}, `thinking(Hm.) - | thinking(Ah.) text(It) text( is 7.)`},
		"a parameter that differs": {false, []Chunk{{Text: begun + "<n>2</n>"}, {Text: "<s>one</s>"}, {Text: ends}}, nil, `- call({"n":2) call(,"s":"one"})`},
		"the second differs":       {false, []Chunk{{Text: begun + "<n>1</n>"}, {Text: "<s>one</s>"}, {Text: ends}}, nil, `- - call({"n":1,"s":"one"})`},
		"a string that differs":    {true, []Chunk{{Text: begun + "<n>1</n><s>one"}, {Text: " two"}, {Text: " four"}, {Text: " five"}, {Text: "</s>" + ends}}, nil, `- - call({"n":1,"s":"one two four) call( five) call("})`},
		"a longer string":          {true, []Chunk{{Text: begun + "<n>1</n><s>one two three"}, {Text: " four"}, {Text: "</s>" + ends}}, nil, `- call({"n":1,"s":"one two three four) call("})`},
		"the same":                 {true, []Chunk{{Text: begun + "<s>one two "}, {Text: "three</s><n>1</n>"}, {Text: ends}}, []Chunk{{Text: "It is 7."}}, `- - - | text(It is 7.)`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			var sent strings.Builder
			answers := [][]Chunk{tt.first, tt.second}
			ask := func(*Prompt) iter.Seq2[Chunk, error] {
				chunks := answers[0]
				answers = answers[1:]
				return func(yield func(Chunk, error) bool) {
					for _, c := range chunks {
						if !yield(c, nil) {
							return
						}
						got = append(got, orders.Or(sent.String(), "-"))
						sent.Reset()
					}
					if yield(Chunk{Stop: messages.StopEndTurn}, nil); len(answers) == 1 && tt.second != nil {
						got = append(got, "|")
					}
				}
			}
			render := func(req *messages.Request, why Reason) (*Prompt, error) {
				return Render(req, Target{Remind: why != "", ModelOptions: ModelOptions{StreamValues: when(tt.flows, ValuesFlow)}})
			}
			req := loopRequest(last)
			prompt, err := render(req, "")
			if err != nil {
				t.Fatal(err)
			}
			for e, err := range checked(t, Corrected(req, prompt, ask, nil, render)) {
				if err != nil {
					t.Fatal(err)
				}
				switch e.Delta {
				case messages.TextDelta:
					fmt.Fprintf(&sent, "text(%s)", e.Text)
				case messages.ThinkingDelta:
					fmt.Fprintf(&sent, "thinking(%s)", e.Text)
				case messages.InputJSONDelta:
					fmt.Fprintf(&sent, "call(%s)", e.Text)
				}
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(strings.Join(got, " "), ")call(", "")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGrowthOfRepeats checks that the cost of an answer that repeats a call is linear in the length of the call.
func TestGrowthOfRepeats(t *testing.T) {
	play := func(n int) func() {
		text := strings.Repeat("A line of text.\n", n/16)
		input, err := json.Marshal(map[string]string{"s": text})
		if err != nil {
			t.Fatal(err)
		}
		list := loop([]string{"f " + string(input) + " -> 7"}, []string{"f " + string(input) + " -> 7"})
		return func() {
			playLoop(t, list, nil, Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}, 16, completion{CallsStart + "\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<s>" + text + "</s>\n</parameters>\n</invoke>\n", messages.StopEndTurn, ""},
				completion{"It is 7.", messages.StopEndTurn, ""})
		}
	}
	if ratio := testcost.Ratio(20, play(100<<10), play(1<<20)); ratio > 20 {
		t.Errorf("a call of 10 times the length costs %.1f times as much", ratio)
	}
}

// TestRemindedInAllFormats checks, in every format, that a model is reminded if it writes its calls exactly as they
// stand in its history.
func TestRemindedInAllFormats(t *testing.T) {
	list := loop([]string{`f {"s":"a \"b\" <c>\nd","n":3} -> 7`, `g {} -> 8`})
	for _, name := range Formats() {
		p, err := Render(loopRequest(list), Target{ModelOptions: ModelOptions{Format: name}})
		if err != nil {
			t.Fatal(err)
		}
		again := completion{p.Turns[1].Parts[0].Text, messages.StopEndTurn, ""}
		for _, n := range []int{0, 3} {
			got, _ := playLoop(t, list, nil, Target{ModelOptions: ModelOptions{Format: name}}, n, again, completion{"It is 7.", messages.StopEndTurn, ""})
			want := []Reason{"", ReasonRepeated}
			if content, _, _ := strings.Cut(got.content, "\n#"); content != "text \"It is 7.\"\nend_turn" || !cmp.Equal(got.reasons, want) {
				t.Errorf("%s, in pieces of %d bytes: %+v", name, n, got)
			}
		}
	}
}

// TestAllCallsPlace checks that the sentence on all calls follows each request of the user, and that its place
// depends on the turn alone. It follows no results, and is missing if the model may not make several calls.
func TestAllCallsPlace(t *testing.T) {
	sentence := language.English.AllCalls
	req := loopRequest(append(loop([]string{`f {"s":"a"} -> 5`}),
		messages.MessageParam{Role: messages.RoleAssistant, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "5."}}}, user("And b?")))
	p, err := Render(req, Target{ModelOptions: ModelOptions{ExampleCall: ExampleAuto}})
	if err != nil {
		t.Fatal(err)
	}
	turns := turnsOf(p)
	if turns[0] != "Look it up.\x00"+sentence || strings.Contains(turns[2], sentence) || turns[4] != "And b?\x00"+sentence {
		t.Errorf("%q", turns)
	}
	first, err := Render(loopRequest(req.Messages[:1]), Target{ModelOptions: ModelOptions{ExampleCall: ExampleAuto}})
	if err != nil || turnsOf(first)[0] != turns[0] {
		t.Errorf("the first turn was %q: %v", turnsOf(first), err)
	}
	for name, change := range map[string]func(*messages.Request, *Target){
		"one call at a time": func(r *messages.Request, _ *Target) { r.ToolChoice.DisableParallelToolUse = true },
		"no call":            func(r *messages.Request, _ *Target) { r.ToolChoice.Type = messages.ChoiceNone },
		"a forced call":      func(r *messages.Request, _ *Target) { r.ToolChoice.Type = messages.ChoiceAny },
		"no tools":           func(r *messages.Request, _ *Target) { r.Tools = nil },
		"no example":         func(_ *messages.Request, to *Target) { to.ExampleCall = ExampleOff },
		"a tools API":        func(_ *messages.Request, to *Target) { to.ToolAPI = true },
	} {
		req, target := loopRequest(req.Messages[:1]), Target{ModelOptions: ModelOptions{ExampleCall: ExampleAuto}}
		change(req, &target)
		p, err := Render(req, target)
		if err != nil || strings.Contains(turnsOf(p)[0], sentence) {
			t.Errorf("%s: %q, %v", name, turnsOf(p), err)
		}
	}
}
