package format

import (
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

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
	Spelling: &markup.Spelling{Bare: true, CDATA: true, Tags: []markup.Form{
		{Name: "function", Means: markup.Invoke, Label: markup.LabelAttribute},
		{Name: "param", Means: markup.Parameter, Label: markup.LabelAttribute},
	}, Slips: slices.Concat(minicpmSlips("", "the space in a tag is lost"), minicpmSlips("Ġ", "the space in a tag is written as its token"))},

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

// minicpmSlips are the tags with another sign in place of the space.
func minicpmSlips(sign, about string) []markup.Slip {
	example := `<function name="f"><param name="a">1</param><param name="b">2</param></function>`
	return []markup.Slip{{
		Name: messages.ReasonTagSpelling, About: about + ": of a call",
		Example: strings.Replace(example, "function ", "function"+sign, 1),
		Form:    markup.Form{Name: "function" + sign + "name", Means: markup.Invoke, Label: markup.LabelAssigned},
	}, {
		Name: messages.ReasonTagSpelling, About: about + ": of a parameter",
		Example: strings.Replace(example, "param ", "param"+sign, 1),
		Form:    markup.Form{Name: "param" + sign + "name", Means: markup.Parameter, Label: markup.LabelAssigned},
	}}
}
