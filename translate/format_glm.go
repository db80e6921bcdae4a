package translate

import "dragoman/translate/markup"

// glmCalls is the format of GLM: the name of the tool behind the tag of its block, and the names and the
// values of its parameters each in an element, without layout (docs/reference/formats.md §2).
var glmCalls = shaped(format{
	name:          FormatGLM,
	models:        []string{"glm-4.", "glm-4p", "glm-5", "laguna", "poolside", "longcat", "hy-v3", "hy-v4", "hy3"},
	opensThinking: []string{"glm-4.7", "glm-4p7", "glm-5"},
	stopSequence:  "<tool_response>",
	callOpener:    "<arg_key>",
	callCloser:    toolCallEnd,
	protects:      markup.TagArgKey | markup.TagArgValue | markup.TagToolResponse,
	shape: shape{
		call:   [3]string{"<tool_call>", "\n", "</tool_call>\n"},
		empty:  "</tool_call>\n",
		param:  [3]string{"<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n"},
		second: "$PARAMETER_VALUE_2",
	},
	spelling: glmSpelling("", ""),
	also:     []*markup.Spelling{glmSpelling("longcat_", ""), glmSpelling("", ":opensource")},

	heading:     "# Tools\n\n",
	exampleLast: true,
	exampleNote: (*language).rawBlocks,
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,
	thinkTag:    "think",
	result:      [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})

// glmSpelling is the spelling of GLM, with what stands before and behind each name.
func glmSpelling(prefix, suffix string) *markup.Spelling {
	call, key, value := prefix+"tool_call"+suffix, prefix+"arg_key"+suffix, prefix+"arg_value"+suffix
	g := &markup.Spelling{Bare: true, Tags: []markup.Spelled{
		{Name: call, Means: markup.Invoke, Label: markup.LabelAfter, ID: []string{"<tool_sep" + suffix + ">"},
			Before: []string{"<!--", "<" + key, "</" + call, "<" + call, "</" + key, "</" + value, "{", "```"}},
		{Name: key, Means: markup.Parameter, Label: markup.LabelAfter, Then: []string{"</" + key + ">", "<" + value + ">"}},
		{Name: value, Means: markup.Parameter},
	}}
	if suffix != "" {
		g.Tags = append(g.Tags, markup.Spelled{Name: "tool_calls" + suffix, Means: markup.Wrapper})
	}
	return g
}

// Since GLM 4.7 a call stands on one line, and so does a result; since 5.2 a tool is described without
// what says that it is a function.
var (
	glm47Calls = glmCalls.vary("glm-4.7", func(f *format) { f.writeOnOneLine() }, "glm-4.7", "glm-4p7", "glm-5")
	glm52Calls = glmCalls.vary("glm-5.2", func(f *format) {
		f.writeOnOneLine()
		f.tool = [2]string{"", "\n"}
	}, "glm-5.2", "glm-5p2", "glm-5.3", "glm-5p3")
)

func (f *format) writeOnOneLine() {
	f.shape.call = [3]string{"<tool_call>", "", "</tool_call>"}
	f.shape.empty = "</tool_call>"
	f.shape.param = [3]string{"<arg_key>", "</arg_key><arg_value>", "</arg_value>"}
	f.result = [2]string{"<tool_response>", "</tool_response>"}
	f.example = "<tool_call>$TOOL_NAME<arg_key>$PARAMETER_NAME</arg_key><arg_value>$PARAMETER_VALUE</arg_value>" +
		"<arg_key>$PARAMETER_NAME_2</arg_key><arg_value>$PARAMETER_VALUE_2</arg_value>...</tool_call>\n"
}
