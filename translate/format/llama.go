package format

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// LlamaCalls is the format of Llama 3: one JSON object with the name of the tool and its parameters
// (docs/reference/formats.md §10). The models write it after a tag, as Dragoman asks for, or as the
// whole answer. Without a tag, nothing distinguishes a call from the same text of a client.
var LlamaCalls = &Format{
	Name:         Llama,
	Models:       []string{"llama-3", "llama3"},
	erased:       true,
	StopSequence: "<tool_response>",
	CallOpener:   pythonTag,
	CallCloser:   `"parameters"`,
	Protects:     markup.TagMarker | markup.TagToolResponse,
	Spelling: &markup.Spelling{Lists: true, Endless: true, Tags: append([]markup.Form{
		{Name: "|python_tag|", Means: markup.Wrapper},
		{Name: "|python_start|", Means: markup.Wrapper},
		{Name: "|python_end|", Means: markup.Wrapper, Closing: true},
	}, functionTags...), Slips: functionSlips},
	also:  []*markup.Spelling{functionaryTags},
	alone: []string{""},
	// Small models write calls in Python, and so do all models for Llama's built-in tools:
	// <|python_tag|>book.call(note="a").
	literal: PythonLiteral,

	Example:     pythonTag + `{"name": "$TOOL_NAME", "parameters": {"$PARAMETER_NAME": $PARAMETER_VALUE, ...}}` + "\n",
	ExampleNote: func(l *language.Language) string { return l.JsonBlocks },
	ListHeading: "Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\n" +
		`Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}. Do not use variables.` + "\n\n",
	describeTool: (*ToolWriter).writeIndentedTool,
	BetweenTools: "\n\n",
	spaced:       true,

	WriteCall: func(b *markup.Buffer, name string, _ int, input jsontext.Value, _ *schema.Schema) {
		writeJSONCall(b.Write(pythonTag), name, "parameters", input).Write("\n")
	},
	CallPrefill: func(name string, _ int) string { return pythonTag + jsonPrefill(name, "parameters") },

	Result: [2]string{"<tool_response>\n", "\n</tool_response>\n"},
}

// pythonTag is the tag before a call.
const pythonTag = "<|python_tag|>"

// functionaryTags are the tags of Functionary 3, which belongs to this family. The recipient of a
// message is a tool, or "all" for text.
var functionaryTags = &markup.Spelling{JSON: true, Endless: true, Tags: []markup.Form{
	{Name: "|from|>assistant\n<|recipient|", Means: markup.Invoke, After: []string{markup.Label, "<|content|>"}, Text: "all"},
	{Name: "|recipient|", Means: markup.Invoke, After: []string{markup.Label, "<|content|>"}, Text: "all"},
}, Slips: []markup.Slip{functionarySlip("|from|>assistant\n<|recipient|"), functionarySlip("|recipient|")}}

func functionarySlip(name string) markup.Slip {
	return markup.Slip{
		Name: messages.ReasonMissingSeparator, About: "Functionary's marker before the input is missing: <" + strings.ReplaceAll(name, "\n", " "),
		Example: "<" + name + `>f{"a": "1", "b": "2"}`,
		Form:    markup.Form{Name: name, Means: markup.Invoke, After: []string{markup.Label}, Ahead: []string{"{"}, Text: "all"},
	}
}

// writeIndentedTool describes a tool as indented JSON. If the JSON is so deep that it would be
// mostly indents, it is not indented.
func (w *ToolWriter) writeIndentedTool(t *messages.Tool) error {
	object, err := w.object(t)
	if err != nil {
		return err
	}
	function := append(append([]byte(`{"type":"function","function":`), object...), '}')
	if !isShallow(function, 0, false) || lenOfIndents(function, 1) > maxIndents*len(function) {
		w.WriteTool(string(rawjson.AppendSpaced(nil, function)))
		return nil
	}
	function, err = jsontext.AppendFormat(nil, function, jsontext.WithIndent("    "))
	w.WriteTool(string(function))
	return err
}

// maxIndents limits the indents of a tool, as a multiple of its other text.
const maxIndents = 8

// lenOfIndents returns the length of the indents inside a JSON value at this depth.
func lenOfIndents(value jsontext.Value, depth int) (n int) {
	for _, member := range rawjson.NamedMembers(value) {
		n += len("    ")*depth + lenOfIndents(member, depth+1)
	}
	for item := range rawjson.Elements(value) {
		n += len("    ")*depth + lenOfIndents(item, depth+1)
	}
	return n
}
