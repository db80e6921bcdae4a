package translate

import "dragoman/translate/markup"

// harmonyCalls is the format of gpt-oss: what a model writes is a list of messages, each with a header that
// says on which channel it is and, of a call, to which tool it goes (docs/reference/formats.md §7). Its
// headers are read by parse_channels.go, since their parts stand in any order; the input of a call is JSON.
var harmonyCalls = shaped(format{
	name:         FormatHarmony,
	models:       []string{"gpt-oss"},
	erased:       true,
	channels:     true,
	stopSequence: "<|start|>functions.", // the result of a call
	callOpener:   "to=functions.",
	callCloser:   harmonyCall,
	protects:     markup.TagMarker | markup.TagToolResponse,
	shape: shape{call: [3]string{
		"<|start|>assistant<|channel|>commentary to=functions.", " <|constrain|>json<|message|>", harmonyCall + "\n",
	}},
	spelling: harmonySpelling,

	toolsLast:   true,
	heading:     "# Tools\n\n",
	exampleLast: true,
	exampleNote: func(l *language) string { return l.jsonBlocks },
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,
	result:      [2]string{"<|start|>functions.ID to=assistant<|channel|>commentary<|message|>", "<|end|>"},
})

// harmonyCall is the marker behind a call. Servers take it for the end of the answer.
const harmonyCall = "<|call|>"

// harmonySpelling has the markers that begin headers and those that end messages.
var harmonySpelling = &markup.Spelling{JSON: true, Tags: []markup.Spelled{
	{Name: "|start|", Means: markup.Wrapper},
	{Name: "|channel|", Means: markup.Wrapper},
	{Name: "|call|", Means: markup.Wrapper, Closing: true},
	{Name: "|end|", Means: markup.Wrapper, Closing: true},
	{Name: "|return|", Means: markup.Wrapper, Closing: true},
}}
