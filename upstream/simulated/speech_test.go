package simulated

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLearn has calls written as an example shows one, and finished where a prefill has begun
// them in the same way or in another.
func TestLearn(t *testing.T) {
	tests := []struct {
		name, example, stop, want string
		begun, rest               string
		slips, closed             string
	}{
		{
			"elements in one of all calls", "<calls>\n<invoke name=\"$TOOL_NAME\">\n<$PARAMETER_NAME>$PARAMETER_VALUE</$PARAMETER_NAME>\n...\n</invoke>\n</calls>\n", "</calls>",
			"<calls>\n<invoke name=\"find\">\n<what>a \"b\"</what>\n<most>2</most>\n</invoke>\n<invoke name=\"now\">\n</invoke>\n</calls>",
			"<calls>\n<invoke name=\"fi", "nd\">\n<what>a \"b\"</what>\n<most>2</most>\n</invoke>\n</calls>",
			"<calls><invoke name=\"find\"><most>1", "</most>\n</invoke>\n</calls>",
		},
		{
			"a block for each, with values of two kinds", "<call>$TOOL_NAME\n<p=$PARAMETER_NAME string>$PARAMETER_VALUE</p>\n<p=$PARAMETER_NAME>$PARAMETER_VALUE</p>\n...\n</call>\n", "<results>",
			"<call>find\n<p=what string>a \"b\"</p>\n<p=most>2</p>\n</call>\n<call>now\n</call>",
			"<call>find", "\n<p=what string>a \"b\"</p>\n<p=most>2</p>\n</call>",
			"<call>find <p=most>1", "</p>\n</call>",
		},
		{
			"two parameters and two calls", "<calls>\n<call n=\"$TOOL_NAME\">\n<p n=\"$PARAMETER_NAME\" s=\"true|false\">$PARAMETER_VALUE</p>\n<p n=\"$PARAMETER_NAME_2\" s=\"true|false\">$VALUE_2</p>\n...\n</call>\n<call n=\"$TOOL_NAME2\">\n...\n</call>\n</calls>\n", "</calls>",
			"<calls>\n<call n=\"find\">\n<p n=\"what\" s=\"true\">a \"b\"</p>\n<p n=\"most\" s=\"false\">2</p>\n</call>\n<call n=\"now\">\n</call>\n</calls>",
			"<calls>\n<call n=\"find\">", "\n<p n=\"what\" s=\"true\">a \"b\"</p>\n<p n=\"most\" s=\"false\">2</p>\n</call>\n</calls>",
			"<calls><call n=\"find\"> <p n=\"most\" s=\"false\">1", "</p>\n</call>\n</calls>",
		},
		{
			"markers, with a number", "<|all_begin|><|call_begin|>f.$TOOL_NAME:0<|with|>{\"$PARAMETER_NAME\": $PARAMETER_VALUE, ...}<|call_end|><|all_end|>\n", "<|all_end|>",
			`<|all_begin|><|call_begin|>f.find:7<|with|>{"what": "a \"b\"", "most": 2}<|call_end|><|call_begin|>f.now:8<|with|>{}<|call_end|><|all_end|>`,
			"<|all_begin|><|call_begin|>f.find:7<|with|>", `{"what": "a \"b\"", "most": 2}<|call_end|><|all_end|>`,
			`<|all_begin|><|call_begin|>f.find:7<|with|>{"most": [{"\"`, `"}]}<|call_end|><|all_end|>`,
		},
		{
			"brackets, without an end", "[CALLS]$TOOL_NAME[ARGS]{\"$PARAMETER_NAME\": $PARAMETER_VALUE, ...}\n", "[RESULTS]",
			"[CALLS]find[ARGS]{\"what\": \"a \\\"b\\\"\", \"most\": 2}\n[CALLS]now[ARGS]{}",
			"[CALLS]find[ARGS]", `{"what": "a \"b\"", "most": 2}`,
			`[CALLS]find[ARGS]{"most": 1`, "}",
		},
		{
			"JSON alone", "{\"name\": \"$TOOL_NAME\", \"parameters\": {\"$PARAMETER_NAME\": $PARAMETER_VALUE, ...}}\n", "",
			"{\"name\": \"find\", \"parameters\": {\"what\": \"a \\\"b\\\"\", \"most\": 2}}\n{\"name\": \"now\", \"parameters\": {}}",
			`{"name": "find", "parameters":`, ` {"what": "a \"b\"", "most": 2}}`,
			`{"name": "find", "parameters": {"most": 1`, "}}",
		},
		{
			"a list in Python", "[$TOOL_NAME($PARAMETER_NAME=\"$PARAMETER_VALUE\", $PARAMETER_NAME=$PARAMETER_VALUE, ...), ...]\n", "",
			`[find(what="a \"b\"", most=2), now()]`,
			"[find(", `what="a \"b\"", most=2)]`,
			"[find(most=1", ")]",
		},
		{
			"quotes of its own", "<|call>do:$TOOL_NAME{$PARAMETER_NAME:<|\"|>$PARAMETER_VALUE<|\"|>, $PARAMETER_NAME:$PARAMETER_VALUE, ...}<call|>\n", "",
			"<|call>do:find{what:<|\"|>a \"b\"<|\"|>, most:2}<call|>\n<|call>do:now{}<call|>",
			"<|call>do:find{", `what:<|"|>a "b"<|"|>, most:2}<call|>`,
			"<|call>do:find{most:1", "}<call|>",
		},
	}
	find := shownTool{name: "find", parameters: []shownParameter{
		{name: "what", typ: "string", required: true}, {name: "most", typ: "integer", required: true}, {name: "least", typ: "integer"},
	}}
	now := shownTool{name: "now"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := parsedPrompt{speech: learn(tt.example, []string{tt.stop}), tools: []shownTool{find, now}, made: 7, question: newQuestion("find `a \"b\"`, but 2")}
			r.question.phrases = []string{`a "b"`}
			if diff := cmp.Diff(tt.want, r.calls(r.tools)); diff != "" {
				t.Error(diff)
			}
			r.prefill = "Yes. " + tt.begun
			if diff := cmp.Diff(tt.rest, r.completion()); diff != "" {
				t.Error("begun: ", diff)
			}
			r.prefill = tt.slips
			if diff := cmp.Diff(tt.closed, r.completion()); diff != "" {
				t.Error("slips: ", diff)
			}
		})
	}
}
