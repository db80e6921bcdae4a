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
	model string // that is asked; "" for the constant model
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
	values     []string // what it must hold of a call, in any order: some libraries keep none of an object's members
	image      string   // the data of an image that the prompt must hold
}

// setup returns what every request of the script says. It offers every tool, also where none
// is of use.
func (s script) setup() Setup {
	setup := Setup{Model: model, MaxTokens: 1024, Tools: []Tool{weather, clock, note}, StopSequences: []string{"THREE"}}
	if s.model != "" {
		setup.Model = s.model
	}
	return setup
}

// hold goes through the steps of a conversation, and compares each answer with the one that is
// wanted.
func (c Client) hold(t *testing.T, conversation Conversation, steps []step, ask ask) {
	t.Helper()
	var calls []Block
	for _, step := range steps {
		answer := must(t, conversation, step.say(calls), ask)
		c.same(t, answer, step.want)
		calls = answer.Calls()
		if len(calls) != len(step.want.Calls()) {
			t.FailNow() // the next step would answer calls that are not there
		}
	}
}

// checkPrompts checks that the model was asked once for each step, and that each prompt has what the
// step says, in its order: what is said is not to be lost or moved on its way to the model.
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
		for _, value := range step.values {
			if !strings.Contains(prompt.Text(), value) {
				t.Errorf("prompt %d lacks %q:\n%s", i+1, value, prompt.Text())
			}
		}
		if step.image != "" && !slices.ContainsFunc(prompt.Turns, func(turn translate.Turn) bool { return shows(turn, step.image) }) {
			t.Errorf("prompt %d lacks the image", i+1)
		}
	}
}

// shows reports whether the turn has an image of this data.
func shows(turn translate.Turn, data string) bool {
	return slices.ContainsFunc(turn.Parts, func(part translate.Part) bool {
		var source Source
		return part.Type == translate.PartImage && json.Unmarshal(part.Source, &source) == nil && source.Data == data
	})
}

// says is a step that says a text, whatever was called before.
func says(text string) func([]Block) Turn {
	return func([]Block) Turn { return say(text) }
}

// returns is a step that answers the one call before with a text.
func returns(text string) func([]Block) Turn {
	return func(calls []Block) Turn { return Turn{result(calls[0].ID, text)} }
}

// toolUse is an answer that ends in calls.
func toolUse(content ...Block) Answer { return Answer{Content: content, StopReason: "tool_use"} }

// endTurn is an answer of text alone.
func endTurn(s string) Answer { return Answer{Content: []Block{text(s)}, StopReason: "end_turn"} }

// text is a block of text.
func text(s string) Block { return Block{Text: s} }

// call is a call of a tool, with its input as JSON.
func call(name, input string) Block { return Block{Name: name, Input: json.RawMessage(input)} }

// invoke is a call as a model writes it in the legacy format. parameters are the elements within
// <parameters>.
func invoke(name, parameters string) string {
	return "<invoke>\n<tool_name>" + name + "</tool_name>\n<parameters>\n" + parameters + "\n</parameters>\n</invoke>\n"
}

// calls is all that a model writes to call tools: the invokes in their wrapper.
func calls(invokes ...string) string {
	return "<function_calls>\n" + strings.Join(invokes, "") + "</function_calls>"
}
