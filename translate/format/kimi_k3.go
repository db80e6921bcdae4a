package format

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

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
	open, shut, end := "<"+sign+"|open|>", "<"+sign+"|close|>", "<"+sign+"|sep|>"
	return &markup.Spelling{
		Begin: open,
		Close: shut,
		End:   end,
		Bare:  true,
		Typed: "type",
		Tags: []markup.Form{
			{Name: "tools", Means: markup.Wrapper},
			{Name: "call", Means: markup.Invoke, Label: markup.LabelAttribute, Attribute: "tool"},
			{Name: "argument", Means: markup.Parameter, Label: markup.LabelAttribute, Attribute: "key"},
			{Name: "json", Means: markup.Parameters},
		},
		Slips: []markup.Slip{{
			Name: messages.ReasonBareCall, About: "the tag before all calls and the tag of the first call are one",
			Example: strings.NewReplacer("[/", shut, "[", open, "]", end).Replace(
				`[toolscall tool="f" index="1"][argument key="a" type="string"]1[/argument][argument key="b" type="string"]2[/argument][/call][/tools]`),
			Form: markup.Form{Name: "toolscall", Means: markup.Invoke, Label: markup.LabelAttribute, Attribute: "tool"},
		}},
	}
}
