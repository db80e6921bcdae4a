package format

// The templates with turns that begin with plain words.

// HumanMarker is the start of a user turn in text completions.
const HumanMarker = "\n\nHuman:"

// PlainTemplate is the form of text completions (docs/reference/legacy-format.md §9).
var PlainTemplate = &ChatTemplate{
	Name: "plain", Models: []string{"claude-2", "claude-v2", "claude-instant"},
	User:      [2]string{HumanMarker + " ", ""},
	Assistant: [2]string{"\n\nAssistant: ", ""}, Generation: "\n\nAssistant:",
	Stops:     []string{HumanMarker},
	SystemGap: "\n", Words: true, Alternates: true,
}

var plainTemplates = []*ChatTemplate{
	PlainTemplate,
	{ // for base models, which were not trained on turns
		Name: "base", Models: []string{"starcoder", "gptbigcode", "gpt_bigcode", "santacoder", "flan-t5", "falcon"},
		System:    [2]string{"", "\n\n"},
		User:      [2]string{"User: ", "\n\n"},
		Assistant: [2]string{"Assistant: ", "\n\n"}, Generation: "Assistant:",
		Stops:     []string{"\n\nUser:"},
		SystemGap: "\n\n", Words: true, Alternates: true,
	},
	{
		Name: "vicuna", Models: []string{"vicuna"}, BOS: "<s>",
		System:    [2]string{"", "\n\n"},
		User:      [2]string{"USER: ", "\n"},
		Assistant: [2]string{"ASSISTANT: ", "</s>\n"}, Generation: "ASSISTANT:",
		Stops:     []string{"</s>"},
		SystemGap: "\n\n", Words: true, Alternates: true,
	},
}
