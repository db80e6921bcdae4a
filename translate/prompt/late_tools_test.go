package prompt

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// A tool that a message adds changes nothing in the prompt before the end of the tools.
func TestLateTools(t *testing.T) {
	early := []messages.Tool{
		{Name: "get_weather", Description: "The weather now.", InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)},
		{Name: "find_tools", Description: "Finds more tools.", InputSchema: jsontext.Value(`{"type":"object","properties":{"query":{"type":"string"}}}`)},
	}
	late := slices.Concat(early, []messages.Tool{
		{Name: "book", Description: "Books rooms.", Late: true, InputSchema: jsontext.Value(`{"type":"object","properties":{"rooms":{"type":"array","items":{"type":"string"}}},"required":["rooms"]}`),
			InputExamples: []jsontext.Value{jsontext.Value(`{"rooms":["a"]}`)}},
	})
	for _, name := range format.Names() {
		text := func(tools []messages.Tool) string {
			req := &messages.Request{Messages: []messages.MessageParam{user("Hi")}, Tools: tools, MaxTokens: 9}
			return mustRender(t, req, Target{ModelOptions: ModelOptions{Format: name, ExampleCall: ExampleAuto}}).System[0].Text
		}
		before, after := text(early), text(late)
		n := 0
		for n < min(len(before), len(after)) && before[n] == after[n] {
			n++
		}
		if last := strings.Index(before, "Finds more tools."); n < last+len("Finds more tools.") {
			t.Errorf("%s: they differ from byte %d on:\n%.200q\n%.200q", name, n, before[n:], after[n:])
		}
	}
}
