package format

import "dragoman/translate/markup"

// kimiK3Calls is the format of Kimi K3: tags between markers, with the type of each parameter
// (docs/reference/formats.md §14). The markers are special tokens, which most servers erase, so no
// model is asked in this format. One server that keeps the markers adds an invisible character to
// each.
var kimiK3Calls = &Format{
	Name:          "kimi-k3",
	ReadOnly:      true,
	Models:        []string{"kimi-k3"},
	erased:        true,
	thinking:      []thinkingMarks{{Opens: "<|open|>think<|sep|>", Closes: "<|close|>think<|sep|>", Answers: []string{"<|close|>think<|open|>response<|sep|>", "<|open|>response<|sep|>"}}},
	opensThinking: []string{"kimi-k3"},
	Spelling:      kimiK3Spelling(""),
	also:          []*markup.Spelling{kimiK3Spelling("\u034f")},
}

// kimiK3Spelling is the spelling with an extra character after the first character of each marker.
func kimiK3Spelling(sign string) *markup.Spelling {
	return &markup.Spelling{
		Begin: "<" + sign + "|open|>",
		Close: "<" + sign + "|close|>",
		End:   "<" + sign + "|sep|>",
		Bare:  true,
		Typed: "type",
		Tags: []markup.Form{
			{Name: "tools", Means: markup.Wrapper},
			{Name: "call", Means: markup.Invoke, Label: markup.LabelAttribute, Attribute: "tool"},
			{Name: "argument", Means: markup.Parameter, Label: markup.LabelAttribute, Attribute: "key"},
			{Name: "json", Means: markup.Parameters},
		},
	}
}
