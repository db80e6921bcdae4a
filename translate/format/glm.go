package format

import (
	"slices"
	"strings"

	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// GLMCalls is the format of GLM: the name of the tool after the opening tag of the block, and one
// element for each name and each value, without layout (docs/reference/formats.md §2).
var GLMCalls = shaped(Format{
	Name:   GLM,
	Models: []string{"glm-4.", "glm-4p", "glm-5", "laguna", "poolside", "longcat", "hy-v3", "hy-v4", "hy3"},
	thinking: []thinkingMarks{
		{Opens: "<think:opensource>", Closes: "</think:opensource>"}, // Hunyuan's tags
		{Opens: "<longcat_think>", Closes: "</longcat_think>"},
	},
	opensThinking: []string{"glm-4.7", "glm-4p7", "glm-5"},
	StopSequence:  "<tool_response>",
	CallOpener:    "<arg_key>",
	CallCloser:    ToolCallEnd,
	Protects:      markup.TagArgKey | markup.TagArgValue | markup.TagToolResponse,
	Shape: shape{
		Call:   [3]string{"<tool_call>", "\n", "</tool_call>\n"},
		empty:  "</tool_call>\n",
		Param:  [3]string{"<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n"},
		second: "$PARAMETER_VALUE_2",
	},
	Spelling: glmTags,
	also:     []*markup.Spelling{longcatTags, hyTags, longcatJSON, hyJSON},

	Words: glmWords(`<tool_call>{function-name}
<arg_key>{arg-key-1}</arg_key>
<arg_value>{arg-value-1}</arg_value>
<arg_key>{arg-key-2}</arg_key>
<arg_value>{arg-value-2}</arg_value>
...
</tool_call>`),
	Heading:     "# Tools\n\n",
	ExampleLast: true,
	ExampleNote: rawBlocks,
	BeforeTools: "<tools>\n",
	AfterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,
	thinkTag:    "think",
	Result:      [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})

// glmWords are the sentences of the template, with an example call.
func glmWords(call string) [2]string {
	return [2]string{`# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
`, "\n\nFor each function call, output the function name and arguments within the following XML format:\n" + call}
}

// The tags of the families that write calls in this way.
var glmTags, longcatTags, hyTags = glmSpelling("", ""), glmSpelling("longcat_", ""), glmSpelling("", ":opensource")

// longcatJSON and hyJSON are the same tags around a call in JSON. GLM's own tags may enclose one
// too.
var longcatJSON, hyJSON = jsonBlock("longcat_tool_call"), jsonBlock("tool_call:opensource")

func jsonBlock(name string) *markup.Spelling {
	return &markup.Spelling{Tags: []markup.Form{{Name: name, Means: markup.Wrapper}}}
}

// glmSpelling is the spelling of GLM, with a prefix and a suffix for each name.
func glmSpelling(prefix, suffix string) *markup.Spelling {
	call, key, value := prefix+"tool_call"+suffix, prefix+"arg_key"+suffix, prefix+"arg_value"+suffix
	ahead := []string{"<!--", "<" + key, "</" + call, "{", "```"} // names that cannot be tags are in JSON
	if suffix != "" {
		ahead = append(ahead, "</tool_calls"+suffix)
	}
	g := &markup.Spelling{Bare: true, ClosedTwice: true, Tags: []markup.Form{
		{Name: call, Means: markup.Invoke, After: []string{markup.Label}, Ahead: ahead},
		{Name: call, Means: markup.Invoke, After: []string{markup.Label, "<tool_sep" + suffix + ">"}, Ahead: slices.Concat(ahead, []string{"<" + call})},
		{Name: key, Means: markup.Parameter, After: []string{markup.Label, "</" + key + ">", "<" + value + ">"}},
		{Name: value, Means: markup.Parameter},
	}}
	if suffix != "" {
		g.Tags = append(g.Tags, markup.Form{Name: "tool_calls" + suffix, Means: markup.Wrapper})
	}
	names := strings.NewReplacer("tool_call", call, "arg_key", key, "arg_value", value)
	for _, row := range glmSlips {
		row.Example, row.Form.Name = names.Replace(row.Example), names.Replace(row.Form.Name)
		for _, list := range []*[]string{&row.Form.After, &row.Form.Ahead, &row.Form.Not} {
			*list = slices.Clone(*list)
			for i, text := range *list {
				(*list)[i] = names.Replace(text)
			}
		}
		if suffix != "" {
			row.Example = "<tool_calls" + suffix + ">\n" + row.Example + "\n</tool_calls" + suffix + ">"
		}
		g.Slips = append(g.Slips, row)
	}
	return g
}

// glmSlips are the slips of the family, in GLM's own names.
var glmSlips = []markup.Slip{
	glmCallSlip(messages.ReasonWrongOpener, "the tag of a call is in place of the tag of a name", glmCall("f<tool_call>a</arg_key>\n<arg_value>1</arg_value>\n"), "<tool_call", markup.Label),
	glmCallSlip(messages.ReasonMissingOpener, "the tag of a name is missing", glmCall("f a</arg_key>\n<arg_value>1</arg_value>\n"), "</arg_key", markup.Label),
	glmCallSlip(messages.ReasonMissingOpener, "the tag of a name is missing, and the name is on the next line", glmCall("f\na</arg_key>\n<arg_value>1</arg_value>\n"), "</arg_key", markup.Lines),
	glmCallSlip(messages.ReasonStrayCloser, "the closing tag of a value follows the name", glmCall("f</arg_value>\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n"), "</arg_value", markup.Label),
	glmNameSlip(messages.ReasonRestarted, "the tag of a name is written twice", glmCall("f\n<arg_key><arg_key>a</arg_key>\n<arg_value>1</arg_value>\n"), nil, "<arg_key>", markup.Label, "</arg_key>", "<arg_value>"),
	glmNameSlip(messages.ReasonStrayCloser, "the closing tag of a name is written twice", glmCall("f\n<arg_key>a</arg_key></arg_key>\n<arg_value>1</arg_value>\n"), nil, markup.Label, "</arg_key>", "</arg_key>", "<arg_value>"),
	glmNameSlip(messages.ReasonTagBracket, "the tag of a value lacks its `<`", glmCall("f\n<arg_key>a</arg_key>\narg_value>1</arg_value>\n"), nil, markup.Label, "</arg_key>", "arg_value>"),
	glmNameSlip(messages.ReasonMissingSeparator, "the closing tag of a name is missing", glmCall("f\n<arg_key>a\n<arg_value>1</arg_value>\n"), nil, markup.Label, "<arg_value>"),
	{
		Name: messages.ReasonWrongOrder, About: "all names precede the values",
		Example: "<tool_call>f\n<arg_key>a</arg_key>\n<arg_key>b</arg_key>\n<arg_value>1</arg_value>\n<arg_value>2</arg_value>\n</tool_call>",
		Form:    markup.Form{Name: "arg_key", Means: markup.Key, After: []string{markup.Label, "</arg_key>"}, Ahead: []string{"<arg_key>"}},
	},
	glmNameSlip(messages.ReasonMissingOpener, "the tag of a value is missing", glmCall("f\n<arg_key>a</arg_key>1</arg_value>\n"), []string{"<arg_key>", "</arg_key>"}, markup.Label, "</arg_key>", markup.Newline),
}

// glmCall is an example: begin is the call up to its second parameter.
func glmCall(begin string) string {
	return "<tool_call>" + begin + "<arg_key>b</arg_key>\n<arg_value>2</arg_value>\n</tool_call>"
}

// glmCallSlip is a slip after the tag of a call: a label, and ahead in place of a name.
func glmCallSlip(name messages.Reason, about, example, ahead, label string) markup.Slip {
	return markup.Slip{Name: name, About: about, Example: example,
		Form: markup.Form{Name: "tool_call", Means: markup.Invoke, After: []string{label}, Ahead: []string{ahead}}}
}

// glmNameSlip is a slip in the tags from the name of a parameter to its value.
func glmNameSlip(name messages.Reason, about, example string, not []string, after ...string) markup.Slip {
	return markup.Slip{Name: name, About: about, Example: example,
		Form: markup.Form{Name: "arg_key", Means: markup.Parameter, After: after, Not: not}}
}

// Since GLM 4.7, calls and results are on one line each. Since 5.2, tool descriptions do not say
// that a tool is a function.
var (
	glm47Calls = GLMCalls.vary("glm-4.7", func(f *Format) { f.writeOnOneLine() }, "glm-4.7", "glm-4p7", "glm-5")
	glm52Calls = GLMCalls.vary("glm-5.2", func(f *Format) {
		f.writeOnOneLine()
		f.tool = [2]string{"", "\n"}
	}, "glm-5.2", "glm-5p2", "glm-5.3", "glm-5p3")
)

func (f *Format) writeOnOneLine() {
	f.Shape.Call = [3]string{"<tool_call>", "", "</tool_call>"}
	f.Shape.empty = "</tool_call>"
	f.Shape.Param = [3]string{"<arg_key>", "</arg_key><arg_value>", "</arg_value>"}
	f.Result = [2]string{"<tool_response>", "</tool_response>"}
	f.Example = "<tool_call>$TOOL_NAME<arg_key>$PARAMETER_NAME</arg_key><arg_value>$PARAMETER_VALUE</arg_value>...</tool_call>\n"
	f.Words = glmWords("<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>" +
		"<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>")
}

// LongCat and Hy write GLM's calls with other tag names. Hy writes all calls of a turn in one
// block, and its results too. Before Hy 4, it writes a tag after the name of the tool.
var (
	longcatCalls = GLMCalls.vary("longcat", func(f *Format) {
		f.Words = [2]string{} // of its template nothing is known
		f.Spelling, f.also = longcatTags, []*markup.Spelling{glmTags, hyTags, longcatJSON, hyJSON}
		f.Protects |= markup.TagLongCat
		f.StopSequence, f.CallOpener, f.CallCloser = "<longcat_tool_response>", "<longcat_arg_key>", "</longcat_tool_call>"
		f.renameTags(strings.NewReplacer("<tool_call>", "<longcat_tool_call>", "</tool_call>", "</longcat_tool_call>",
			"<arg_", "<longcat_arg_", "</arg_", "</longcat_arg_", "tool_response>", "longcat_tool_response>"))
	}, "longcat")
	hyCalls = GLMCalls.vary("hy-3", func(f *Format) {
		f.writeAsHy()
		f.Shape.Call[1] = "<tool_sep:opensource>\n"
	}, "hy-v3", "hy3")
	hy4Calls = GLMCalls.vary("hy-4", (*Format).writeAsHy, "hy-v4")
)

func (f *Format) writeAsHy() {
	f.Words = [2]string{}
	f.Spelling, f.also = hyTags, []*markup.Spelling{glmTags, longcatTags, longcatJSON, hyJSON}
	f.Protects |= markup.TagHy
	f.ToolsLast, f.Shape.empty = true, ""
	f.StopSequence, f.ImpliedEnd = "</tool_calls:opensource>", "</tool_calls:opensource>"
	f.CallOpener, f.CallCloser = "<arg_key:opensource>", f.StopSequence
	f.BeforeCalls, f.AfterCalls = "<tool_calls:opensource>\n", f.StopSequence
	f.BeforeResults, f.AfterResults = "<tool_responses:opensource>\n", "</tool_responses:opensource>"
	f.ExampleNote = func(l *language.Language) string { return l.PlainValues + "\n" + l.OneSection }
	f.renameTags(strings.NewReplacer(">", ":opensource>"))
}

// renameTags renames the tags of calls and results.
func (f *Format) renameTags(names *strings.Replacer) {
	for _, parts := range []*[3]string{&f.Shape.Call, &f.Shape.Param} {
		for i, part := range parts {
			parts[i] = names.Replace(part)
		}
	}
	f.Shape.empty = names.Replace(f.Shape.empty)
	f.Result = [2]string{names.Replace(f.Result[0]), names.Replace(f.Result[1])}
}
