package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// GemmaCalls is the format of Gemma 4: literals in a syntax of its own, between markers
// (docs/reference/formats.md §9). The parser also reads FunctionGemma's format, which has other
// markers. The format needs states of its own in the parser (package answer), because no tag
// marks the end of a value or a call.
var GemmaCalls = (&Format{
	Name:         Gemma,
	Models:       []string{"gemma-4", "gemma4", "functiongemma"},
	erased:       true,
	thinking:     []thinkingMarks{{Opens: "<|channel>thought", Closes: "<channel|>"}},
	StopSequence: "<|tool_response>",
	Protects:     markup.TagMarker | markup.TagToolResponse | markup.TagTool,
	literal:      GemmaLiteral,
	Spelling: &markup.Spelling{Tags: []markup.Form{
		{Name: "|tool_call", Means: markup.Wrapper},
		{Name: "tool_call|", Means: markup.Wrapper, Closing: true},
		{Name: "start_function_call", Means: markup.Wrapper},
		{Name: "end_function_call", Means: markup.Wrapper, Closing: true},
	}, Slips: []markup.Slip{{
		Name: messages.ReasonTagSpelling, About: "the marker after a call begins with a bar too",
		Example: `<|tool_call>call:f{a:<|"|>1<|"|>,b:<|"|>2<|"|>}<|tool_call|>`,
		Form:    markup.Form{Name: "|tool_call|", Means: markup.Wrapper, Closing: true},
	}}},

	ExampleNote: func(l *language.Language) string { return l.JsonBlocks },
	ToolsLast:   true,
}).with(&Gemma4Marks)

// functionGemmaCalls is the variant for FunctionGemma, which has other markers.
var functionGemmaCalls = GemmaCalls.vary("functiongemma", func(f *Format) {
	f.StopSequence = "<start_function_response>"
	f.Protects |= markup.TagFunctionGemma
	f.with(&FunctionGemmaMarks)
}, "functiongemma")

var (
	Gemma4Marks = gemmaMarks{
		declaration: [2]string{"<|tool>declaration:", "<tool|>"},
		Call:        [2]string{"<|tool_call>" + GemmaCall, "<tool_call|>"},
		response:    [2]string{"<|tool_response>response:", "<tool_response|>"},
		quote:       GemmaQuote,
	}
	FunctionGemmaMarks = gemmaMarks{
		declaration: [2]string{"<start_function_declaration>declaration:", "<end_function_declaration>"},
		Call:        [2]string{"<start_function_call>" + GemmaCall, "<end_function_call>"},
		response:    [2]string{"<start_function_response>response:", "<end_function_response>"},
		quote:       GemmaEscape,
	}
)

// with fills in everything that depends on the markers of a version of Gemma.
func (f *Format) with(m *gemmaMarks) *Format {
	f.CallOpener, f.CallCloser = m.Call[0], m.Call[1]
	f.Example = m.Call[0] + "$TOOL_NAME{$PARAMETER_NAME:" + m.quote + "$PARAMETER_VALUE" + m.quote + ",$PARAMETER_NAME:$PARAMETER_VALUE,...}" + m.Call[1] + "\n"
	f.describeTool, f.WriteCall = m.describe, m.writeCall
	f.CallPrefill = func(name string, _ int) string {
		if name == "" {
			return m.Call[0]
		}
		return m.Call[0] + name + "{"
	}
	f.Result = [2]string{m.response[0] + "ID{value:" + m.quote, m.quote + "}" + m.response[1]}
	return f
}
