package translate

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// pythonicCalls is the format of calls in Python: a list of all calls of a turn, in which values are
// literals (docs/reference/formats.md §11). Some models write it between markers, and Olmo 3 in an element
// with a call on each line; both are read. It has states of its own (parse_literal.go), since no tag
// says where a value or a call ends. Llama 4 also answers with JSON, as Llama 3 does.
var pythonicCalls = &format{
	name:         FormatPythonic,
	models:       []string{"llama-4", "llama4", "lfm2", "olmo-3", "olmo3", "toolace"},
	stopSequence: "<tool_response>",
	callOpener:   "[",
	callCloser:   ")]",
	protects:     markup.TagMarker | markup.TagToolResponse,
	literal:      pythonLiteral,
	alone:        []string{""},
	spelling: &markup.Spelling{Tags: []markup.Spelled{
		{Name: "|python_start|", Means: markup.Wrapper},
		{Name: "|python_end|", Means: markup.Wrapper, Closing: true},
		{Name: "|tool_call_start|", Means: markup.Wrapper},
		{Name: "|tool_call_end|", Means: markup.Wrapper, Closing: true},
	}},

	example:     "[$TOOL_NAME($PARAMETER_NAME=\"$PARAMETER_VALUE\", $PARAMETER_NAME=$PARAMETER_VALUE, ...), ...]\n",
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,

	beforeCalls:  "[",
	betweenCalls: ", ",
	afterCalls:   "]",
	appendCall:   pythonStyle{rawjson.AppendAsPython, ", "}.appendCall,
	callPrefill:  pythonPrefill("["),

	result: [2]string{"<tool_response>\n", "\n</tool_response>\n"},
}

// LFM2 has its list of tools behind the system text, and markers around that, around calls and around
// results; LFM2.5 has none around the tools. Olmo 3 writes each call on a line of its own, with values in JSON.
var (
	lfm2Calls = pythonicCalls.vary("lfm2", func(f *format) {
		f.writeAsLFM2()
		f.beforeTools, f.afterTools = "List of tools: <|tool_list_start|>[", "]<|tool_list_end|>"
	}, "lfm2")
	lfm25Calls = pythonicCalls.vary("lfm2.5", (*format).writeAsLFM2, "lfm2.5")
	olmoCalls  = pythonicCalls.vary("olmo-3", func(f *format) {
		f.stopSequence, f.impliedEnd = CallsEnd, CallsEnd
		f.callOpener, f.callCloser = CallsStart, CallsEnd
		f.protects |= markup.TagFunctions
		f.describeLast()
		f.beforeTools, f.afterTools, f.tool, f.betweenTools = "<functions>[", "]</functions>", listedTool, ", "
		f.example = CallsStart + "$TOOL_NAME($PARAMETER_NAME=\"$PARAMETER_VALUE\", $PARAMETER_NAME=$PARAMETER_VALUE, ...)\n..." + CallsEnd + "\n"
		f.beforeCalls, f.betweenCalls, f.afterCalls = CallsStart, "\n", CallsEnd
		f.appendCall, f.callPrefill = pythonStyle{appendPlainJSON, "\n"}.appendCall, pythonPrefill(f.beforeCalls)
	}, "olmo-3", "olmo3")
)

func (f *format) writeAsLFM2() {
	f.stopSequence = "<|tool_response_start|>"
	f.describeLast()
	f.beforeTools, f.afterTools, f.tool, f.betweenTools = "List of tools: [", "]", [2]string{}, ", "
	f.example = "<|tool_call_start|>" + strings.TrimSuffix(f.example, "\n") + "<|tool_call_end|>\n"
	f.beforeCalls, f.afterCalls = "<|tool_call_start|>[", "]<|tool_call_end|>"
	f.callPrefill = pythonPrefill(f.beforeCalls)
	f.result = [2]string{"<|tool_response_start|>", "<|tool_response_end|>"}
}

// appendPlainJSON appends a value as JSON whose strings say the same in Python: no escape is needless.
func appendPlainJSON(dst []byte, value jsontext.Value) []byte {
	plain, err := jsontext.AppendFormat(nil, value)
	if err != nil { // not reached: the value is well-formed
		plain = value
	}
	return rawjson.AppendSpaced(dst, plain)
}

// describeLast has the tools described behind the system text, and before the example, in which all calls
// of a turn stand in one section.
func (f *format) describeLast() {
	f.toolsLast, f.exampleLast = true, true
	f.exampleNote = func(l *language) string { return l.oneSection }
}

// pythonPrefill returns a [format.callPrefill], with what stands before the calls of a turn.
func pythonPrefill(before string) func(name string, n int) string {
	return func(name string, _ int) string {
		if name == "" {
			return before
		}
		return before + name + "("
	}
}

// pythonStyle is how calls are written: literal appends a value, and between stands behind each call.
type pythonStyle struct {
	literal func([]byte, jsontext.Value) []byte
	between string
}

// appendCall is [format.appendCall]. Where a parameter cannot be written by its name so that the parser reads
// it back, all stand in a dict: f(**{"a b": 1}).
func (p pythonStyle) appendCall(e *markup.Escaper, dst []byte, name string, _ int, input jsontext.Value, s *schema.Schema) []byte {
	dst = append(e.AppendText(dst, name), '(')
	var text []byte
	for name, value := range rawjson.NamedMembers(input) {
		if !rawjson.IsPythonName(name) || !sameJSON(retype(s, name, value), value) {
			text = append(p.literal([]byte("**"), rawjson.Compact(input)), ", "...)
			break
		}
		text = append(append(text, name...), '=')
		text = append(p.literal(text, rawjson.Compact(value)), ", "...)
	}
	dst = e.AppendText(dst, strings.TrimSuffix(string(text), ", "))
	return append(append(dst, ')'), p.between...)
}
