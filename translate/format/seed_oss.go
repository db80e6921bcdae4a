package format

import "dragoman/translate/markup"

// SeedCalls is the format of Seed-OSS, which has another block and writes values directly between
// their tags (docs/reference/formats.md §1b). Its template shows tools as Python or, as here, as a
// list with their schemas. The template has a role for results. This format writes results in
// blocks.
var SeedCalls = shaped(Format{
	Name:         SeedOSS,
	Models:       []string{"seed-oss"},
	StopSequence: "<tool_response>",
	CallOpener:   "<function=",
	CallCloser:   "</seed:tool_call>",
	Protects:     markup.TagFunction | markup.TagToolResponse,
	Shape: shape{
		Call:  [3]string{"<seed:tool_call>\n<function=", ">\n", "</function>\n</seed:tool_call>\n"},
		Param: [3]string{"<parameter=", ">", "</parameter>\n"},
	},
	Spelling: &markup.Spelling{Tags: append([]markup.Form{{Name: "seed:tool_call", Means: markup.Wrapper}}, functionTags...), Slips: functionSlips},

	ToolsLast: true,
	Words: [2]string{"Tool List:\n", `
工具调用请遵循如下格式:
<seed:tool_call>
<function=example_function_name>
<parameter=example_parameter_1>value_1</parameter>
<parameter=example_parameter_2>This is the value for the second parameter
that can span
multiple lines</parameter>
</function>
</seed:tool_call>
`},
	BeforeTools:  "[",
	AfterTools:   "]",
	tool:         listedTool,
	BetweenTools: ", ",
	spaced:       true,
	python:       pythonAll,
	thinkTag:     "seed:think",
	Result:       [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})
