package format

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// PythonicCalls is the format of calls in Python: one list of all calls of a turn, with literals as
// values (docs/reference/formats.md §11). The parser also reads the list between markers, as some
// models write it, and one call per line in an element, as Olmo 3 writes it. The format needs
// states of its own in the parser (package answer), because no tag marks the end of a value or a
// call. Llama 4 also answers in JSON, as Llama 3 does.
var PythonicCalls = &Format{
	Name:         Pythonic,
	Models:       []string{"llama-4", "llama4", "lfm2", "olmo-3", "olmo3", "toolace"},
	StopSequence: "<tool_response>",
	CallOpener:   "[",
	CallCloser:   ")]",
	Protects:     markup.TagMarker | markup.TagToolResponse,
	literal:      PythonLiteral,
	alone:        []string{""},
	Spelling: &markup.Spelling{Tags: []markup.Form{
		{Name: "|python_start|", Means: markup.Wrapper},
		{Name: "|python_end|", Means: markup.Wrapper, Closing: true},
		{Name: "|tool_call_start|", Means: markup.Wrapper},
		{Name: "|tool_call_end|", Means: markup.Wrapper, Closing: true},
	}},

	Example:     "[$TOOL_NAME($PARAMETER_NAME=\"$PARAMETER_VALUE\", $PARAMETER_NAME=$PARAMETER_VALUE, ...), ...]\n",
	BeforeTools: "<tools>\n",
	AfterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,

	BeforeCalls:  "[",
	BetweenCalls: ", ",
	AfterCalls:   "]",
	WriteCall:    pythonStyle{rawjson.AppendAsPython, ", "}.writeCall,
	CallPrefill:  pythonPrefill("["),

	Result: [2]string{"<tool_response>\n", "\n</tool_response>\n"},
}

// LFM2 has its list of tools after the system text, and markers around tools, calls and results.
// LFM2.5 has no markers around the tools. Olmo 3 writes one call per line, with values in JSON.
var (
	lfm2Calls = PythonicCalls.vary("lfm2", func(f *Format) {
		f.writeAsLFM2()
		f.BeforeTools, f.AfterTools = "List of tools: <|tool_list_start|>[", "]<|tool_list_end|>"
	}, "lfm2")
	lfm25Calls = PythonicCalls.vary("lfm2.5", (*Format).writeAsLFM2, "lfm2.5")
	olmoCalls  = PythonicCalls.vary("olmo-3", func(f *Format) {
		f.StopSequence, f.ImpliedEnd = CallsEnd, CallsEnd
		f.CallOpener, f.CallCloser = CallsStart, CallsEnd
		f.Protects |= markup.TagFunctions
		f.describeLast()
		f.BeforeTools, f.AfterTools, f.tool, f.BetweenTools = "<functions>[", "]</functions>", listedTool, ", "
		f.Example = CallsStart + "$TOOL_NAME($PARAMETER_NAME=\"$PARAMETER_VALUE\", $PARAMETER_NAME=$PARAMETER_VALUE, ...)\n..." + CallsEnd + "\n"
		f.BeforeCalls, f.BetweenCalls, f.AfterCalls = CallsStart, "\n", CallsEnd
		f.WriteCall, f.CallPrefill = pythonStyle{appendPlainJSON, "\n"}.writeCall, pythonPrefill(f.BeforeCalls)
	}, "olmo-3", "olmo3")
)

func (f *Format) writeAsLFM2() {
	f.StopSequence = "<|tool_response_start|>"
	f.describeLast()
	f.BeforeTools, f.AfterTools, f.tool, f.BetweenTools = "List of tools: [", "]", [2]string{}, ", "
	f.Example = "<|tool_call_start|>" + strings.TrimSuffix(f.Example, "\n") + "<|tool_call_end|>\n"
	f.BeforeCalls, f.AfterCalls = "<|tool_call_start|>[", "]<|tool_call_end|>"
	f.CallPrefill = pythonPrefill(f.BeforeCalls)
	f.Result = [2]string{"<|tool_response_start|>", "<|tool_response_end|>"}
}

// appendPlainJSON appends a value as JSON whose strings are also valid in Python, because they have
// no needless escapes.
func appendPlainJSON(dst []byte, value jsontext.Value) []byte {
	return rawjson.AppendSpaced(dst, rawjson.Plain(value))
}

// describeLast moves the tools after the system text and before the example, which has all calls of
// a turn in one section.
func (f *Format) describeLast() {
	f.ToolsLast, f.ExampleLast = true, true
	f.ExampleNote = func(l *language.Language) string { return l.OneSection }
}

// pythonPrefill returns a [Format.CallPrefill] that begins with before, the text before the calls
// of a turn.
func pythonPrefill(before string) func(name string, n int) string {
	return func(name string, _ int) string {
		if name == "" {
			return before
		}
		return before + name + "("
	}
}

// pythonStyle is how calls are written: literal appends a value, and between is the text after each
// call.
type pythonStyle struct {
	literal func([]byte, jsontext.Value) []byte
	between string
}

// writeCall is [Format.WriteCall]. If the parser could not read a parameter back by its name, all
// parameters are in a dict: f(**{"a b": 1}).
func (p pythonStyle) writeCall(b *markup.Buffer, name string, _ int, input jsontext.Value, s *schema.Schema) {
	b.WriteText(name).Write("(")
	var text []byte
	for name, value := range rawjson.NamedMembers(input) {
		if !rawjson.IsPythonName(name) || !SameJSON(Retype(s, name, value), value) {
			text = append(p.literal([]byte("**"), rawjson.Compact(input)), ", "...)
			break
		}
		text = append(append(text, name...), '=')
		text = append(p.literal(text, rawjson.Compact(value)), ", "...)
	}
	b.WriteText(strings.TrimSuffix(string(text), ", ")).Write(")").Write(p.between)
}
