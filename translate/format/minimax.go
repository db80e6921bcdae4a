package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
)

// MiniMaxCalls is the format of MiniMax M2: the attribute format in another wrapper
// (docs/reference/formats.md §5). The parser reads the wrapper as the attribute format's own with a
// namespace.
var MiniMaxCalls = shaped(Format{
	Name:          MiniMax,
	Models:        []string{"minimax-m2"},
	opensThinking: []string{"minimax-m2"},
	StopSequence:  "</minimax:tool_call>",
	ImpliedEnd:    "</minimax:tool_call>",
	CallOpener:    "<invoke name=",
	CallCloser:    "</minimax:tool_call>",
	Protects:      markup.TagResponse | markup.TagTool,
	unbracketed:   true,
	also:          []*markup.Spelling{minimaxM3Calls.Spelling}, // the next model of the family
	Shape: shape{
		Call:   attributeShape.Call,
		Param:  attributeShape.Param,
		second: "$PARAMETER_VALUE_2",
	},

	ToolsLast:   true,
	Heading:     "# Tools\n\n",
	ExampleLast: true,
	ExampleNote: func(l *language.Language) string { return l.PlainValues + "\n" + l.OneSection },
	spaced:      true,
	thinkTag:    "think",
	BeforeTools: "<tools>\n",
	AfterTools:  "</tools>",
	tool:        [2]string{"<tool>", "</tool>\n"},
	BeforeCalls: "<minimax:tool_call>\n",
	AfterCalls:  "</minimax:tool_call>",
	Result:      [2]string{"<response>", "</response>\n"},
})
