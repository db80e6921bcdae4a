package translate

import "dragoman/translate/markup"

// minimaxCalls is the format of MiniMax M2: the attribute format in another wrapper
// (docs/reference/formats.md §5), which is read as one of ours behind a namespace.
var minimaxCalls = shaped(format{
	name:          FormatMiniMax,
	models:        []string{"minimax-m2"},
	opensThinking: []string{"minimax-m2"},
	stopSequence:  "</minimax:tool_call>",
	impliedEnd:    "</minimax:tool_call>",
	callOpener:    "<invoke name=",
	callCloser:    "</minimax:tool_call>",
	protects:      markup.TagResponse | markup.TagTool,
	unbracketed:   true,
	also:          []*markup.Spelling{minimaxM3Calls.spelling}, // the next model of the family
	shape: shape{
		call:   attributeShape.call,
		param:  attributeShape.param,
		second: "$PARAMETER_VALUE_2",
	},

	toolsLast:   true,
	heading:     "# Tools\n\n",
	exampleLast: true,
	exampleNote: func(l *language) string { return l.plainValues + "\n" + l.oneSection },
	spaced:      true,
	thinkTag:    "think",
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        [2]string{"<tool>", "</tool>\n"},
	beforeCalls: "<minimax:tool_call>\n",
	afterCalls:  "</minimax:tool_call>",
	result:      [2]string{"<response>", "</response>\n"},
})
