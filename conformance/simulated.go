package conformance

import (
	"encoding/json"
	"strings"
	"testing"
)

// The conversations with the simulated model. Each hold… runs one conversation in the given way, checks it,
// and returns its answers. It checks only facts that hold for any model.

// holdText has two turns without a call.
func holdText(t *testing.T, c Conversation, ask ask) []Answer {
	first := must(t, c, say("Good morning! ¿Qué tal? 早上好 <b>&amp;</b>"), ask)
	second := must(t, c, say("And good night."), ask)
	for _, answer := range []Answer{first, second} {
		if answer.Text() == "" || answer.StopReason != "end_turn" || len(answer.Calls()) > 0 {
			t.Errorf("answer is %+v, want text and end_turn", answer)
		}
	}
	return []Answer{first, second}
}

// holdLoop has a call, its result, and a turn after that.
func holdLoop(t *testing.T, c Conversation, ask ask) []Answer {
	called := must(t, c, say("What is the weather in Oslo?"), ask)
	call := onlyCall(t, called, "get_weather")
	var input struct{ City string }
	if err := json.Unmarshal(call.Input, &input); err != nil || input.City == "" {
		t.Errorf("input %s has no city (%v)", call.Input, err)
	}
	told := "21 degrees & <sunny>, 晴れ"
	answer := must(t, c, Turn{result(call.ID, told)}, ask)
	if !strings.Contains(answer.Text(), told) || answer.StopReason != "end_turn" {
		t.Errorf("answer is %+v, want one that tells the result", answer)
	}
	return []Answer{called, answer, must(t, c, say("Thank you."), ask)}
}

// holdToolError answers a call with an error. The model must mention the error.
func holdToolError(t *testing.T, c Conversation, ask ask) []Answer {
	called := must(t, c, say("What is the weather in Atlantis?"), ask)
	call := onlyCall(t, called, "get_weather")
	answer := must(t, c, Turn{failed(call.ID, "no such city")}, ask)
	if !strings.Contains(answer.Text(), "no such city") || answer.StopReason != "end_turn" {
		t.Errorf("answer is %+v, want one that tells the error", answer)
	}
	return []Answer{called, answer}
}

// holdAny forces the model to call some tool, although the question does not need one.
func holdAny(t *testing.T, c Conversation, ask ask) []Answer {
	answer := must(t, c, say("Good morning!"), ask)
	if len(answer.Calls()) == 0 || answer.StopReason != "tool_use" {
		t.Errorf("answer is %+v, want a call", answer)
	}
	return []Answer{answer}
}

// holdForced forces the model to call a tool that the question does not need, and that takes no arguments.
func holdForced(t *testing.T, c Conversation, ask ask) []Answer {
	answer := must(t, c, say("What is the weather in Oslo?"), ask)
	if call := onlyCall(t, answer, "get_time"); string(call.Input) != "{}" {
		t.Errorf("input is %s, want {}", call.Input)
	}
	return []Answer{answer}
}

// holdCut cuts the answer with max_tokens.
func holdCut(t *testing.T, c Conversation, ask ask) []Answer {
	answer := must(t, c, say("Good morning!"), ask)
	if answer.StopReason != "max_tokens" {
		t.Errorf("answer is %+v, want max_tokens", answer)
	}
	return []Answer{answer}
}

// onlyCall returns the call of an answer. The answer must have exactly one call, of this tool, and end with
// tool_use.
func onlyCall(t *testing.T, answer Answer, name string) Block {
	t.Helper()
	calls := answer.Calls()
	if len(calls) != 1 || calls[0].Name != name || answer.StopReason != "tool_use" {
		t.Fatalf("answer is %+v, want one call of %s", answer, name)
	}
	return calls[0]
}
