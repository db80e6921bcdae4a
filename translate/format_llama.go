package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// llamaCalls is the format of Llama 3: one object of JSON with the name of the tool and its parameters
// (docs/reference/formats.md §10). Its models write it with a tag before it, as it is asked for here, or
// as the whole answer; what no tag marks cannot be told from a text of the client's.
var llamaCalls = &format{
	name:         FormatLlama,
	models:       []string{"llama-3", "llama3"},
	erased:       true,
	stopSequence: "<tool_response>",
	callOpener:   pythonTag,
	callCloser:   `"parameters"`,
	protects:     markup.TagMarker | markup.TagToolResponse | markup.TagFunction,
	spelling:     &markup.Spelling{Lists: true, Endless: true, Tags: append([]markup.Spelled{{Name: "|python_tag|", Means: markup.Wrapper}}, functionTags...)},
	alone:        []string{""},

	example:     pythonTag + `{"name": "$TOOL_NAME", "parameters": {"$PARAMETER_NAME": $PARAMETER_VALUE, ...}}` + "\n",
	exampleNote: func(l *language) string { return l.jsonBlocks },
	beforeTools: "<tools>\n",
	afterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,

	appendCall: func(e *markup.Escaper, dst []byte, name string, _ int, input jsontext.Value, _ *schema.Schema) []byte {
		return append(appendJSONCall(e, append(dst, pythonTag...), name, "parameters", input), '\n')
	},
	callPrefill: func(name string, _ int) string { return pythonTag + jsonPrefill(name, "parameters") },

	result: [2]string{"<tool_response>\n", "\n</tool_response>\n"},
}

// pythonTag is the tag before a call.
const pythonTag = "<|python_tag|>"
