package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// gemmaCalls is the format of Gemma 4, in a literal syntax of its own between markers
// (docs/reference/formats.md §9); that of FunctionGemma, which has others, is read, too. It has states of
// its own (parse_literal.go), since no tag says where a value or a call ends.
var gemmaCalls = &format{
	name:         FormatGemma,
	models:       []string{"gemma-4", "gemma4", "functiongemma"},
	erased:       true,
	thinking:     thinkingMarks{"<|channel>thought", "<channel|>"},
	stopSequence: "<|tool_response>",
	callOpener:   gemmaOpens,
	callCloser:   gemmaCloses,
	protects:     markup.TagMarker | markup.TagToolResponse | markup.TagTool,
	literal:      gemmaLiteral,
	spelling: &markup.Spelling{Tags: []markup.Spelled{
		{Name: "|tool_call", Means: markup.Wrapper},
		{Name: "tool_call|", Means: markup.Wrapper, Closing: true},
		{Name: "start_function_call", Means: markup.Wrapper},
		{Name: "end_function_call", Means: markup.Wrapper, Closing: true},
	}},

	example:      gemmaOpens + "$TOOL_NAME{$PARAMETER_NAME:" + gemmaQuote + "$PARAMETER_VALUE" + gemmaQuote + ",$PARAMETER_NAME:$PARAMETER_VALUE,...}" + gemmaCloses + "\n",
	exampleNote:  func(l *language) string { return l.jsonBlocks },
	describeTool: (*toolWriter).writeGemmaTool,
	toolsLast:    true,

	appendCall: appendGemmaCall,
	callPrefill: func(name string, _ int) string {
		if name == "" {
			return gemmaOpens
		}
		return gemmaOpens + name + "{"
	},

	result: [2]string{"<|tool_response>response:ID{value:" + gemmaQuote, gemmaQuote + "}<tool_response|>\n"},
}

// What stands around a call.
const (
	gemmaOpens  = "<|tool_call>" + gemmaCall
	gemmaCloses = "<tool_call|>"
)

// appendGemmaCall is [format.appendCall]. Where a parameter cannot be written so that the parser reads it
// back, all stand as one JSON object.
func appendGemmaCall(e *markup.Escaper, dst []byte, name string, _ int, input jsontext.Value, s *schema.Schema) []byte {
	dst = e.AppendText(append(dst, gemmaOpens...), name)
	literal := takesGemma(input)
	for name, value := range rawjson.NamedMembers(input) {
		literal = literal && sameJSON(retype(s, name, value), value)
	}
	if literal {
		dst = appendGemma(dst, input, e.AppendText)
	} else {
		dst = e.AppendText(dst, rawjson.CompactString(input))
	}
	return append(dst, gemmaCloses+"\n"...)
}
