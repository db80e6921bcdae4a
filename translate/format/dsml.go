package format

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// DSMLCalls is the format of DeepSeek V3.2 and V4: the tags of the attribute format, with a marker
// before each name. An attribute says whether a value is a string (docs/reference/formats.md §3).
var DSMLCalls = shaped(Format{
	Name:         DSML,
	Models:       []string{"deepseek-v3.2", "deepseek.v3.2", "deepseek-v4", "deepseek.v4"},
	StopSequence: "</｜DSML｜tool_calls>",
	ImpliedEnd:   "</｜DSML｜tool_calls>",
	CallOpener:   "<｜DSML｜invoke name=",
	CallCloser:   "</｜DSML｜tool_calls>",
	Protects:     markup.TagMarker | markup.TagToolResult | markup.TagFunctions,
	Shape: shape{
		Call:  [3]string{`<｜DSML｜invoke name="`, "\">\n", "</｜DSML｜invoke>\n"},
		Param: [3]string{`<｜DSML｜parameter name="`, `" string="true">`, "</｜DSML｜parameter>\n"},
		other: `" string="false">`,
	},
	Spelling: &markup.Spelling{
		Begin: "<｜DSML｜",
		Close: "</｜DSML｜",
		Signs: true,
		Bare:  true,
		Plain: true,
		Typed: "string",
		Tags: []markup.Form{
			{Name: "tool_calls", Means: markup.Wrapper},
			{Name: "function_calls", Means: markup.Wrapper},
			{Name: "invoke", Means: markup.Invoke, Label: markup.LabelAttribute},
			{Name: "parameter", Means: markup.Parameter, Label: markup.LabelAttribute},
		},
		Slips: dsmlSlips(),
	},
	also: []*markup.Spelling{deepseekCalls.Spelling}, // V3.2 also writes these, because of some servers' prompts

	ToolsLast: true,
	Words: [2]string{`## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<｜DSML｜tool_calls>" block like the following:

<｜DSML｜tool_calls>
<｜DSML｜invoke name="$TOOL_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$TOOL_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜tool_calls>

` + "String parameters should be specified as is and set `string=\"true\"`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set `string=\"false\"`." + `

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

`, "\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.\n"},
	tool:        [2]string{"", "\n"},
	spaced:      true,
	thinkTag:    "think",
	BeforeCalls: "<｜DSML｜tool_calls>\n",
	AfterCalls:  "</｜DSML｜tool_calls>",
	Result:      [2]string{"<tool_result>", "</tool_result>\n\n"},
})

// V3.2 has another name for its blocks, and frames around tools and results.
var dsmlV32Calls = DSMLCalls.vary("deepseek-v3.2", func(f *Format) {
	f.StopSequence = "</｜DSML｜function_calls>"
	f.ImpliedEnd = f.StopSequence
	f.CallCloser = f.StopSequence
	f.BeforeCalls, f.AfterCalls = "<｜DSML｜function_calls>\n", f.StopSequence
	f.Words = [2]string{`## Tools
You have access to a set of tools you can use to answer the user's question.
You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your reply to the user:
<｜DSML｜function_calls>
<｜DSML｜invoke name="$FUNCTION_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$FUNCTION_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜function_calls>
String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for other types (numbers, booleans, arrays, objects).
If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. Here is an example:
<｜DSML｜function_calls>
...
</｜DSML｜function_calls>
<function_results>
...
</function_results>
<think>...thinking about results</think>
Here are the functions available in JSONSchema format:
`, "\n"}
	f.BeforeTools, f.AfterTools = "<functions>\n", "</functions>"
	f.BeforeResults, f.AfterResults = resultsStart, resultsEnd
	f.Result = [2]string{"<result>", "</result>\n"}
}, "deepseek-v3.2", "deepseek.v3.2")

// dsmlSlips are the other names of the wrapper that models write, and closing tags with the slash
// after the marker.
func dsmlSlips() (list []markup.Slip) {
	const example = `<｜DSML｜tool_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter>` +
		`<｜DSML｜parameter name="b" string="true">2</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>`
	for _, name := range [...]string{"toolcalls", "tool_call", "toolcall", "calls", "tool_use"} {
		list = append(list, markup.Slip{
			Name: messages.ReasonTagSpelling, About: "the wrapper has another name: " + name,
			Example: strings.ReplaceAll(example, "tool_calls", name),
			Form:    markup.Form{Name: name, Means: markup.Wrapper},
		})
	}
	for means, name := range [...]string{markup.Wrapper: "tool_calls", markup.Invoke: "invoke", markup.Parameter: "parameter"} {
		list = append(list, markup.Slip{
			Name: messages.ReasonTagSpelling, About: "the slash of a closing tag is after the marker: " + name,
			Example: strings.ReplaceAll(example, "</｜DSML｜"+name, "<｜DSML｜/"+name),
			Form:    markup.Form{Name: "/" + name, Means: markup.Meaning(means), Closing: true},
		})
	}
	return list
}
