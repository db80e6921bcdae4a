package conformance

import (
	"encoding/json"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

var (
	note = Tool{
		Name:        "write_note",
		Description: "Stores a note.",
		Properties: map[string]any{
			"text":   map[string]any{"type": "string"},
			"code":   map[string]any{"type": "string"},
			"number": map[string]any{"type": "integer"},
			"public": map[string]any{"type": "boolean"},
			"tags":   map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		},
		Required: []string{"text"},
	}
	offered = []Tool{weather, clock, note}
)

// step is one exchange of a scripted conversation: what is said, given the calls before; what the
// model completes; and what of it must reach the client.
type step struct {
	say        func(calls []Block) Turn
	completion string         // until the model has no more to say, or a stop sequence ends it
	stop       translate.Stop // why the completion ends, if otherwise
	want       Answer
	prompt     []string // what the prompt must hold, in this order
}

// scripted conversations run against a model that is told what to write. Their answers are known to
// the last character, and so are the same streamed or not.
var scripted = map[string][]step{
	"tool loop": {
		{
			say: says("What is the weather in Oslo?"),
			completion: `I will look it up.

<function_calls>
<invoke>
<tool_name>get_weather</tool_name>
<parameters>
<city>Oslo</city>
<days>2</days>
</parameters>
</invoke>
</function_calls>`,
			want:   toolUse(text("I will look it up."), call("get_weather", `{"city":"Oslo","days":2}`)),
			prompt: []string{"<tool_name>get_weather</tool_name>", "What is the weather in Oslo?"},
		},
		{
			say:        returns("21 degrees & <sunny>, 晴れ"),
			completion: "It is 21 degrees in Oslo.",
			want:       Answer{Content: []Block{text("It is 21 degrees in Oslo.")}, StopReason: "end_turn"},
			prompt: []string{
				"What is the weather in Oslo?", "I will look it up.", "<city>Oslo</city>", "</function_calls>",
				"<function_results>", "<tool_name>get_weather</tool_name>", "21 degrees & <sunny>, 晴れ", "</function_results>",
			},
		},
	},
	"parallel calls": {
		{
			say: says("Compare Oslo and Rome."),
			completion: `<function_calls>
<invoke>
<tool_name>get_weather</tool_name>
<parameters>
<city>Oslo</city>
</parameters>
</invoke>
<invoke>
<tool_name>get_weather</tool_name>
<parameters>
<city>Rome</city>
</parameters>
</invoke>
</function_calls>`,
			want: toolUse(call("get_weather", `{"city":"Oslo"}`), call("get_weather", `{"city":"Rome"}`)),
		},
		{
			say: func(calls []Block) Turn { // in the wrong order
				return Turn{Results: []Result{{ID: calls[1].ID, Text: "hot in Rome"}, {ID: calls[0].ID, Text: "cold in Oslo"}}}
			},
			completion: "Rome is warmer.",
			want:       Answer{Content: []Block{text("Rome is warmer.")}, StopReason: "end_turn"},
			prompt:     []string{"cold in Oslo", "hot in Rome"},
		},
	},
	"no arguments, then an error": {
		{
			say:        says("What time is it?"),
			completion: "<function_calls>\n<invoke>\n<tool_name>get_time</tool_name>\n</invoke>\n</function_calls>",
			want:       toolUse(call("get_time", `{}`)),
		},
		{
			say: func(calls []Block) Turn {
				return Turn{Results: []Result{{ID: calls[0].ID, Text: "the clock has stopped", IsError: true}}}
			},
			completion: "I cannot tell.",
			want:       Answer{Content: []Block{text("I cannot tell.")}, StopReason: "end_turn"},
			prompt:     []string{"<error>", "the clock has stopped", "</error>"},
		},
	},
	"markup and every type in arguments": {
		{
			say: says("Note this."),
			completion: `<function_calls>
<invoke>
<tool_name>write_note</tool_name>
<parameters>
<text><p class="x">Tom &amp; "Jerry" < 5 😀 日本語</p></text>
<code>if a < b && c > d { print("</text>") }</code>
<number>12345678901234567890</number>
<public>true</public>
<tags>["a", "<b>"]</tags>
</parameters>
</invoke>
</function_calls>`,
			want: toolUse(call("write_note", `{
				"text": "<p class=\"x\">Tom &amp; \"Jerry\" < 5 😀 日本語</p>",
				"code": "if a < b && c > d { print(\"</text>\") }",
				"number": 12345678901234567890, "public": true, "tags": ["a", "<b>"]}`)),
		},
		{
			say:        returns("stored"),
			completion: "Done.",
			want:       Answer{Content: []Block{text("Done.")}, StopReason: "end_turn"},
			prompt: []string{
				`<text><p class="x">Tom &amp; "Jerry" < 5 😀 日本語</p></text>`,
				"<number>12345678901234567890</number>", "stored",
			},
		},
	},
	"cut inside a value": {{
		say:        says("Note this."),
		completion: "<function_calls>\n<invoke>\n<tool_name>write_note</tool_name>\n<parameters>\n<text>half a sen",
		stop:       translate.StopMaxTokens,
		want:       Answer{Content: []Block{call("write_note", `{"text":"half a sen"}`)}, StopReason: "max_tokens"},
	}},
	"stop sequence of the client": {{
		say:        says("Count."),
		completion: "one two THREE four",
		want:       Answer{Content: []Block{text("one two ")}, StopReason: "stop_sequence", StopSequence: "THREE"},
	}},
}

func runScripted(t *testing.T, open Opener) {
	setup := Setup{Model: model, MaxTokens: 1024, Tools: offered, StopSequences: []string{"THREE"}}
	for name, steps := range scripted {
		for way, ask := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				var completions []upstreamtest.Completion
				for _, step := range steps {
					// Bytes in sevens: no frame and no character arrives whole.
					completions = append(completions, upstreamtest.Completion{Text: step.completion, Stop: step.stop, Fragment: 7})
				}
				url, fake := serveBedrock(t, inTurn(completions...))
				holdScript(t, open(url, "", setup), steps, ask)
				checkPrompts(t, fake.Requests(), steps)
			})
		}
	}
}

func holdScript(t *testing.T, c Conversation, steps []step, ask ask) {
	t.Helper()
	var calls []Block
	for _, step := range steps {
		answer := must(t, c, step.say(calls), ask)
		same(t, answer, step.want)
		calls = answer.Calls()
	}
}

// checkPrompts looks for what each prompt must hold.
func checkPrompts(t *testing.T, requests []upstreamtest.Request, steps []step) {
	t.Helper()
	if len(requests) != len(steps) {
		t.Fatalf("the model was asked %d times, want %d", len(requests), len(steps))
	}
	for i, step := range steps {
		prompt := requests[i].Prompt.Text()
		rest := prompt
		for _, part := range step.prompt {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("prompt %d lacks %q, or it is out of order:\n%s", i+1, part, prompt)
				break
			}
			rest = after
		}
	}
}

func says(text string) func([]Block) Turn {
	return func([]Block) Turn { return Turn{Text: text} }
}

// returns answers the one call before.
func returns(result string) func([]Block) Turn {
	return func(calls []Block) Turn { return Turn{Results: []Result{{ID: calls[0].ID, Text: result}}} }
}

func toolUse(content ...Block) Answer { return Answer{Content: content, StopReason: "tool_use"} }

func text(s string) Block { return Block{Text: s} }

func call(name, input string) Block { return Block{Name: name, Input: json.RawMessage(input)} }
