package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"

	"github.com/go-json-experiment/json/jsontext"
)

// JSONCalls is the format of calls in JSON, which many open models were trained on
// (docs/reference/formats.md §6): a block for each call, and one for each result. Nothing
// stands around the calls of a turn, so no tag says that they are done: the stop sequence
// is the result that a model may make up next.
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

	AppendCall: func(e *markup.Escaper, dst []byte, name string, _ int, input jsontext.Value, _ *schema.Schema) []byte {
		dst = appendJSONCall(e, append(dst, ToolCallStart+"\n"...), name, "arguments", input)
		return append(dst, "\n"+ToolCallEnd+"\n"...)
	},
	CallPrefill: func(name string, _ int) string { return ToolCallStart + "\n" + jsonPrefill(name, "arguments") },

	Result: [2]string{"<tool_response>\n", "\n</tool_response>\n"},
}

// Qwen's models are asked in the words of their template. Since Qwen3 it has no system text of its own.
var (
	qwenJSONCalls = JSONCalls.vary("qwen", func(f *Format) {
		f.Words = [2]string{`# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
`, `

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`}
	}, "qwen", "qwq")
	Qwen25Calls = qwenJSONCalls.vary("qwen2.5", func(f *Format) {
		f.SystemText = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
	}, "qwen2.5", "qwen2p5")
)

// functionTool stands before and after the description of a tool in the templates of most open models.
var functionTool = [2]string{`{"type": "function", "function": `, "}\n"}

// appendJSONCall appends a call as an object, in which the input has that key.
func appendJSONCall(e *markup.Escaper, dst []byte, name, key string, input jsontext.Value) []byte {
	dst = appendQuotedName(e, append(dst, `{"name": `...), name)
	dst = append(dst, `, "`+key+`": `...)
	dst = e.AppendText(dst, string(rawjson.AppendSpaced(nil, rawjson.Compact(input))))
	return append(dst, '}')
}

// jsonPrefill returns the beginning of such an object: see [Format.CallPrefill].
func jsonPrefill(name, key string) string {
	if name == "" {
		return `{"name": "`
	}
	return string(rawjson.AppendString([]byte(`{"name": `), name)) + `, "` + key + `":`
}

// appendQuotedName appends the name of a tool, escaped, as a JSON string. Who watches the escaper sees it
// as it stands there.
func appendQuotedName(e *markup.Escaper, dst []byte, name string) []byte {
	watch, at := e.Watch, len(dst)+len(`"`)
	if watch == nil {
		return rawjson.AppendString(dst, e.Text(name))
	}
	quoted := func(s string) string {
		q := rawjson.AppendString(nil, s)
		return string(q[1 : len(q)-1])
	}
	defer func() { e.Watch = watch }()
	e.Watch = func(_ int, _ string, entities []markup.Entity) {
		for i, c := range entities { // none of these bytes is written in another way in JSON
			entities[i].At = len(quoted(name[:c.At]))
		}
		watch(at, quoted(name), entities)
	}
	return rawjson.AppendString(dst, e.Text(name))
}

// The tags around each call.
const (
	ToolCallStart = "<tool_call>"
	ToolCallEnd   = "</tool_call>"
)

// toolsTags are those around the tools in the prompt, which models also write around a call.
var toolsTags = &markup.Spelling{Lists: true, Unsure: true, Tags: []markup.Spelled{{Name: "tools", Means: markup.Wrapper}}}
