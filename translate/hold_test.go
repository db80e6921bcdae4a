package translate

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/answer"
	"dragoman/translate/language"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// chosen is what a client gets for an answer to a tool_choice.
type chosen struct {
	content        string // as show writes it
	leftOut, unmet []string
	reasons        []Reason // why the model was asked
	told           string   // the last user turn in the last prompt
}

// choose runs a tool_choice against a model with these answers. The text of each comes in pieces of
// n bytes.
func choose(t *testing.T, choice messages.ToolChoice, target Target, checks Checks, n int, answers ...completion) chosen {
	t.Helper()
	req := &messages.Request{
		ID: "msg_c", MaxTokens: 1000, Messages: []messages.MessageParam{user("Go.")}, ToolChoice: choice,
		Tools: []messages.Tool{
			{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"s":{"type":"string"}}}`)},
			{Name: "g", InputSchema: jsontext.Value(`{"type":"object"}`)},
		},
	}
	render := func(req *messages.Request, why Reason) (*Prompt, error) {
		target := target
		target.TryPrefill = target.TryPrefill && why != ReasonUncontinued
		return Render(req, target)
	}
	prompt, err := render(req, "")
	if err != nil {
		t.Fatal(err)
	}
	checks.Choice = true
	var got chosen
	asked := 0
	ask := func(p *Prompt) iter.Seq2[Chunk, error] {
		got.reasons = append(got.reasons, p.Again())
		human := slices.DeleteFunc(slices.Clone(p.Turns), func(turn Turn) bool { return turn.Role != messages.RoleUser })
		got.told = ""
		for _, part := range human[len(human)-1].Parts {
			got.told += part.Text
		}
		if asked++; asked > len(answers) {
			return func(yield func(Chunk, error) bool) { yield(Chunk{}, answer.ErrNoStop) }
		}
		return answers[asked-1].chunks(n)(p)
	}
	m, err := messages.Collect(func(yield func(messages.Event, error) bool) {
		for e, err := range checked(t, Corrected(req, prompt, ask, &checks, render)) {
			switch {
			case e.Message == nil:
			case e.Type == messages.MessageStart:
				got.leftOut, got.unmet = e.Message.LeftOut, e.Message.Unmet
			case prompt.Opening != "" && !prompt.Tries: // it was not known at the start
				got.leftOut, got.unmet = e.Message.LeftOut, e.Message.Unmet
			case slices.Contains(e.Message.Unmet, messages.UnmetAnswer): // it was not known at the start either
				got.unmet = e.Message.Unmet
			case !slices.Equal(got.leftOut, e.Message.LeftOut) || !slices.Equal(got.unmet, e.Message.Unmet):
				t.Errorf("at the end %q and %q, unlike %q and %q at the beginning", e.Message.LeftOut, e.Message.Unmet, got.leftOut, got.unmet)
			}
			if !yield(e, err) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	got.content = show(m)
	return got
}

func callTo(name, value string) string {
	if value != "" {
		value = "<s>" + value + "</s>\n"
	}
	return CallsStart + "\n<invoke>\n<tool_name>" + name + "</tool_name>\n<parameters>\n" + value + "</parameters>\n</invoke>\n"
}

func TestHeldToTheChoice(t *testing.T) {
	stopped := func(text string) completion { return completion{text, messages.StopSequence, CallsEnd} }
	ended := func(text string) completion { return completion{text, messages.StopEndTurn, ""} }
	cut := func(text string) completion { return completion{text, messages.StopMaxTokens, ""} }
	force := messages.ToolChoice{Type: messages.ChoiceTool, Name: "f"}
	any := messages.ToolChoice{Type: messages.ChoiceAny}
	no := messages.ToolChoice{Type: messages.ChoiceNone}
	notX := Checks{Inputs: map[string]func(jsontext.Value) string{"f": func(input jsontext.Value) string {
		if strings.Contains(string(input), "x") {
			return "It has an x."
		}
		return ""
	}}}
	l := &language.English
	again := []Reason{"", prompt.ReasonUnmet}
	unmet := []string{"tool_choice"}
	const called = "f {\"s\":\"a\"}\ntool_use"
	for name, tt := range map[string]struct {
		choice  messages.ToolChoice
		checks  Checks
		answers []completion
		want    chosen
	}{
		"at once":                  {force, Checks{}, []completion{stopped(callTo("f", "a"))}, chosen{content: called, reasons: again[:1]}},
		"after text":               {force, Checks{}, []completion{stopped("Well.\n\n" + callTo("f", "a"))}, chosen{content: called, leftOut: []string{"text"}, reasons: again[:1]}},
		"after white space":        {force, Checks{}, []completion{stopped("\u00a0\n" + strings.Repeat("\n", answer.MaxBlank) + callTo("f", "a"))}, chosen{content: called, reasons: again[:1]}},
		"any":                      {any, Checks{}, []completion{stopped("Well.\n\n" + callTo("g", ""))}, chosen{content: "g {}\ntool_use", leftOut: []string{"text"}, reasons: again[:1]}},
		"one alone":                {messages.ToolChoice{Type: messages.ChoiceAny, DisableParallelToolUse: true}, Checks{}, []completion{stopped("Well.\n" + callTo("g", "") + callTo("f", "a"))}, chosen{content: "g {}\ntool_use", leftOut: []string{"text"}, reasons: again[:1]}},
		"another at the end":       {force, Checks{}, []completion{stopped(callTo("f", "a") + callTo("g", ""))}, chosen{content: called + "\n# leaked g tool_choice", reasons: again[:1]}},
		"in words, then":           {force, Checks{}, []completion{ended("Well."), stopped("So:\n" + callTo("f", "a"))}, chosen{content: called, leftOut: []string{"text"}, reasons: again, told: l.AskAgainUncalled}},
		"nothing, then":            {any, Checks{}, []completion{ended(""), stopped(callTo("f", "a"))}, chosen{content: called, reasons: again, told: l.AskAgainUncalled}},
		"another, then":            {force, Checks{}, []completion{stopped(callTo("g", "")), stopped(callTo("f", "a"))}, chosen{content: called, reasons: again, told: l.AskAgainWrongTool}},
		"another before it, then":  {force, Checks{}, []completion{stopped(callTo("g", "") + callTo("f", "b")), stopped(callTo("f", "a"))}, chosen{content: called, reasons: again, told: l.AskAgainOtherMisfit}},
		"one that is not offered":  {any, Checks{}, []completion{stopped(callTo("h", "")), stopped(callTo("f", "a"))}, chosen{content: called, reasons: again, told: l.AskAgainWrongTool}},
		"in words twice":           {force, Checks{}, []completion{ended("Well."), ended("No.")}, chosen{content: "text \"No.\"\nend_turn", unmet: unmet, reasons: again}},
		"another twice":            {force, Checks{}, []completion{stopped(callTo("g", "")), stopped("Now: " + callTo("g", ""))}, chosen{content: "text \"Now:\"\ng {}\ntool_use", unmet: unmet, reasons: again}},
		"no second answer":         {force, Checks{}, []completion{ended("Well.")}, chosen{content: "text \"Well.\"\nend_turn", unmet: unmet, reasons: again}},
		"words that are cut, then": {force, Checks{}, []completion{cut("Well, I"), stopped(callTo("f", "a"))}, chosen{content: called, reasons: again, told: l.AskAgainUncalled}},
		"words that are cut twice": {force, Checks{}, []completion{cut("Well, I"), cut("Well, you")}, chosen{content: "text \"Well, you\"\nmax_tokens", unmet: unmet, reasons: again}},
		"the context is full":      {force, Checks{}, []completion{{"Well, I", messages.StopContextWindow, ""}}, chosen{content: "text \"Well, I\"\nmodel_context_window_exceeded", unmet: unmet, reasons: again[:1]}},
		"a call that is cut":       {force, Checks{}, []completion{cut("Well.\n" + CallsStart + "\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<s>a")}, chosen{content: "f {}\nmax_tokens\n# incomplete f cut_value", leftOut: []string{"text"}, reasons: again[:1]}},
		"refused":                  {force, Checks{}, []completion{{"I won't.", messages.StopRefusal, ""}}, chosen{content: "text \"I won't.\"\nrefusal", reasons: again[:1]}},
		"that does not fit, then":  {force, notX, []completion{stopped("Well.\n" + callTo("f", "x")), stopped("So:\n" + callTo("f", "a"))}, chosen{content: called, leftOut: []string{"text"}, reasons: []Reason{"", ReasonInvalid}, told: "It has an x."}},
		"does not fit, then words": {force, notX, []completion{stopped(callTo("f", "x")), ended("No.")}, chosen{content: "text \"No.\"\nend_turn", unmet: unmet, reasons: []Reason{"", ReasonInvalid}}},
		"words, then does not fit": {force, notX, []completion{ended("Well."), stopped(callTo("f", "x"))}, chosen{content: "f {\"s\":\"x\"}\ntool_use", reasons: again}},
		"that cannot be read, then": {force, Checks{Readable: true}, []completion{stopped("Well.\n" + strings.Replace(callTo("f", "a"), "</s>", "\n\n", 1)), stopped(callTo("f", "a"))},
			chosen{content: called + "\n# repaired f asked_again", reasons: []Reason{"", prompt.ReasonUnread}, told: l.AskAgainUnread}},
		"none, and words":        {no, Checks{}, []completion{ended("Well.")}, chosen{content: "text \"Well.\"\nend_turn", reasons: again[:1]}},
		"none, and a call after": {no, Checks{}, []completion{stopped("Well.\n" + callTo("f", "a"))}, chosen{content: "text \"Well.\"\nend_turn\n# leaked f tool_choice", reasons: again[:1]}},
		"none, and a call, then": {no, Checks{}, []completion{stopped(callTo("f", "a")), ended("Well.")}, chosen{content: "text \"Well.\"\nend_turn\n# leaked f tool_choice", reasons: again, told: l.AskAgainInWords}},
		"none, and two calls":    {no, Checks{}, []completion{stopped(callTo("f", "a")), stopped(callTo("g", ""))}, chosen{content: "end_turn\n# leaked f tool_choice\n# leaked g tool_choice", reasons: again}},
		"none, and results":      {no, Checks{}, []completion{ended("<function_results>\n<result>3</result>\n</function_results>\n3."), ended("Well.")}, chosen{content: "text \"Well.\"\nend_turn\n# leaked  tool_choice", reasons: again, told: l.AskAgainInWords}},
		"none, and nothing":      {no, Checks{}, []completion{ended("")}, chosen{content: "end_turn\n# empty  ", unmet: []string{"answer"}, reasons: again[:1]}},
		"none, and unreadable":   {no, Checks{Readable: true}, []completion{ended("<invoke>\n<tool_name>h</tool_name>\nhello</invoke>")}, chosen{content: `text "<invoke>\n<tool_name>h</tool_name>\nhello</invoke>"` + "\nend_turn\n# leaked h stray_text", reasons: again[:1]}},
	} {
		for _, n := range []int{0, 1, 7} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				got := choose(t, tt.choice, Target{}, tt.checks, n, tt.answers...)
				if !strings.Contains(got.told, tt.want.told) {
					t.Errorf("told %q, which lacks %q", got.told, tt.want.told)
				}
				got.told, tt.want.told = "", ""
				if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(chosen{})); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestHeldWhateverIsSaid checks all golden completions as forced answers. An answer begins with its call,
// or reports that the choice is not met. If tool_choice allows no call, the answer has no call. The result
// does not depend on the pieces.
func TestHeldWhateverIsSaid(t *testing.T) {
	for _, text := range parseSeeds(t) {
		text = strings.NewReplacer("get_weather", "f", "get_time", "g").Replace(text)
		for _, choice := range []messages.ToolChoice{{Type: messages.ChoiceAny}, {Type: messages.ChoiceTool, Name: "f"}, {Type: messages.ChoiceNone}} {
			for _, target := range []Target{{}, {TryPrefill: true}} {
				answer, readable := completion{text, messages.StopEndTurn, ""}, len(text)%2 == 0
				whole := choose(t, choice, target, Checks{Readable: readable}, 0, answer, answer)
				first, _, _ := strings.Cut(whole.content, " ")
				calls := first == "f" || first == "g" && choice.Type == messages.ChoiceAny
				switch {
				case choice.Type == messages.ChoiceNone && strings.Contains("\n"+whole.content, "\n"+string(messages.StopToolUse)),
					choice.Type != messages.ChoiceNone && calls == (len(whole.unmet) > 0):
					t.Errorf("%+v: of %q\n%+v", choice, text, whole)
				}
				if pieces := choose(t, choice, target, Checks{Readable: readable}, 3, answer, answer); !cmp.Equal(whole, pieces, cmp.AllowUnexported(chosen{})) {
					t.Errorf("%+v: of %q in pieces\n%+v\nat once\n%+v", choice, text, pieces, whole)
				}
			}
		}
	}
}

// TestPrefilledCallIsLeft has a model that does not continue the call in the prefill.
func TestPrefilledCallIsLeft(t *testing.T) {
	any := messages.ToolChoice{Type: messages.ChoiceAny}
	got := choose(t, any, Target{Prefill: true}, Checks{}, 0,
		completion{"\nI would rather not.", messages.StopEndTurn, ""},
		completion{"f</tool_name>\n<parameters>\n<s>a</s>\n</parameters>\n</invoke>\n", messages.StopSequence, CallsEnd})
	want := chosen{content: "f {\"s\":\"a\"}\ntool_use", reasons: []Reason{"", prompt.ReasonUnmet}, told: "Go."}
	if !strings.Contains(got.told, language.English.AskAgainUncalled) {
		t.Errorf("told %q", got.told)
	}
	got.told = want.told
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(chosen{})); diff != "" {
		t.Error(diff)
	}
}

// TestForcedCallStreams checks that a forced call is sent while it is written, and nothing before
// it. If a prefill has begun the call, message_start comes at once, with any checks.
func TestForcedCallStreams(t *testing.T) {
	call := []string{"Well.\n", CallsStart + "\n<invoke>\n", "<tool_name>f</tool_name>", "<parameters><s>one ", "two ", "three</s></parameters></invoke>"}
	begun := []string{"", "f</tool_", "name>", "<parameters><s>one ", "two ", "three</s></parameters></invoke>"}
	for _, tt := range []struct {
		name   string
		pieces []string
		target Target
		checks Checks
		want   map[string]int
	}{
		{"in words", call, Target{ModelOptions: ModelOptions{StreamValues: ValuesFlow}}, Checks{}, map[string]int{"message_start": 4, "content_block_start": 4, `content_block_delta{"s":"one `: 4, "content_block_deltatwo ": 5}},
		{"prefill", begun, Target{Prefill: true, ModelOptions: ModelOptions{StreamValues: ValuesFlow}}, Checks{}, map[string]int{"message_start": 1, "content_block_start": 4, `content_block_delta{"s":"one `: 4, "content_block_deltatwo ": 5}},
		{"prefill, repair", begun, Target{Prefill: true}, Checks{Readable: true}, map[string]int{"message_start": 1, "content_block_start": 7}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := piecesBefore(t, tt.target, tt.checks, tt.pieces)
			for event, want := range tt.want {
				if after[event] != want {
					t.Errorf("%s after %d pieces, want %d: %v", event, after[event], want, after)
				}
			}
		})
	}
}

