package translate

import "dragoman/translate/markup"

// deepseekCalls is the format of DeepSeek V3.1: markers around the name of the tool and its input as JSON
// (docs/reference/formats.md §12). That of V3 and R1, with a word before the name and a code fence around
// the JSON, is read, too.
var deepseekCalls = shaped(format{
	name:          FormatDeepSeek,
	models:        []string{"deepseek-v3", "deepseek.v3", "deepseek-v3.2-exp", "deepseek-r1", "deepseek.r1", "cogito"},
	opensThinking: []string{"deepseek-r1", "deepseek.r1"},
	stopSequence:  deepseekEnd,
	impliedEnd:    deepseekEnd,
	callOpener:    "<｜tool▁call▁begin｜>",
	callCloser:    "<｜tool▁call▁end｜>",
	protects:      markup.TagMarker,
	shape:         shape{call: [3]string{"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"}},
	spelling: &markup.Spelling{JSON: true, Tags: []markup.Spelled{
		{Name: "｜tool▁calls▁begin｜", Means: markup.Wrapper},
		{Name: "｜tool_calls_begin｜", Means: markup.Wrapper},
		{Name: "｜tool calls begin｜", Means: markup.Wrapper},
		{Name: "｜tool▁calls｜", Means: markup.Wrapper},
		{Name: "｜tool▁calls▁end｜", Means: markup.Wrapper, Closing: true},
		{Name: "｜tool▁call▁begin｜", Means: markup.Invoke, Label: markup.LabelAfter, Word: "function<｜tool▁sep｜>", Then: []string{"<｜tool▁sep｜>"}},
		{Name: "｜tool▁call▁end｜", Means: markup.Invoke, Closing: true},
	}},

	heading:     "## Tools\n\n",
	exampleNote: func(l *language) string { return l.oneSection },
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        [2]string{`{"type":"function","function":`, "}\n"},
	beforeCalls: "<｜tool▁calls▁begin｜>",
	afterCalls:  deepseekEnd,
	result:      [2]string{"<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>\n"},
})

// deepseekEnd is the marker behind the calls of a turn.
const deepseekEnd = "<｜tool▁calls▁end｜>"
