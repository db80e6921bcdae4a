package format

import "dragoman/translate/markup"

// MiniCPMCalls is the format of MiniCPM5: elements without a wrapper, in which a value may stand in a
// CDATA section (docs/reference/formats.md §13). Where tags show Ġ for a space, so may values.
var MiniCPMCalls = shaped(Format{
	Name:         MiniCPM,
	Models:       []string{"minicpm5", "minicpm-5"},
	StopSequence: "<tool_response>",
	CallOpener:   "<function name=",
	CallCloser:   "</function>",
	Protects:     markup.TagFunction | markup.TagParam | markup.TagToolResponse,
	Shape: shape{
		Call:     [3]string{`<function name="`, "\">", "</function>\n"},
		Param:    [3]string{`<param name="`, `">`, "</param>"},
		sections: true,
	},
	Spelling: &markup.Spelling{Bare: true, CDATA: true, Tags: []markup.Spelled{
		{Name: "function", Means: markup.Invoke, Label: markup.LabelAttribute},
		{Name: "functionname", Means: markup.Invoke, Label: markup.LabelAssigned}, // the space is lost, or a token that is shown as it is kept
		{Name: "functionĠname", Means: markup.Invoke, Label: markup.LabelAssigned},
		{Name: "paramname", Means: markup.Parameter, Label: markup.LabelAssigned},
		{Name: "paramĠname", Means: markup.Parameter, Label: markup.LabelAssigned},
		{Name: "param", Means: markup.Parameter, Label: markup.LabelAttribute},
	}},

	ToolsLast:   true,
	Heading:     "# Tools\n\n",
	ExampleLast: true,
	Example: `<function name="$TOOL_NAME"><param name="$PARAMETER_NAME">$PARAMETER_VALUE</param>` +
		"<param name=\"$PARAMETER_NAME_2\"><![CDATA[$FIRST_LINE\n$SECOND_LINE]]></param>...</function>\n",
	ExampleNote: rawBlocks,
	BeforeTools: "<tools>\n",
	AfterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,
	thinkTag:    "think",
	Result:      [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})
