package conformance

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// ask is how a turn is asked: Ask, or Stream to its end.
type ask func(t *testing.T, c Conversation, turn Turn) (Answer, error)

var ways = []struct {
	name string
	ask  ask
}{
	{"whole", func(t *testing.T, c Conversation, turn Turn) (Answer, error) {
		return c.Ask(t.Context(), turn)
	}},
	{streamed, func(t *testing.T, c Conversation, turn Turn) (Answer, error) {
		answer, err := c.Stream(t.Context(), turn, "")
		if err == nil {
			checkGrammar(t, answer.Events)
		}
		return answer, err
	}},
}

const streamed = "streamed"

// grammar is the order of a stream's events, each one letter.
var grammar = regexp.MustCompile(`^\((\[\.*\])*;+\)$`)

// checkGrammar holds the types of a stream's events against the order of the Messages API. Pings
// may come anywhere, and libraries may hide them.
func checkGrammar(t *testing.T, types []string) {
	t.Helper()
	short := map[string]string{
		"message_start": "(", "content_block_start": "[", "content_block_delta": ".", "content_block_stop": "]",
		"message_delta": ";", "message_stop": ")", "ping": "",
	}
	var shape strings.Builder
	for _, event := range types {
		letter, ok := short[event]
		if !ok {
			t.Errorf("unknown event %s", event)
		}
		shape.WriteString(letter)
	}
	if !grammar.MatchString(shape.String()) {
		t.Errorf("events are out of order: %s", shape.String())
	}
}

// must asks a turn and fails the test on an error, on an answer that is not one, and on ids that
// cannot be answered.
func must(t *testing.T, c Conversation, turn Turn, ask ask) Answer {
	t.Helper()
	answer, err := ask(t, c, turn)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, call := range answer.Calls() {
		if call.ID == "" || ids[call.ID] {
			t.Errorf("call of %s has the id %q, which is empty or not its own", call.Name, call.ID)
		}
		ids[call.ID] = true
		var input map[string]any
		if err := json.Unmarshal(call.Input, &input); err != nil {
			t.Errorf("input of %s is not an object: %s", call.Name, call.Input)
		}
	}
	return answer
}

// same compares answers apart from what differs by nature: ids, and how a JSON value is spelt.
func same(t *testing.T, got, want Answer) {
	t.Helper()
	if diff := gocmp.Diff(plain(want), plain(got)); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// plain is an answer as data that can be compared; numbers keep their digits.
func plain(a Answer) map[string]any {
	var content []any
	for _, block := range a.Content {
		if block.Name == "" {
			content = append(content, block.Text)
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(cmp.Or(string(block.Input), "null")))
		decoder.UseNumber()
		var input any
		if err := decoder.Decode(&input); err != nil {
			input = err.Error()
		}
		content = append(content, map[string]any{"name": block.Name, "input": input})
	}
	return map[string]any{"content": content, "stop_reason": a.StopReason, "stop_sequence": a.StopSequence}
}
