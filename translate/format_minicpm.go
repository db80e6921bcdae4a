package translate

import "dragoman/translate/markup"

// minicpmCalls is the format of MiniCPM5: elements without a wrapper, in which a value may stand in a
// CDATA section (docs/reference/formats.md §13).
var minicpmCalls = shaped(format{
	name:         FormatMiniCPM,
	models:       []string{"minicpm5", "minicpm-5"},
	stopSequence: "<tool_response>",
	callOpener:   "<function name=",
	callCloser:   "</function>",
	protects:     markup.TagFunction | markup.TagParam | markup.TagToolResponse,
	shape: shape{
		call:     [3]string{`<function name="`, "\">", "</function>\n"},
		param:    [3]string{`<param name="`, `">`, "</param>"},
		sections: true,
	},
	spelling: &markup.Spelling{Bare: true, CDATA: true, Tags: []markup.Spelled{
		{Name: "function", Means: markup.Invoke, Label: markup.LabelAttribute},
		{Name: "functionname", Means: markup.Invoke, Label: markup.LabelAssigned}, // the space is lost, or a token that is shown as it is kept
		{Name: "functionĠname", Means: markup.Invoke, Label: markup.LabelAssigned},
		{Name: "paramname", Means: markup.Parameter, Label: markup.LabelAssigned},
		{Name: "paramĠname", Means: markup.Parameter, Label: markup.LabelAssigned},
		{Name: "param", Means: markup.Parameter, Label: markup.LabelAttribute},
	}},

	toolsLast:   true,
	heading:     "# Tools\n\n",
	exampleLast: true,
	example: `<function name="$TOOL_NAME"><param name="$PARAMETER_NAME">$PARAMETER_VALUE</param>` +
		"<param name=\"$PARAMETER_NAME_2\"><![CDATA[$FIRST_LINE\n$SECOND_LINE]]></param>...</function>\n",
	exampleNote: (*language).rawBlocks,
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,
	thinkTag:    "think",
	result:      [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})
