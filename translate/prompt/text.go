package prompt

import "dragoman/translate/format"

// HumanMarker is what a turn of the user begins with in [Prompt.Text].
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
// Without system entries it begins with the two newlines of "\n\nHuman:". It ends in
// "\n\nAssistant:", without a blank; a prefill follows there after one blank. The parts of
// a turn stand one after another, with a newline between two unless one of them has a
// newline there. An image is "[image]", a document is "[document: TITLE]" or "[document]"; of a prompt for a tools API, a call is
// "[call ID NAME: INPUT]" and its result "[result ID: TEXT]".
//
// Text of the client may spell the markers of a turn, unless the prompt was rendered for a
// [Target] with TextWire.
func (p *Prompt) Text() string {
	return p.write(&chat{template: format.PlainTemplate, prefills: true}).text.String()
}

// AsText returns the part as text, as it stands in [Prompt.Text].
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
