package format

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// JSONCalls is the format of calls in JSON, which many open models were trained on
// (docs/reference/formats.md §6): a block for each call and for each result. The calls of a turn
// have no common wrapper, so no tag marks their end. The stop sequence is the start of a result,
// which a model may invent next.
var JSONCalls = Format{
	Name:          JSON,
	Models:        []string{"qwen", "qwq", "hermes", "granite-4", "ernie-4.5", "exaone", "smollm3", "falcon-h1", "trinity", "gemma-3", "gemma3"},
	opensThinking: []string{"-thinking", "qwq"},
	StopSequence:  "<tool_response>",
	CallOpener:    ToolCallStart,
	CallCloser:    ToolCallEnd,
	alone:         []string{""},
	Protects:      markup.TagToolResponse,
	also:          []*markup.Spelling{toolsTags},

	ToolsLast:   true,
	Heading:     "# Tools\n\n",
	ExampleLast: true,
	Example: ToolCallStart + `
{"name": "$TOOL_NAME", "arguments": {"$PARAMETER_NAME": $PARAMETER_VALUE, ...}}
` + ToolCallEnd + "\n",
	ExampleNote: func(l *language.Language) string { return l.JsonBlocks },
	BeforeTools: "<tools>\n",
	AfterTools:  "</tools>",
	tool:        functionTool,
	spaced:      true,
	thinkTag:    "think",

	WriteCall: func(b *markup.Buffer, name string, _ int, input jsontext.Value, _ *schema.Schema) {
		writeJSONCall(b.Write(ToolCallStart+"\n"), name, "arguments", input).Write("\n" + ToolCallEnd + "\n")
	},
	CallPrefill: func(name string, _ int) string { return ToolCallStart + "\n" + jsonPrefill(name, "arguments") },

	Result: [2]string{"<tool_response>\n", "\n</tool_response>\n"},
}

// functionTool is the text before and after the description of a tool in the templates of most open
// models.
var functionTool = [2]string{`{"type": "function", "function": `, "}\n"}

// writeJSONCall writes a call as an object, with the input under key.
func writeJSONCall(b *markup.Buffer, name, key string, input jsontext.Value) *markup.Buffer {
	b.Write(`{"name": "`).WriteTextBy(name, rawjson.AppendEscaped[string])
	b.Write(`", "`).Write(key).Write(`": `)
	return b.WriteText(string(rawjson.AppendSpaced(nil, rawjson.Compact(input)))).Write("}")
}

// jsonPrefill returns the start of such an object: see [Format.CallPrefill].
func jsonPrefill(name, key string) string {
	if name == "" {
		return `{"name": "`
	}
	return string(rawjson.AppendString([]byte(`{"name": `), name)) + `, "` + key + `":`
}

// The tags around each call.
const (
	ToolCallStart = "<tool_call>"
	ToolCallEnd   = "</tool_call>"
)

// toolsTags are the tags around the tools in the prompt. Models also write them around a call.
var toolsTags = &markup.Spelling{Lists: true, Unsure: true, Tags: []markup.Form{{Name: "tools", Means: markup.Wrapper}}}
