package conformance

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// Client is a library for which the cases run.
type Client struct {
	Open    Opener
	Dialect Dialect
	Hides   Hides
	// OpenInput is what the library does with a call that was cut inside a value, if it gets the beginning of
	// the value.
	OpenInput OpenInput
	// FineGrained: the library turns on the beta that makes any model send the beginning of a value.
	FineGrained bool
	Runs        bool // the library runs tools itself: its conversations are a [Runner]
	Eager       bool // the library sends [Tool.Eager] to the server
	Streams     bool // the library always streams
}

// OpenInput is what a library does with the input of a cut call, which is open JSON.
type OpenInput int

// The results, from the least to the most. Only with Mends can a program run a call with arguments that the
// model never wrote.
const (
	Refuses OpenInput = iota // the answer, or the call, is an error: no tool runs
	Drops                    // the call has only the complete values
	Mends                    // the JSON is closed: the call has a value in place of the cut one
)

// String returns a verb for the result.
func (o OpenInput) String() string { return []string{"refuses", "drops", "mends"}[o] }

// Hides says what a library hides from its users, so that the cases cannot check it.
type Hides struct {
	Events       bool // the events of a stream
	StopSequence bool // the stop sequence that ended the answer
	StopReason   bool // whether a stop sequence or the model itself ended the answer
	TokenLimit   bool // that max_tokens cut the answer
	RequestID    bool // the id of a failed request
	Refusals     bool // the server's error for max_tokens below 1, because the library rejects it itself
	NoSuchTool   bool // the server's error for a tool_choice of an unknown tool, because the library rejects it itself
}

// ask sends a turn with Ask, or with Stream to its end.
type ask func(t *testing.T, c Conversation, turn Turn) (Answer, error)

// way is a way to ask, with its name in tests.
type way struct {
	name string
	ask  ask
}

// The names of the ways.
const (
	whole    = "whole"
	streamed = "streamed"
)

// ways returns the ways in which the client can ask: one or two. A way that streams also checks the events.
func (c Client) ways() []way {
	ways := []way{
		{whole, func(t *testing.T, c Conversation, turn Turn) (Answer, error) {
			return c.Ask(t.Context(), turn)
		}},
		{streamed, func(t *testing.T, conversation Conversation, turn Turn) (Answer, error) {
			answer, err := conversation.Stream(t.Context(), turn, false)
			if err == nil && !c.Hides.Events {
				c.checkGrammar(t, answer.Events)
			}
			return answer, err
		}},
	}
	if c.Streams {
		return ways[1:]
	}
	return ways
}

// checkGrammar checks that a stream had events of known types, in the order of the dialect.
func (c Client) checkGrammar(t *testing.T, types []string) {
	t.Helper()
	var shape strings.Builder
	for _, event := range types {
		letter, ok := c.Dialect.events[event]
		if !ok {
			t.Errorf("unknown event %s", event)
		}
		shape.WriteString(letter)
	}
	if !c.Dialect.grammar.MatchString(shape.String()) {
		t.Errorf("events are out of order: %s", shape.String())
	}
}

// must sends a turn and returns the answer. The test fails on an error, and if the input of a call is not an
// object. It also fails if the id of a call is empty or not unique, because no result could be sent for it.
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

// same fails the test if two answers differ. These differences are allowed: ids, the spelling of JSON values,
// and the facts that the library hides.
func (c Client) same(t *testing.T, got, want Answer) {
	t.Helper()
	if c.Hides.StopSequence {
		got.StopSequence, want.StopSequence = "", ""
	}
	if c.Hides.StopReason && want.StopReason == "stop_sequence" {
		want.StopReason = "end_turn"
	}
	if diff := gocmp.Diff(plain(want), plain(got)); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// plain returns an answer without ids as data to compare. Numbers keep their digits.
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
