package format

import "dragoman/translate/markup"

// MiniCPMCalls is the format of MiniCPM5: elements without a wrapper. A value may be in a CDATA
// section (docs/reference/formats.md §13). If the tags have Ġ for a space, the values may have it
// too.
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
		// The space is lost, or the token that spells it is kept.
		{Name: "functionname", Means: markup.Invoke, Label: markup.LabelAssigned},
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
