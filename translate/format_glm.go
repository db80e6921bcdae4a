package translate

import "dragoman/translate/markup"

// glmCalls is the format of GLM: the name of the tool behind the tag of its block, and the names and the
// values of its parameters each in an element, without layout (docs/reference/formats.md §2).
var glmCalls = shaped(format{
	name:         FormatGLM,
	models:       []string{"glm-4.", "glm-4p", "glm-5", "laguna", "poolside"},
	stopSequence: "<tool_response>",
	callOpener:   "<arg_key>",
	callCloser:   toolCallEnd,
	protects:     markup.TagArgKey | markup.TagArgValue | markup.TagToolResponse,
	shape: shape{
		call:  [3]string{"<tool_call>", "\n", "</tool_call>\n"},
		empty: "</tool_call>\n",
		param: [3]string{"<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n"},
	},
	spelling: &markup.Spelling{Bare: true, ClosedTwice: true, Tags: []markup.Spelled{
		{Name: "tool_call", Means: markup.Invoke, Label: markup.LabelAfter, Before: []string{"<!--", "<arg_key", "</tool_call", "<tool_call", "</arg_key", "</arg_value", "{", "```"}},
		{Name: "arg_key", Means: markup.Parameter, Label: markup.LabelAfter, Then: []string{"</arg_key>", "<arg_value>"}},
		{Name: "arg_value", Means: markup.Parameter},
	}},

	heading:     "# Tools\n\n",
	exampleNote: (*language).rawBlocks,
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        [2]string{`{"type":"function","function":`, "}\n"},
	result:      [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})
