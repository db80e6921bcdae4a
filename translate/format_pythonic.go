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
// says where a value or a call ends.
var pythonicCalls = &format{
	name:         FormatPythonic,
	models:       []string{"llama-4", "llama4", "lfm2", "olmo-3", "olmo3", "toolace"},
	stopSequence: "<tool_response>",
	callOpener:   "[",
	callCloser:   ")]",
	protects:     markup.TagMarker | markup.TagToolResponse,
	literal:      pythonLiteral,
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
	appendCall:   appendPythonCall,
	callPrefill: func(name string, _ int) string {
		if name == "" {
			return "["
		}
		return "[" + name + "("
	},

	result: [2]string{"<tool_response>\n", "\n</tool_response>\n"},
}

// appendPythonCall is [format.appendCall]. Where a parameter cannot be written by its name so that the
// parser reads it back, all stand in a dict: f(**{"a b": 1}).
func appendPythonCall(e *markup.Escaper, dst []byte, name string, _ int, input jsontext.Value, s *schema.Schema) []byte {
	dst = append(e.AppendText(dst, name), '(')
	var text []byte
	for name, value := range rawjson.NamedMembers(input) {
		if !rawjson.IsPythonName(name) || !sameJSON(retype(s, name, value), value) {
			text = append(rawjson.AppendAsPython([]byte("**"), input), ", "...)
			break
		}
		text = append(append(text, name...), '=')
		text = append(rawjson.AppendAsPython(text, value), ", "...)
	}
	dst = e.AppendText(dst, strings.TrimSuffix(string(text), ", "))
	return append(dst, "), "...)
}
