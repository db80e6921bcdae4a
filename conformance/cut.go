package conformance

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"dragoman/translate/messages"
	"dragoman/upstream/upstreamtest"
)

// cutSetup offers the called tool.
var cutSetup = Setup{Model: model, MaxTokens: 64, Tools: []Tool{note}}

// runCutCall streams a call that the token limit cuts inside a value. By default, Dragoman sends nothing of
// that value, so no library can close it. A model that sends strings in pieces shows what the library does
// with half a value. If the library closes it, a tool can prevent that, if the library lets the tool say so.
func runCutCall(t *testing.T, c Client) {
	if c.Runs {
		t.Run("whole, run", func(t *testing.T) { c.runWhole(t) })
	}
	flows, byTool := cutSetup, cutSetup
	flows.Model, byTool.Model = flowing, flowing
	c.checkCutCall(t, "left open", flows, c.OpenInput)
	if !c.FineGrained {
		c.checkCutCall(t, "whole values", cutSetup, min(c.OpenInput, Drops))
	}
	if c.OpenInput == Mends && c.Eager {
		tool := note
		tool.Eager = new(bool)
		byTool.Tools = []Tool{tool}
		c.checkCutCall(t, "eager_input_streaming", byTool, Drops)
	}
}

// runCutWhole asks for the same call without streaming. The answer has the complete values. Where arguments are a text,
// their JSON stays open, as in a stream, so a library may refuse the call.
func runCutWhole(t *testing.T, c Client) {
	if !c.Dialect.textArguments {
		scripted(cutCall, whole)(t, c)
		return
	}
	t.Run("scripted whole", func(t *testing.T) {
		url, _ := serveBedrock(t, inTurn(upstreamtest.Completion{Text: halfCall, Stop: messages.StopMaxTokens, Fragment: 7}))
		answer, err := c.Open(url, "", cutSetup).Ask(t.Context(), say("Note this."))
		if made := madeOf(t, answer.Calls(), err); made > Drops {
			t.Errorf("with an incomplete value, the library %v", made)
		}
	})
}

// checkCutCall streams the call, and checks what the library does with it. name is the test's name.
func (c Client) checkCutCall(t *testing.T, name string, setup Setup, want OpenInput) {
	if made := c.cutCall(t, name, setup); made != want {
		t.Errorf("%s: with an incomplete value, the library %v; want: %v", name, made, want)
	}
}

// runWhole lets the library run the same call in full. Otherwise a library that runs no tools at all would
// pass as a library that rejects cut calls.
func (c Client) runWhole(t *testing.T) {
	url, _ := serveBedrock(t, inTurn(upstreamtest.Completion{Text: wholeCall, Fragment: 7}, upstreamtest.Completion{Text: "Done."}))
	ran, err := c.Open(url, "", cutSetup).(Runner).Run(t.Context(), say("Note this."))
	if err != nil {
		t.Error(err)
	}
	c.same(t, Answer{Content: ran}, Answer{Content: []Block{call(note.Name, `{"number":`+wholeNumber+`,"text":"`+halfText+`"}`)}})
}

// cutCall streams the call, and returns the most that the library does with it: in the message for the
// program and, if the library runs tools, in the calls that it runs. name is the test's name.
func (c Client) cutCall(t *testing.T, name string, setup Setup) (most OpenInput) {
	done := upstreamtest.Completion{Text: "Done."}
	completion := upstreamtest.Completion{Text: halfCall, Stop: messages.StopMaxTokens, Fragment: 7}
	begin := func(t *testing.T) Conversation {
		url, _ := serveBedrock(t, inTurn(completion, done, done))
		return c.Open(url, "", setup)
	}
	t.Run(name+", given", func(t *testing.T) {
		answer, err := begin(t).Stream(t.Context(), say("Note this."), false)
		if err == nil && answer.StopReason != "max_tokens" && !c.Hides.TokenLimit {
			t.Errorf("stop_reason is %q, want max_tokens", answer.StopReason)
		}
		most = max(most, madeOf(t, answer.Calls(), err))
	})
	if c.Runs {
		t.Run(name+", run", func(t *testing.T) {
			ran, err := begin(t).(Runner).Run(t.Context(), say("Note this."))
			most = max(most, madeOf(t, ran, err))
		})
	}
	return most
}

// madeOf returns what a library did with the open input: it returned or ran these calls, with this error. If
// a value is one that the model did not write, the test fails.
func madeOf(t *testing.T, calls []Block, err error) (most OpenInput) {
	t.Helper()
	if err != nil {
		t.Log(err)
	}
	if _, ok := errors.AsType[complaint](err); err != nil && !ok {
		t.Errorf("error is %v, want one of the library's own", err)
	}
	for _, call := range calls {
		t.Logf("%s %s", call.Name, call.Input)
		var input map[string]json.RawMessage
		if err := json.Unmarshal(call.Input, &input); err != nil || call.Name != note.Name {
			t.Errorf("the call is %s %s", call.Name, call.Input)
		}
		most = max(most, Drops)
		for name, value := range input {
			var text string
			switch {
			case name == "number" && string(value) == wholeNumber:
			case name == "text" && json.Unmarshal(value, &text) == nil && strings.HasPrefix(halfText, text):
				most = Mends
			default:
				t.Errorf("%s is %s, which the model did not write", name, value)
			}
		}
	}
	return most
}
