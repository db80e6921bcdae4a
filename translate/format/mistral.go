package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
)

// mistralCalls is the format of Mistral's models since Devstral 2507: markers in brackets around the name
// of the tool, and the input as JSON, with which a call ends (docs/reference/formats.md §8). Those of
// older models are read, too: an id behind the name, and lists of calls.
var mistralCalls = shaped(Format{
	Name:         Mistral,
	Models:       []string{"mistral", "mixtral", "ministral", "devstral", "magistral", "pixtral", "codestral"},
	erased:       true,
	thinking:     []thinkingMarks{{Opens: "[THINK]", Closes: "[/THINK]"}},
	StopSequence: "[TOOL_RESULTS]",
	CallOpener:   "[TOOL_CALLS]",
	CallCloser:   "[ARGS]",
	Protects:     markup.TagBracket,
	Shape:        shape{Call: [3]string{"[TOOL_CALLS]", "[ARGS]", ""}},
	Spelling:     bracketTags,
	alone:        []string{"[", AloneName},

	ExampleLast:  true,
	ExampleNote:  func(l *language.Language) string { return l.JsonBlocks },
	BeforeTools:  "[AVAILABLE_TOOLS][",
	AfterTools:   "][/AVAILABLE_TOOLS]",
	tool:         listedTool,
	BetweenTools: ", ",
	spaced:       true,
	Result:       [2]string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]"},
})

// bracketTags are its tags.
var bracketTags = &markup.Spelling{JSON: true, Lists: true, Endless: true, Begins: []string{"["}, End: "]", Tags: []markup.Spelled{
	{Name: "TOOL_CALLS", Means: markup.Invoke, Label: markup.LabelAfter, Wraps: true, ID: []string{"[CALL_ID]"}, Then: []string{"[ARGS]"}},
}}
