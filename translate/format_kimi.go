package translate

import "dragoman/translate/markup"

// kimiCalls is the format of Kimi K2: markers around an id of the call and its input as JSON
// (docs/reference/formats.md §4). The id counts all calls of a conversation, so that it follows from
// the request. Its template has a turn of its own for the tools, which is their list alone, and one for
// each result; results stand in blocks here.
var kimiCalls = shaped(format{
	name:          FormatKimi,
	models:        []string{"kimi-k2"},
	opensThinking: []string{"kimi-k2-thinking", "kimi-k2.5", "kimi-k2.6", "kimi-k2.7"},
	stopSequence:  kimiEnd,
	impliedEnd:    kimiEnd,
	callOpener:    "<|tool_call_begin|>",
	callCloser:    "<|tool_call_end|>",
	protects:      markup.TagMarker | markup.TagToolResponse,
	shape: shape{
		call: [3]string{"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"},
		id:   "functions.NAME:N",
	},
	spelling: &markup.Spelling{JSON: true, IDs: true, Tags: []markup.Spelled{
		{Name: "|tool_calls_section_begin|", Means: markup.Wrapper},
		{Name: "|tool_call_section_begin|", Means: markup.Wrapper},
		{Name: "|tool_calls_section_end|", Means: markup.Wrapper, Closing: true},
		{Name: "|tool_call_section_end|", Means: markup.Wrapper, Closing: true},
		{Name: "|tool_call_begin|", Means: markup.Invoke, Label: markup.LabelAfter, Then: []string{"<|tool_call_argument_begin|>"}},
		{Name: "|tool_call_end|", Means: markup.Invoke, Closing: true},
	}},

	exampleLast:  true,
	exampleNote:  func(l *language) string { return l.oneSection },
	beforeTools:  "[",
	afterTools:   "]",
	tool:         [2]string{`{"type":"function","function":`, "}"},
	betweenTools: ",",
	spaced:       true,
	compactTools: true,
	thinkTag:     "think",
	beforeCalls:  "<|tool_calls_section_begin|>",
	afterCalls:   kimiEnd,
	result:       [2]string{"<tool_response>\n## Return of ID\n", "\n</tool_response>\n"},
})

// kimiEnd is the marker behind the calls of a turn.
const kimiEnd = "<|tool_calls_section_end|>"
