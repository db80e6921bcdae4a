package prompt

import (
	"strings"

	"dragoman/translate/messages"
)

// The markers between the turns of a prompt that is one text.
const (
	HumanMarker     = "\n\nHuman:"
	AssistantMarker = "\n\nAssistant:"
)

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
	var b strings.Builder
	b.Grow(p.textLen())
	for i, s := range p.System {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.Text)
	}
	for _, turn := range p.Turns {
		b.WriteString(turn.marker())
		for i := range turn.Parts {
			text := turn.Parts[i].AsText()
			switch {
			case i == 0 && text != "":
				b.WriteByte(' ')
			case i > 0 && !strings.HasSuffix(turn.Parts[i-1].AsText(), "\n") && !strings.HasPrefix(text, "\n"):
				b.WriteByte('\n')
			}
			b.WriteString(text)
		}
	}
	if n := len(p.Turns); n == 0 || p.Turns[n-1].Role == messages.RoleUser {
		b.WriteString(AssistantMarker)
	}
	return b.String()
}

// marker returns what the turn begins with.
func (t *Turn) marker() string {
	if t.Role == messages.RoleAssistant {
		return AssistantMarker
	}
	return HumanMarker
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

// textLen returns about how many bytes Text will return.
func (p *Prompt) textLen() int {
	n := len(AssistantMarker)
	for _, s := range p.System {
		n += len(s.Text) + 1
	}
	for _, t := range p.Turns {
		n += len(AssistantMarker) + 1
		for i := range t.Parts {
			n += len(t.Parts[i].Text) + 1
		}
	}
	return n
}
