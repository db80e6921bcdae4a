package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// mistralCalls is the format of Mistral's models since Devstral 2507: markers in brackets around
// the name of the tool, then the input as JSON, which ends the call (docs/reference/formats.md §8).
// The parser also reads the calls of older models: with an id after the name, or as a list.
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

// bracketTags are the tags of Mistral's calls.
var bracketTags = &markup.Spelling{JSON: true, Lists: true, Endless: true, Begin: "[", End: "]", Tags: []markup.Form{
	{Name: "TOOL_CALLS", Means: markup.Wrapper, Ahead: []string{"[", "{"}},
	{Name: "TOOL_CALLS", Means: markup.Invoke, After: []string{markup.Label, "[ARGS]"}},
	{Name: "TOOL_CALLS", Means: markup.Invoke, After: []string{markup.Label, "[CALL_ID]", markup.CallID, "[ARGS]"}},
}, Slips: []markup.Slip{{
	Name: messages.ReasonMissingSeparator, About: "the marker before the input is missing",
	Example: `[TOOL_CALLS]f{"a": "1", "b": "2"}`,
	Form:    markup.Form{Name: "TOOL_CALLS", Means: markup.Invoke, After: []string{markup.Label}, Ahead: []string{"{"}},
}, {
	Name: messages.ReasonMissingSeparator, About: "the marker between an id and the input is missing",
	Example: `[TOOL_CALLS]f[CALL_ID]abc123def{"a": "1", "b": "2"}`,
	Form:    markup.Form{Name: "TOOL_CALLS", Means: markup.Invoke, After: []string{markup.Label, "[CALL_ID]", markup.CallID}, Ahead: []string{"{"}},
}}}
