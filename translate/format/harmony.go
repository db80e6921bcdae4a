package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
)

// harmonyCalls is the format of gpt-oss: what a model writes is a list of messages, each with a header that
// says on which channel it is and, of a call, to which tool it goes (docs/reference/formats.md §7). Its
// headers are read by parse_channels.go, since their parts stand in any order; the input of a call is JSON.
var harmonyCalls = shaped(Format{
	Name:         Harmony,
	Models:       []string{"gpt-oss"},
	erased:       true,
	channels:     true,
	StopSequence: "<|start|>functions.", // the result of a call
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

// harmonyCall is the marker behind a call. Servers take it for the end of the answer.
const harmonyCall = "<|call|>"

// HarmonySpelling has the markers that begin headers and those that end messages.
var HarmonySpelling = &markup.Spelling{JSON: true, Tags: []markup.Spelled{
	{Name: "|start|", Means: markup.Wrapper},
	{Name: "|channel|", Means: markup.Wrapper},
	{Name: "|call|", Means: markup.Wrapper, Closing: true},
	{Name: "|end|", Means: markup.Wrapper, Closing: true},
	{Name: "|return|", Means: markup.Wrapper, Closing: true},
}}
