package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// kimiCalls is the format of Kimi K2: markers around an id of the call, and its input as JSON
// (docs/reference/formats.md §4). The id has the number of earlier calls in the conversation, so it
// follows from the request. Kimi's own template has turns of their own for the list of tools and
// for each result. This format writes results in blocks.
var kimiCalls = shaped(Format{
	Name:          Kimi,
	Models:        []string{"kimi-k2"},
	opensThinking: []string{"kimi-k2-thinking", "kimi-k2.5", "kimi-k2.6", "kimi-k2.7"},
	StopSequence:  kimiEnd,
	ImpliedEnd:    kimiEnd,
	CallOpener:    "<|tool_call_begin|>",
	CallCloser:    "<|tool_call_end|>",
	Protects:      markup.TagMarker | markup.TagToolResponse,
	Shape: shape{
		Call: [3]string{"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"},
		Id:   "functions.NAME:N",
	},
	Spelling: &markup.Spelling{JSON: true, IDs: true, Tags: []markup.Form{
		{Name: "|tool_calls_section_begin|", Means: markup.Wrapper},
		{Name: "|tool_calls_section_end|", Means: markup.Wrapper, Closing: true},
		{Name: "|tool_call_begin|", Means: markup.Invoke, After: []string{markup.Label, "<|tool_call_argument_begin|>"}},
		{Name: "|tool_call_end|", Means: markup.Invoke, Closing: true},
	}, Slips: []markup.Slip{{
		Name: messages.ReasonMissingSeparator, About: "the marker before the input is missing",
		Example: `<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0{"a":"1","b":"2"}<|tool_call_end|><|tool_calls_section_end|>`,
		Form:    markup.Form{Name: "|tool_call_begin|", Means: markup.Invoke, After: []string{markup.Label}, Ahead: []string{"{"}},
	}, {
		Name: messages.ReasonTagSpelling, About: "the id has newlines in it",
		Example: "<|tool_calls_section_begin|><|tool_call_begin|>functions.f\n:0<|tool_call_argument_begin|>{\"a\":\"1\",\"b\":\"2\"}<|tool_call_end|><|tool_calls_section_end|>",
		Form:    markup.Form{Name: "|tool_call_begin|", Means: markup.Invoke, After: []string{markup.Lines, "<|tool_call_argument_begin|>"}},
	}, {
		Name: messages.ReasonTagSpelling, About: "the marker before the calls is in the singular",
		Example: `<|tool_call_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":"1","b":"2"}<|tool_call_end|><|tool_calls_section_end|>`,
		Form:    markup.Form{Name: "|tool_call_section_begin|", Means: markup.Wrapper},
	}, {
		Name: messages.ReasonTagSpelling, About: "the marker after the calls is in the singular",
		Example: `<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":"1","b":"2"}<|tool_call_section_end|>`,
		Form:    markup.Form{Name: "|tool_call_section_end|", Means: markup.Wrapper, Closing: true},
	}}},

	ExampleLast:  true,
	ExampleNote:  func(l *language.Language) string { return l.OneSection },
	BeforeTools:  "[",
	AfterTools:   "]",
	tool:         [2]string{`{"type":"function","function":`, "}"},
	BetweenTools: ",",
	spaced:       true,
	compactTools: true,
	thinkTag:     "think",
	BeforeCalls:  "<|tool_calls_section_begin|>",
	AfterCalls:   kimiEnd,
	Result:       [2]string{"<tool_response>\n## Return of ID\n", "\n</tool_response>\n"},
})

// kimiEnd is the marker after the calls of a turn.
const kimiEnd = "<|tool_calls_section_end|>"
