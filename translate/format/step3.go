package format

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// step3Calls is the format of Step 3: the tags of the attribute format in a namespace, after
// markers like DeepSeek's (docs/reference/formats.md §15). The markers of a call count as one with
// its tag. The parser reads the format, but no model is asked in it, because nobody knows whether
// servers keep the markers.
var step3Calls = &Format{
	Name:     "step3",
	ReadOnly: true,
	Models:   []string{"step3", "step-3"},
	Spelling: &markup.Spelling{Bare: true, Tags: []markup.Form{
		{Name: "｜tool_calls_begin｜", Means: markup.Wrapper},
		{Name: "｜tool_calls_end｜", Means: markup.Wrapper, Closing: true},
		{Name: "｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke", Means: markup.Invoke, Label: markup.LabelAttribute},
		{Name: "steptml:invoke><｜tool_call_end｜", Means: markup.Invoke, Closing: true},
		{Name: "steptml:invoke", Means: markup.Invoke, Label: markup.LabelAttribute},
		{Name: "｜tool_call_end｜", Means: markup.Invoke, Closing: true},
		{Name: "steptml:parameter", Means: markup.Parameter, Label: markup.LabelAttribute},
	}, Slips: []markup.Slip{{
		Name: messages.ReasonTagSpelling, About: "a newline is between the markers and the tag of a call",
		Example: "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>\n<steptml:invoke name=\"f\"><steptml:parameter name=\"a\">1</steptml:parameter>" +
			"<steptml:parameter name=\"b\">2</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>",
		Form: markup.Form{Name: "｜tool_call_begin｜>function<｜tool_sep｜>\n<steptml:invoke", Means: markup.Invoke, Label: markup.LabelAttribute},
	}}},
}
