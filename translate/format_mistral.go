package translate

import "dragoman/translate/markup"

// mistralCalls is the format of Mistral's models since Devstral 2507: markers in brackets around the name
// of the tool, and the input as JSON, with which a call ends (docs/reference/formats.md §8). Those of
// older models are read, too: an id behind the name, and lists of calls.
var mistralCalls = shaped(format{
	name:         FormatMistral,
	models:       []string{"mistral", "mixtral", "ministral", "devstral", "magistral", "pixtral", "codestral"},
	erased:       true,
	thinking:     []thinkingMarks{{opens: "[THINK]", closes: "[/THINK]"}},
	stopSequence: "[TOOL_RESULTS]",
	callOpener:   "[TOOL_CALLS]",
	callCloser:   "[ARGS]",
	protects:     markup.TagBracket,
	shape:        shape{call: [3]string{"[TOOL_CALLS]", "[ARGS]", ""}},
	spelling:     bracketTags,
	alone:        []string{"[", aloneName},

	exampleLast:  true,
	exampleNote:  func(l *language) string { return l.jsonBlocks },
	beforeTools:  "[AVAILABLE_TOOLS][",
	afterTools:   "][/AVAILABLE_TOOLS]",
	tool:         listedTool,
	betweenTools: ", ",
	spaced:       true,
	result:       [2]string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]"},
})

// bracketTags are its tags.
var bracketTags = &markup.Spelling{JSON: true, Lists: true, Endless: true, Begins: []string{"["}, End: "]", Tags: []markup.Spelled{
	{Name: "TOOL_CALLS", Means: markup.Invoke, Label: markup.LabelAfter, Wraps: true, ID: []string{"[CALL_ID]"}, Then: []string{"[ARGS]"}},
}}
