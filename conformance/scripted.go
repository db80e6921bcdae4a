package conformance

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream/upstreamtest"
)

// script is a conversation with a model that is told what to write.
type script struct {
	model string // or else model
	steps []step
}

// step is one exchange of a script: what is said, given the calls before; what the model completes;
// and what of it must reach the client.
type step struct {
	say        func(calls []Block) Turn
	completion string        // until the model has no more to say, or a stop sequence ends it
	stop       messages.Stop // why the completion ends, if otherwise
	want       Answer
	prompt     []string // what the prompt must hold, in this order
	image      string   // the data of an image that the prompt must hold
}

// setup offers every tool, also where none is of use.
func (s script) setup() Setup {
	setup := Setup{Model: model, MaxTokens: 1024, Tools: []Tool{weather, clock, note}, StopSequences: []string{"THREE"}}
	if s.model != "" {
		setup.Model = s.model
	}
	return setup
}

// hold says each step, and compares the answers.
func (c Client) hold(t *testing.T, conversation Conversation, steps []step, ask ask) {
	t.Helper()
	var calls []Block
	for _, step := range steps {
		answer := must(t, conversation, step.say(calls), ask)
		c.same(t, answer, step.want)
		calls = answer.Calls()
		if len(calls) != len(step.want.Calls()) {
			t.FailNow() // the next step answers them
		}
	}
}

// checkPrompts looks for what each prompt must hold.
func checkPrompts(t *testing.T, requests []upstreamtest.Request, steps []step) {
	t.Helper()
	if len(requests) != len(steps) {
		t.Fatalf("the model was asked %d times, want %d", len(requests), len(steps))
	}
	for i, step := range steps {
		prompt := requests[i].Prompt
		rest := prompt.Text()
		for _, part := range step.prompt {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("prompt %d lacks %q, or it is out of order:\n%s", i+1, part, prompt.Text())
				break
			}
			rest = after
		}
		if step.image != "" && !slices.ContainsFunc(prompt.Turns, func(turn translate.Turn) bool { return shows(turn, step.image) }) {
			t.Errorf("prompt %d lacks the image", i+1)
		}
	}
}

// shows tells whether the turn has an image of this data.
func shows(turn translate.Turn, data string) bool {
	return slices.ContainsFunc(turn.Parts, func(part translate.Part) bool {
		var source Source
		return part.Type == translate.PartImage && json.Unmarshal(part.Source, &source) == nil && source.Data == data
	})
}

func says(text string) func([]Block) Turn {
	return func([]Block) Turn { return say(text) }
}

// returns answers the one call before.
func returns(text string) func([]Block) Turn {
	return func(calls []Block) Turn { return Turn{result(calls[0].ID, text)} }
}

func toolUse(content ...Block) Answer { return Answer{Content: content, StopReason: "tool_use"} }

func endTurn(s string) Answer { return Answer{Content: []Block{text(s)}, StopReason: "end_turn"} }

func text(s string) Block { return Block{Text: s} }

func call(name, input string) Block { return Block{Name: name, Input: json.RawMessage(input)} }

// invoke is a call in the legacy format, its parameters written out.
func invoke(name, parameters string) string {
	return "<invoke>\n<tool_name>" + name + "</tool_name>\n<parameters>\n" + parameters + "\n</parameters>\n</invoke>\n"
}

// calls is a block of calls.
func calls(invokes ...string) string {
	return "<function_calls>\n" + strings.Join(invokes, "") + "</function_calls>"
}
