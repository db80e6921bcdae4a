package translate

import "dragoman/translate/markup"

// gemmaCalls is the format of Gemma 4, in a literal syntax of its own between markers
// (docs/reference/formats.md §9); that of FunctionGemma, which has others, is read, too. It has states of
// its own (parse_literal.go), since no tag says where a value or a call ends.
var gemmaCalls = (&format{
	name:         FormatGemma,
	models:       []string{"gemma-4", "gemma4", "functiongemma"},
	erased:       true,
	thinking:     []thinkingMarks{{opens: "<|channel>thought", closes: "<channel|>"}},
	stopSequence: "<|tool_response>",
	protects:     markup.TagMarker | markup.TagToolResponse | markup.TagTool,
	literal:      gemmaLiteral,
	spelling: &markup.Spelling{Tags: []markup.Spelled{
		{Name: "|tool_call", Means: markup.Wrapper},
		{Name: "tool_call|", Means: markup.Wrapper, Closing: true},
		{Name: "|tool_call|", Means: markup.Wrapper, Closing: true},
		{Name: "start_function_call", Means: markup.Wrapper},
		{Name: "end_function_call", Means: markup.Wrapper, Closing: true},
	}},

	exampleNote: func(l *language) string { return l.jsonBlocks },
	toolsLast:   true,
}).with(&gemma4Marks)

// FunctionGemma has other markers.
var functionGemmaCalls = gemmaCalls.vary("functiongemma", func(f *format) {
	f.stopSequence = "<start_function_response>"
	f.protects |= markup.TagFunctionGemma
	f.with(&functionGemmaMarks)
}, "functiongemma")

var (
	gemma4Marks = gemmaMarks{
		declaration: [2]string{"<|tool>declaration:", "<tool|>"},
		call:        [2]string{"<|tool_call>" + gemmaCall, "<tool_call|>"},
		response:    [2]string{"<|tool_response>response:", "<tool_response|>"},
		quote:       gemmaQuote,
	}
	functionGemmaMarks = gemmaMarks{
		declaration: [2]string{"<start_function_declaration>declaration:", "<end_function_declaration>"},
		call:        [2]string{"<start_function_call>" + gemmaCall, "<end_function_call>"},
		response:    [2]string{"<start_function_response>response:", "<end_function_response>"},
		quote:       gemmaEscape,
	}
)

// with sets what follows from the markers of a version of Gemma.
func (f *format) with(m *gemmaMarks) *format {
	f.callOpener, f.callCloser = m.call[0], m.call[1]
	f.example = m.call[0] + "$TOOL_NAME{$PARAMETER_NAME:" + m.quote + "$PARAMETER_VALUE" + m.quote + ",$PARAMETER_NAME:$PARAMETER_VALUE,...}" + m.call[1] + "\n"
	f.describeTool, f.appendCall = m.describe, m.appendCall
	f.callPrefill = func(name string, _ int) string {
		if name == "" {
			return m.call[0]
		}
		return m.call[0] + name + "{"
	}
	f.result = [2]string{m.response[0] + "ID{value:" + m.quote, m.quote + "}" + m.response[1]}
	return f
}
