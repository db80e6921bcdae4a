package format

import "dragoman/translate/markup"

// minimaxM3Calls is the format of MiniMax M3: elements named after parameters and after the members
// of their values, with a mark before each tag (docs/reference/formats.md §5b). The parser reads
// it, but no model is asked in it: writing it would need code (tagged/nested.go), and nobody knows
// whether servers keep the marks.
var minimaxM3Calls = &Format{
	Name:          "minimax-m3",
	ReadOnly:      true,
	Models:        []string{"minimax-m3"},
	thinking:      []thinkingMarks{{Opens: "<mm:think>", Closes: "</mm:think>"}},
	opensThinking: []string{"minimax-m3"},
	Spelling: &markup.Spelling{
		Begin:  markup.Mark + "<",
		Close:  markup.Mark + "</",
		Bare:   true,
		Nested: true,
		Tags: []markup.Form{
			{Name: "tool_call", Means: markup.Wrapper},
			{Name: "invoke", Means: markup.Invoke, Label: markup.LabelAttribute},
			{Name: "parameter", Means: markup.Parameter, Label: markup.LabelAttribute},
		},
	},
}
