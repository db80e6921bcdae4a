package translate

import "dragoman/translate/markup"

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
		Marker:      "DSML",
		Begins:      []string{"<｜DSML｜"},
		Closes:      []string{"</｜DSML｜"},
		Bare:        true,
		ClosedTwice: true,
		Plain:       true,
		Typed:       "string",
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

	heading:     "## Tools\n\n",
	exampleNote: func(l *language) string { return l.typedValues },
	beforeTools: "<functions>\n",
	afterTools:  "</functions>",
	tool:        [2]string{"", "\n"},
	beforeCalls: "<｜DSML｜tool_calls>\n",
	afterCalls:  "</｜DSML｜tool_calls>",
	result:      [2]string{"<tool_result>", "</tool_result>\n"},
})
