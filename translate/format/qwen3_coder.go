package format

import (
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// Qwen3CoderCalls is the format of Qwen3-Coder and of models that were trained like it
// (docs/reference/formats.md §1). Each call is a block, names of tools and parameters come after a
// `=`, and values are on lines of their own. As in the json format, the calls of a turn have no
// common wrapper.
var Qwen3CoderCalls = shaped(Format{
	Name:          Qwen3Coder,
	Models:        []string{"qwen3-coder", "qwen3.5", "qwen3.6", "qwen3.8", "nemotron-3", "mimo-v2", "step-3.5", "step-3.7", "ornith"},
	opensThinking: []string{"qwen3.5", "qwen3.6", "qwen3.8", "nemotron-3", "step-3.5", "step-3.7"},
	StopSequence:  "<tool_response>",
	CallOpener:    "<function=",
	CallCloser:    ToolCallEnd,
	Protects:      markup.TagFunction | markup.TagToolResponse | markup.TagImportant,
	Shape: shape{
		Call:  [3]string{"<tool_call>\n<function=", ">\n", "</function>\n</tool_call>\n"},
		Param: [3]string{"<parameter=", ">", "</parameter>\n"},
		Lines: true,
	},
	Spelling: &markup.Spelling{ClosedTwice: true, Tags: append([]markup.Form{{Name: "tool_call", Means: markup.Wrapper}}, functionTags...), Slips: functionSlips},
	elements: &markup.Spelling{Tags: []markup.Form{
		{Name: "function", Means: markup.Invoke, After: []string{markup.Label, "</function>"}},
		{Name: "parameter", Means: markup.Parameter, After: []string{markup.Label, "</parameter>"}},
		{Name: "tool_call", Means: markup.Invoke}, // its end is the end of the call
	}},

	ToolsLast: true,
	Words: [2]string{"# Tools\n\nYou have access to the following functions:\n\n", `

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>`},
	BeforeTools:  "<tools>\n",
	AfterTools:   "</tools>",
	describeTool: (*ToolWriter).writeQwenTool,
	tool:         functionTool,
	spaced:       true,
	python:       pythonScalars,
	thinkTag:     "think",
	Result:       [2]string{"<tool_response>\n", "\n</tool_response>\n"},
})

// Since Qwen3.5 the tools are JSON, one per line, and come before the client's system text. Step
// has such tools after the system text, and no text between the tags of calls and around results.
var (
	qwen35Calls = Qwen3CoderCalls.vary("qwen3.5", func(f *Format) { f.describeTool, f.ToolsLast = nil, false }, "qwen3.5", "qwen3.6", "qwen3.8")
	stepCalls   = Qwen3CoderCalls.vary("step-3.5", func(f *Format) {
		f.describeTool, f.Shape.Call[2] = nil, "</function>\n</tool_call>"
		f.Result = [2]string{"<tool_response>", "</tool_response>"}
	}, "step-3.5", "step-3.7")
)

// functionTags are the tags of a call in both formats.
var functionTags = []markup.Form{
	{Name: "function", Means: markup.Invoke, Label: markup.LabelAssigned},
	{Name: "parameter", Means: markup.Parameter, Label: markup.LabelAssigned},
}

// functionSlips are these tags as models misspell them.
var functionSlips = []markup.Slip{functionSlip("parameter_function"), functionSlip("parameterfunction")}

func functionSlip(name string) markup.Slip {
	return markup.Slip{
		Name: messages.ReasonTagSpelling, About: "both openers, run together, are the end of a call: " + name,
		Example: "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</parameter>\n<" + name + ">\n</tool_call>",
		Form:    markup.Form{Name: name, Means: markup.Invoke, Closing: true},
	}
}

// listedTool is functionTool for tools in one list.
var listedTool = [2]string{functionTool[0], "}"}

// rawBlocks returns the sentences that say that values are plain text, and that each call is a
// block.
func rawBlocks(l *language.Language) string { return l.PlainValues + "\n" + l.JsonBlocks }

// writeQwenTool describes a tool in elements. If the model's own template has no element for
// something, writeQwenTool uses the elements of the legacy format: see writeLegacyTool.
func (w *ToolWriter) writeQwenTool(t *messages.Tool) error {
	d, err := w.describeInput(t)
	if err != nil {
		return err
	}
	w.Write("<function>\n<name>").WriteTool(t.Name).Write("</name>\n")
	if t.Description != "" {
		w.Write("<description>").WriteTool(t.Description).Write("</description>\n")
	}
	w.Write("<parameters>\n")
	required := []byte{'['}
	for i := range d.Parameters {
		p := &d.Parameters[i]
		w.writeParameter(p)
		w.writeParameterSchema(p)
		if p.Required {
			required = append(rawjson.AppendString(required, p.Name), ',')
		}
	}
	if n := len(required) - 1; n > 0 {
		required[n] = ']'
		w.writeJSON("required", required)
	}
	w.writeJSON("schema", d.Schema)
	w.writeJSON("definitions", d.Definitions)
	w.Write("</parameters>\n</function>\n")
	return nil
}
