package translate

import "dragoman/translate/markup"

// listCalls are formats of calls in JSON, in a list or one by one, that differ in what stands around them
// (docs/reference/formats.md §15). Calls are read in them. No model is asked in one: json is the same in
// tags that no server erases.
var listCalls = [...]*format{
	{name: "granite", readOnly: true, models: []string{"granite"}, spelling: opening("|tool_call|")},
	{name: "cohere", readOnly: true, models: []string{"command-r", "command-a", "cohere", "c4ai"}, alone: []string{"Action:"},
		spelling: enclosing("|START_ACTION|", "|END_ACTION|"), thinking: []thinkingMarks{{opens: "<|START_THINKING|>", closes: "<|END_THINKING|>", answers: []string{"<|START_RESPONSE|>", "<|START_TEXT|>"}}}},
	{name: "phi", readOnly: true, models: []string{"phi-4", "phi4"}, alone: []string{"functools"}},
	{name: "xlam", readOnly: true, models: []string{"xlam"}, alone: []string{"["}, spelling: bracketTags},
	{name: "nemotron", readOnly: true, models: []string{"nemotron"}, spelling: enclosing("TOOLCALL", "")},
	{name: "apriel", readOnly: true, models: []string{"apriel"}, thinking: []thinkingMarks{{closes: "[BEGIN FINAL RESPONSE]"}}, opensThinking: []string{"apriel"}},
	{name: "gigachat", readOnly: true, models: []string{"gigachat"}, alone: []string{"function call<|role_sep|>"},
		spelling: opening("|function_call|")},
	{name: "internlm", readOnly: true, models: []string{"internlm", "intern-s1"}, spelling: enclosing("|action_start|><|plugin|", "|action_end|")},
	{name: "apertus", readOnly: true, models: []string{"apertus"}, spelling: enclosing("|tools_prefix|", "|tools_suffix|"),
		thinking: []thinkingMarks{{opens: "<|inner_prefix|>", closes: "<|inner_suffix|>"}}},
}

// opening is the spelling of a marker before calls that nothing ends.
func opening(marker string) *markup.Spelling {
	return &markup.Spelling{Lists: true, Endless: true, Tags: []markup.Spelled{{Name: marker, Means: markup.Wrapper}}}
}

// enclosing is that of a marker before calls, and one after them; "" for the closing tag.
func enclosing(marker, end string) *markup.Spelling {
	g := &markup.Spelling{Lists: true, Tags: []markup.Spelled{{Name: marker, Means: markup.Wrapper}}}
	if end != "" {
		g.Tags = append(g.Tags, markup.Spelled{Name: end, Means: markup.Wrapper, Closing: true})
	}
	return g
}
