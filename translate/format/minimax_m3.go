package format

import "dragoman/translate/markup"

// minimaxM3Calls is the format of MiniMax M3: elements of the names of parameters, and of what lies in these,
// with a mark before each tag (docs/reference/formats.md §5b). Calls are read in it, and no model is asked in
// it: it needs code (tagged/nested.go), and whether servers leave its mark in is not known.
var minimaxM3Calls = &Format{
	Name:          "minimax-m3",
	ReadOnly:      true,
	Models:        []string{"minimax-m3"},
	thinking:      []thinkingMarks{{Opens: "<mm:think>", Closes: "</mm:think>"}},
	opensThinking: []string{"minimax-m3"},
	Spelling: &markup.Spelling{
		Begins: []string{markup.Mark + "<"},
		Closes: []string{markup.Mark + "</"},
		Bare:   true,
		Nested: true,
		Tags: []markup.Spelled{
			{Name: "tool_call", Means: markup.Wrapper},
			{Name: "invoke", Means: markup.Invoke, Label: markup.LabelAttribute},
			{Name: "parameter", Means: markup.Parameter, Label: markup.LabelAttribute},
		},
	},
}
