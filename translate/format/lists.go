package format

import "dragoman/translate/markup"

// listCalls are formats of calls in JSON, single or in a list, with different texts around them
// (docs/reference/formats.md §15). The parser reads them, but no model is asked in them: the json
// format is equivalent, and no server erases its tags.
var listCalls = [...]*Format{
	{Name: "granite", ReadOnly: true, Models: []string{"granite"}, Spelling: opening("|tool_call|")},
	{Name: "cohere", ReadOnly: true, Models: []string{"command-r", "command-a", "cohere", "c4ai"}, alone: []string{"Action:"},
		Spelling: enclosing("|START_ACTION|", "|END_ACTION|"), thinking: []thinkingMarks{{Opens: "<|START_THINKING|>", Closes: "<|END_THINKING|>", Answers: []string{"<|START_RESPONSE|>", "<|START_TEXT|>"}}}},
	{Name: "phi", ReadOnly: true, Models: []string{"phi-4", "phi4"}, alone: []string{"functools"}},
	{Name: "xlam", ReadOnly: true, Models: []string{"xlam"}, alone: []string{"["}, Spelling: bracketTags},
	{Name: "nemotron", ReadOnly: true, Models: []string{"nemotron"}, Spelling: enclosing("TOOLCALL", "")},
	{Name: "apriel", ReadOnly: true, Models: []string{"apriel"}, thinking: []thinkingMarks{{Closes: "[BEGIN FINAL RESPONSE]"}}, opensThinking: []string{"apriel"}},
	{Name: "gigachat", ReadOnly: true, Models: []string{"gigachat"}, alone: []string{"function call<|role_sep|>"},
		Spelling: opening("|function_call|")},
	{Name: "internlm", ReadOnly: true, Models: []string{"internlm", "intern-s1"}, Spelling: enclosing("|action_start|><|plugin|", "|action_end|")},
	{Name: "apertus", ReadOnly: true, Models: []string{"apertus"}, Spelling: enclosing("|tools_prefix|", "|tools_suffix|"),
		thinking: []thinkingMarks{{Opens: "<|inner_prefix|>", Closes: "<|inner_suffix|>"}}},
}

// opening is the spelling of a marker before calls, without a marker after them.
func opening(marker string) *markup.Spelling {
	return &markup.Spelling{Lists: true, Endless: true, Tags: []markup.Form{{Name: marker, Means: markup.Wrapper}}}
}

// enclosing is the spelling of a marker before calls and a marker after them; "" means the closing
// tag of marker.
func enclosing(marker, end string) *markup.Spelling {
	g := &markup.Spelling{Lists: true, Tags: []markup.Form{{Name: marker, Means: markup.Wrapper}}}
	if end != "" {
		g.Tags = append(g.Tags, markup.Form{Name: end, Means: markup.Wrapper, Closing: true})
	}
	return g
}
