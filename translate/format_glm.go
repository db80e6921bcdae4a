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
	spelling: glmSpelling("", ""),

	heading:     "# Tools\n\n",
	exampleNote: (*language).rawBlocks,
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        [2]string{`{"type":"function","function":`, "}\n"},
	result:      [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})

// Formats with the tags of GLM in other names (docs/reference/formats.md §2). Calls are read in them; no
// model is asked in one.
var (
	longcatCalls = &format{name: "longcat", readOnly: true, models: []string{"longcat"}, spelling: glmSpelling("longcat_", "")}
	hunyuanCalls = &format{name: "hunyuan", readOnly: true, models: []string{"hy3", "hy-v3", "hy-v4", "hunyuan"}, spelling: glmSpelling("", ":opensource")}
)

// glmSpelling is the spelling of GLM, with what stands before and behind each name.
func glmSpelling(prefix, suffix string) *markup.Spelling {
	call, key, value := prefix+"tool_call"+suffix, prefix+"arg_key"+suffix, prefix+"arg_value"+suffix
	g := &markup.Spelling{Bare: true, ClosedTwice: true, Tags: []markup.Spelled{
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
