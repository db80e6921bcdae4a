package format

import (
	"strings"

	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// deepseekCalls is the format of DeepSeek V3.1: markers around the name of the tool, and the input
// as JSON (docs/reference/formats.md §12). The parser also reads the format of V3 and R1, which has
// a word before the name and a code fence around the JSON, and mixtures of both.
var deepseekCalls = shaped(Format{
	Name:          DeepSeek,
	Models:        []string{"deepseek-v3", "deepseek.v3", "deepseek-v3.2-exp", "deepseek-r1", "deepseek.r1", "cogito"},
	opensThinking: []string{"deepseek-r1", "deepseek.r1"},
	StopSequence:  deepseekEnd,
	ImpliedEnd:    deepseekEnd,
	CallOpener:    "<｜tool▁call▁begin｜>",
	CallCloser:    "<｜tool▁call▁end｜>",
	Protects:      markup.TagMarker,
	Shape:         shape{Call: [3]string{"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"}},
	Spelling: &markup.Spelling{JSON: true, Signs: true, Tags: []markup.Form{
		{Name: "｜tool▁calls▁begin｜", Means: markup.Wrapper},
		{Name: "｜tool▁calls▁end｜", Means: markup.Wrapper, Closing: true},
		{Name: "｜tool▁call▁begin｜", Means: markup.Invoke, After: []string{"function", "<｜tool▁sep｜>", markup.LineLabel}, Not: []string{"<｜tool▁sep｜>"}},
		{Name: "｜tool▁call▁begin｜", Means: markup.Invoke, After: []string{markup.Label, "<｜tool▁sep｜>"}, Text: "function"},
		{Name: "｜tool▁call▁begin｜", Means: markup.Invoke, After: []string{markup.Label, "<｜tool▁sep｜>"}, Ahead: []string{"{"}}, // a tool with this name
		{Name: "｜tool▁call▁end｜", Means: markup.Invoke, Closing: true},
	}, Slips: []markup.Slip{
		deepseekSlip(messages.ReasonStrayText, "the separator also follows the name, as in V3.1", "function<｜tool▁sep｜>f<｜tool▁sep｜>", nil,
			"function", "<｜tool▁sep｜>", markup.LineLabel, "<｜tool▁sep｜>"),
		deepseekSlip(messages.ReasonStrayText, "the separator is before the name and after it", "<｜tool▁sep｜>f<｜tool▁sep｜>", nil, "<｜tool▁sep｜>", markup.LineLabel, "<｜tool▁sep｜>"),
		deepseekSlip(messages.ReasonMissingSeparator, "the separator is before the name, without the word of V3", "<｜tool▁sep｜>f\n", nil, "<｜tool▁sep｜>", markup.LineLabel),
		deepseekSlip(messages.ReasonMissingSeparator, "the separator before the input is missing", "f", []string{"{", "```"}, markup.Label),
		{
			Name: messages.ReasonTagSpelling, About: "the marker before the calls lacks its last word",
			Example: "<｜tool▁calls｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": \"1\", \"b\": \"2\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
			Form:    markup.Form{Name: "｜tool▁calls｜", Means: markup.Wrapper},
		},
	}},

	ToolsLast:   true,
	Heading:     "## Tools\n",
	ExampleLast: true,
	ExampleNote: func(l *language.Language) string {
		return "\n- " + l.KnownTool + "\n- " + l.FitSchemas + "\n- " + l.OneSection
	},
	describeTool: (*ToolWriter).writeDeepSeekTool,
	BetweenTools: "\n\n",
	spaced:       true,
	thinkTag:     "think",
	BeforeCalls:  "<｜tool▁calls▁begin｜>",
	AfterCalls:   deepseekEnd,
	Result:       [2]string{"<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"},
})

// deepseekSlip is a slip in the header of a call: header is the example of what the models write,
// after what the form has, and ahead what must follow.
func deepseekSlip(name messages.Reason, about, header string, ahead []string, after ...string) markup.Slip {
	return markup.Slip{
		Name: name, About: about,
		Example: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>" + header + "{\"a\": \"1\", \"b\": \"2\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		Form:    markup.Form{Name: "｜tool▁call▁begin｜", Means: markup.Invoke, After: after, Ahead: ahead},
	}
}

// deepseekEnd is the marker after the calls of a turn.
const deepseekEnd = "<｜tool▁calls▁end｜>"

// writeDeepSeekTool describes a tool below a heading with its name. If a line of the description
// looks like a heading, the description is written as a JSON string, so that a client's text cannot
// begin another tool.
func (w *ToolWriter) writeDeepSeekTool(t *messages.Tool) error {
	root, err := w.canonicalSchema(t.InputSchema)
	if err != nil {
		return err
	}
	w.Write("### ").WriteTool(t.Name).Write("\n")
	if t.Description != "" {
		description := t.Description
		if hasHeading(description) {
			description = string(rawjson.AppendString(nil, description))
		}
		w.Write("Description: ").WriteTool(description).Write("\n")
	}
	w.Write("\nParameters: ").WriteTool(string(rawjson.AppendSpaced(nil, root)))
	return nil
}

// hasHeading reports whether a line of text looks like a heading of writeDeepSeekTool.
func hasHeading(text string) bool {
	for line := range strings.FieldsFuncSeq(text, endsLine) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") || strings.HasPrefix(line, "Parameters:") {
			return true
		}
	}
	return false
}

// endsLine reports whether a line ends with r.
func endsLine(r rune) bool { return strings.ContainsRune("\n\v\f\r\u0085\u2028\u2029", r) }
