package translate

import (
	"strings"

	"dragoman/translate/markup"
)

// glmCalls is the format of GLM: the name of the tool behind the tag of its block, and the names and the
// values of its parameters each in an element, without layout (docs/reference/formats.md §2).
var glmCalls = shaped(format{
	name:          FormatGLM,
	models:        []string{"glm-4.", "glm-4p", "glm-5", "laguna", "poolside", "longcat", "hy-v3", "hy-v4"},
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
	spelling: glmTags("", ""),
	also:     []*markup.Spelling{glmTags("longcat_", ""), glmTags("", ":opensource")},

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

// glmTags is the spelling of GLM; LongCat has a prefix before each name, and Hy a suffix and a wrapper.
func glmTags(prefix, suffix string) *markup.Spelling {
	name := func(s string) string { return prefix + s + suffix }
	before := []string{"<!--", "{", "```"}
	for _, tag := range [...]string{"<arg_key", "</tool_call", "<tool_call", "</arg_key", "</arg_value"} {
		cut := strings.LastIndexAny(tag, "</") + 1
		before = append(before, tag[:cut]+prefix+tag[cut:])
	}
	g := &markup.Spelling{Bare: true, Tags: []markup.Spelled{
		{Name: name("tool_call"), Means: markup.Invoke, Label: markup.LabelAfter, Before: before},
		{Name: name("arg_key"), Means: markup.Parameter, Label: markup.LabelAfter, Then: []string{"</" + name("arg_key") + ">", "<" + name("arg_value") + ">"}},
		{Name: name("arg_value"), Means: markup.Parameter},
	}}
	if suffix != "" {
		g.Tags = append(g.Tags, markup.Spelled{Name: name("tool_calls"), Means: markup.Wrapper})
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
}
