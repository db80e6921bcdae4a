package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
)

// harmonyCalls is the format of gpt-oss. The model writes a list of messages. Each has a header
// with its channel and, for a call, its tool (docs/reference/formats.md §7). The parts of a header
// may come in any order, so the parser has code of its own for headers. The input of a call is JSON.
var harmonyCalls = shaped(Format{
	Name:         Harmony,
	Models:       []string{"gpt-oss"},
	erased:       true,
	channels:     true,
	StopSequence: "<|start|>functions.", // the start of a call's result
	CallOpener:   "to=functions.",
	CallCloser:   harmonyCall,
	Protects:     markup.TagMarker | markup.TagToolResponse,
	Shape: shape{Call: [3]string{
		"<|start|>assistant<|channel|>commentary to=functions.", " <|constrain|>json<|message|>", harmonyCall + "\n",
	}},
	Spelling: HarmonySpelling,

	ToolsLast:    true,
	Heading:      "# Tools\n\n",
	ExampleLast:  true,
	ExampleNote:  func(l *language.Language) string { return l.JsonBlocks },
	BeforeTools:  "## functions\n\nnamespace functions {\n\n",
	AfterTools:   "\n\n} // namespace functions",
	BetweenTools: "\n\n",
	describeTool: (*ToolWriter).writeTypeScript,
	spaced:       true,
	Result:       [2]string{"<|start|>functions.ID to=assistant<|channel|>commentary<|message|>", "<|end|>"},
})

// harmonyCall is the marker after a call. Servers take it for the end of the answer.
const harmonyCall = "<|call|>"

// HarmonySpelling has the markers that begin headers and the markers that end messages.
var HarmonySpelling = &markup.Spelling{JSON: true, Tags: []markup.Form{
	{Name: "|start|", Means: markup.Wrapper},
	{Name: "|channel|", Means: markup.Wrapper},
	{Name: "|call|", Means: markup.Wrapper, Closing: true},
	{Name: "|end|", Means: markup.Wrapper, Closing: true},
	{Name: "|return|", Means: markup.Wrapper, Closing: true},
}}
