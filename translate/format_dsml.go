package translate

import (
	"strings"

	"dragoman/translate/markup"
)

// dsmlCalls is the format of DeepSeek V3.2 and V4: the tags of the attribute format with a marker before
// their names, and with an attribute that says whether a value is a string (docs/reference/formats.md §3).
var dsmlCalls = shaped(format{
	name:         FormatDSML,
	models:       []string{"deepseek-v3.2", "deepseek.v3.2", "deepseek-v4", "deepseek.v4"},
	stopSequence: "</｜DSML｜tool_calls>",
	impliedEnd:   "</｜DSML｜tool_calls>",
	callOpener:   "<｜DSML｜invoke name=",
	callCloser:   "</｜DSML｜tool_calls>",
	protects:     markup.TagMarker | markup.TagToolResult | markup.TagFunctions,
	shape: shape{
		call:  [3]string{`<｜DSML｜invoke name="`, "\">\n", "</｜DSML｜invoke>\n"},
		param: [3]string{`<｜DSML｜parameter name="`, `" string="true">`, "</｜DSML｜parameter>\n"},
		other: `" string="false">`,
	},
	spelling: &markup.Spelling{
		Marker: "DSML",
		Begins: []string{"<｜DSML｜"},
		Closes: []string{"</｜DSML｜"},
		Bare:   true,
		Plain:  true,
		Typed:  "string",
		Tags: []markup.Spelled{
			{Name: "tool_calls", Means: markup.Wrapper},
			{Name: "function_calls", Means: markup.Wrapper},
			{Name: "toolcalls", Means: markup.Wrapper},
			{Name: "tool_call", Means: markup.Wrapper},
			{Name: "calls", Means: markup.Wrapper},
			{Name: "tool_use", Means: markup.Wrapper},
			{Name: "invoke", Means: markup.Invoke, Label: markup.LabelAttribute},
			{Name: "parameter", Means: markup.Parameter, Label: markup.LabelAttribute},
		},
	},

	toolsLast: true,
	heading:   "## Tools\n\n",
	example: `<｜DSML｜tool_calls>
<｜DSML｜invoke name="$TOOL_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$TOOL_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜tool_calls>
`,
	exampleNote: func(l *language) string { return l.typedValues },
	listHeading: "### Available Tool Schemas\n\n",
	tool:        [2]string{"", "\n"},
	closing:     func(l *language) string { return l.fitSchemas },
	spaced:      true,
	thinkTag:    "think",
	beforeCalls: "<｜DSML｜tool_calls>\n",
	afterCalls:  "</｜DSML｜tool_calls>",
	result:      [2]string{"<tool_result>", "</tool_result>\n\n"},
})

// V3.2 has another name for its blocks and frames around tools and results.
var dsmlV32Calls = dsmlCalls.vary("v3.2", func(f *format) {
	f.stopSequence = "</｜DSML｜function_calls>"
	f.impliedEnd = f.stopSequence
	f.callCloser = f.stopSequence
	f.beforeCalls, f.afterCalls = "<｜DSML｜function_calls>\n", f.stopSequence
	f.example = strings.ReplaceAll(f.example, "tool_calls>", "function_calls>")
	f.listHeading, f.closing = "", nil
	f.beforeTools, f.afterTools = "<functions>\n", "</functions>"
	f.beforeResults, f.afterResults = resultsStart, resultsEnd
	f.result = [2]string{"<result>", "</result>\n"}
}, "deepseek-v3.2", "deepseek.v3.2")