// piecesBefore returns, for each event of an answer that must begin with a call, how many pieces
// the upstream had sent when the client got the event.
func piecesBefore(t *testing.T, target Target, checks Checks, pieces []string) map[string]int {
	given := 0
	req := &messages.Request{
		Messages: []messages.MessageParam{user("Go.")}, ToolChoice: messages.ToolChoice{Type: messages.ChoiceAny},
		Tools: []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"s":{"type":"string"}}}`)}, {Name: "g"}},
	}
	ask := func(*Prompt) iter.Seq2[Chunk, error] {
		return func(yield func(Chunk, error) bool) {
			for _, piece := range pieces {
				if given++; !yield(Chunk{Text: piece}, nil) {
					return
				}
			}
			given++
			yield(Chunk{Stop: messages.StopEndTurn}, nil)
		}
	}
	after := map[string]int{}
	checks.Choice = true
	for e, err := range checked(t, Corrected(req, mustRender(t, req, target), ask, &checks, nil)) {
		if err != nil {
			t.Fatal(err)
		}
		after[e.Type.String()+string(e.Text)] = given
	}
	return after
}

// TestTriedPrefill has a model that may not continue a prefill. If it does not, Dragoman asks for
// the call in words, and does not show it its first answer.
func TestTriedPrefill(t *testing.T) {
	force := messages.ToolChoice{Type: messages.ChoiceTool, Name: "f"}
	const called = "f {\"s\":\"a\"}\ntool_use"
	goesOn := completion{"<s>a</s>\n</parameters>\n</invoke>\n", messages.StopSequence, CallsEnd}
	anew := completion{"Well.\n" + callTo("f", "a"), messages.StopSequence, CallsEnd}
	again := []Reason{"", ReasonUncontinued}
	told := "Go." + strings.Replace(language.English.CallTool, "%s", "f", 1)
	for name, tt := range map[string]struct {
		answers []completion
		want    chosen
	}{
		"goes on":            {[]completion{goesOn}, chosen{content: called, reasons: again[:1], told: "Go."}},
		"begins the call":    {[]completion{{callTo("f", "a"), messages.StopSequence, CallsEnd}}, chosen{content: called + "\n# repaired f restarted", reasons: again[:1], told: "Go."}},
		"breaks off":         {[]completion{{"<s>a", messages.StopEndTurn, ""}, anew}, chosen{content: called, leftOut: []string{"text"}, reasons: again, told: told}},
		"is cut":             {[]completion{{"<s>" + strings.Repeat("a", 4000), messages.StopMaxTokens, ""}}, chosen{content: "f {}\nmax_tokens\n# incomplete f cut_value", reasons: again[:1], told: "Go."}},
		"refuses":            {[]completion{{"", messages.StopRefusal, ""}}, chosen{content: "f {}\nrefusal\n# incomplete f ", reasons: again[:1], told: "Go."}},
		"says it once more":  {[]completion{{"I would rather <s>", messages.StopEndTurn, ""}, {"No.", messages.StopEndTurn, ""}}, chosen{content: "text \"No.\"\nend_turn", unmet: []string{"tool_choice"}, reasons: again, told: told}},
		"the server is away": {[]completion{{"<s>a", messages.StopEndTurn, ""}}, chosen{content: "f {}\nmax_tokens\n# incomplete f cut_value", reasons: again, told: told}},
	} {
		for _, n := range []int{0, 1, 7} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				got := choose(t, force, Target{TryPrefill: true}, Checks{}, n, tt.answers...)
				if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(chosen{})); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
