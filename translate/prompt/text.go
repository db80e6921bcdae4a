package prompt

import "dragoman/translate/format"

// HumanMarker is the start of a user turn in [Prompt.Text].
const HumanMarker = format.HumanMarker

// Text returns the prompt as one text, in the form of the text-completion API
// (docs/reference/legacy-format.md §9):
//
//	{system entries, one newline between}
//
//	Human: {first turn}
//
//	Assistant: {second turn}
//
//	Human: {last turn}
//
//	Assistant:
//
// Without system entries, it begins with the two newlines of "\n\nHuman:". It ends in
// "\n\nAssistant:" without a blank. A prefill comes after that and one blank. The parts of a turn
// are separated by newlines, unless one of them already has a newline there. An image is "[image]".
// A document is "[document: TITLE]" or "[document]". In a prompt for a tools API, a call is "[call
// ID NAME: INPUT]" and its result "[result ID: TEXT]".
//
// The client's text may spell the markers of a turn, unless the prompt was rendered for a [Target]
// with TextWire.
func (p *Prompt) Text() string {
	return p.write(&chat{template: format.PlainTemplate, prefills: true}).text.String()
}

// AsText returns the part as text, in the form of [Prompt.Text].
func (p *Part) AsText() string {
	switch p.Type {
	case PartText, PartThinking:
		return p.Text
	case PartImage:
		return "[image]"
	case PartToolUse:
		return "[call " + p.ID + " " + p.Name + ": " + string(p.Input) + "]"
	case PartToolResult:
		text := "[result " + p.ID + ":"
		for i := range p.Content {
			text += " " + p.Content[i].AsText()
		}
		return text + "]"
	}
	if p.Title == "" {
		return "[document]"
	}
	return "[document: " + p.Title + "]"
}
