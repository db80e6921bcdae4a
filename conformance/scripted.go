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

// script is a conversation with a model that follows it.
type script struct {
	model string // the model to ask; "" for the constant model
	steps []step
}

// step is one exchange of a script: the user's turn, given the calls before; the model's completion; and the
// answer that the client must get.
type step struct {
	say        func(calls []Block) Turn
	completion string        // the whole text, before a stop sequence cuts it
	stop       messages.Stop // why the completion ends, if not at its end
	want       Answer
	prompt     []string // texts that the prompt must contain, in this order
	values     []string // texts of a call that it must contain in any order, because some libraries reorder an object's members
	image      string   // the data of an image that the prompt must contain
}

// setup returns the parameters of every request. It offers every tool, even if a case does not need one.
func (s script) setup() Setup {
	setup := Setup{Model: model, MaxTokens: 1024, Tools: []Tool{weather, clock, note}, StopSequences: []string{"THREE"}}
	if s.model != "" {
		setup.Model = s.model
	}
	return setup
}

// hold runs the steps of a conversation, and compares each answer with the expected one.
func (c Client) hold(t *testing.T, conversation Conversation, steps []step, ask ask) {
	t.Helper()
	var calls []Block
	for _, step := range steps {
		answer := must(t, conversation, step.say(calls), ask)
		c.same(t, answer, step.want)
		calls = answer.Calls()
		if len(calls) != len(step.want.Calls()) {
			t.FailNow() // the next step would answer missing calls
		}
	}
}

// checkPrompts checks that the model was asked once for each step, and that each prompt has the texts of the
// step in order: the client's texts must not be lost or moved on the way to the model.
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

// shows reports whether the turn has an image with this data.
func shows(turn translate.Turn, data string) bool {
	return slices.ContainsFunc(turn.Parts, func(part translate.Part) bool {
		var source Source
		return part.Type == translate.PartImage && json.Unmarshal(part.Source, &source) == nil && source.Data == data
	})
}

// says is a step with a text, whatever calls came before.
func says(text string) func([]Block) Turn {
	return func([]Block) Turn { return say(text) }
}

// returns is a step that answers the only call before with a text.
func returns(text string) func([]Block) Turn {
	return func(calls []Block) Turn { return Turn{result(calls[0].ID, text)} }
}

// toolUse is an answer that ends in calls.
func toolUse(content ...Block) Answer { return Answer{Content: content, StopReason: "tool_use"} }

// endTurn is an answer with only a text.
func endTurn(s string) Answer { return Answer{Content: []Block{text(s)}, StopReason: "end_turn"} }

// text is a block of text.
func text(s string) Block { return Block{Text: s} }

// call is a call of a tool, with its input as JSON.
func call(name, input string) Block { return Block{Name: name, Input: json.RawMessage(input)} }

// invoke is a call in the legacy format. parameters are the elements inside <parameters>.
func invoke(name, parameters string) string {
	return "<invoke>\n<tool_name>" + name + "</tool_name>\n<parameters>\n" + parameters + "\n</parameters>\n</invoke>\n"
}

// calls is the whole text of calls in the legacy format: the invokes in their wrapper.
func calls(invokes ...string) string {
	return "<function_calls>\n" + strings.Join(invokes, "") + "</function_calls>"
}
