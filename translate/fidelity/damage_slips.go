package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// This file writes the examples of slips that the parser documents.

// slipExamples are these examples as damage.
func slipExamples() (kinds []damage) {
	for _, slip := range held.Slips {
		if slip.Example != "" {
			kinds = append(kinds, damage{"example: " + slip.About, "Read.", inAttribute | inTags, nil,
				func(d *draft) bool { return d.writeExample(slip.Example, slip.Name == messages.ReasonNone) }})
		}
	}
	for _, slip := range format.TagSlips() {
		kinds = append(kinds, damage{slip.Format + ": " + slip.About, "Read.", anyGroup, func(f *form) bool { return f.name == slip.Format },
			func(d *draft) bool { return d.writeAnswer(slip.Example) }})
	}
	return kinds
}

// writeAnswer replaces the writing by an answer: a call of the tool f, with 1 for a and 2 for b.
func (d *draft) writeAnswer(answer string) bool {
	tool := exampleTool("f")
	d.inst.Tools, d.inst.Calls = []Tool{*tool}, []ToolCall{{"f", object(Member{"a", str("1")}, Member{"b", str("2")}), tool}}
	d.pieces = []piece{{role: rInvokeOpen, text: answer}}
	return true
}

// exampleTool returns a tool with the string parameters a and b.
func exampleTool(name string) *Tool {
	root := &node{kind: kindObject, props: []prop{{"a", &node{}, true}, {"b", &node{}, false}}}
	return &Tool{name, root.whole().JSON(), root}
}

// writeExample replaces the writing by an example in the attribute format, in the tags of the writing's
// format and with other values. The tool has the string parameters a and b. keeps: the value of a has the
// tags in it.
func (d *draft) writeExample(example string, keeps bool) bool {
	const openA, openB, shut = `<parameter name="a">`, `<parameter name="b">`, "</parameter>"
	inTag := func(name string) string { open, _ := d.tags(name, true); return open }
	_, end := d.tags("a", true)
	r := strings.NewReplacer(openA, inTag("a"), openB, inTag("b"), shut, end, "1", pick(d.chance, plainNames), "2", pick(d.chance, plainNames))
	text, _ := strings.CutSuffix(example, "\n</invoke>")
	a, before := "1", text[:strings.LastIndex(text, shut)]
	tool := exampleTool(d.inst.Calls[0].Name)
	input := object()
	if first, isLast := strings.CutSuffix(before, openB+"2"); isLast {
		before = strings.TrimSuffix(first, shut+"\n")
		input.add("b", str(r.Replace("2")))
	}
	if keeps {
		a = before[len(openA):]
	}
	input.add("a", str(r.Replace(a)))
	d.inst.Tools, d.inst.Calls = []Tool{*tool}, []ToolCall{{tool.Name, input, tool}}
	d.saysSo = func(got, meant Value) bool { return strings.TrimSpace(got.Text) == strings.TrimSpace(meant.Text) }

	first := d.indexes(rInvokeOpen)[0]
	pieces := append(slices.Clone(d.pieces[:first+1]), piece{text: r.Replace(text), space: "\n"}, d.pieces[d.indexes(rInvokeClose)[0]])
	if last := d.pieces[len(d.pieces)-1]; last.role == rWrapClose {
		pieces = append(pieces, last)
	}
	d.pieces = pieces
	return true
}
