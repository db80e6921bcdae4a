package upstream

import (
	"fmt"
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Functions for prompts that several wires use.

// systemText returns the system prompt as one text, with an empty line between its entries. It leaves out
// blank entries.
func systemText(p *translate.Prompt) string {
	var entries []string
	for _, s := range p.System {
		if !isBlank(s.Text) {
			entries = append(entries, s.Text)
		}
	}
	return strings.Join(entries, "\n\n")
}

// isBlank reports whether a text is only white space.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// foldSystem returns the turns of the prompt with the system prompt before the text of the first turn. It is
// for a model without a system prompt.
func foldSystem(p *translate.Prompt) []translate.Turn {
	system := systemText(p)
	if system == "" || len(p.Turns) == 0 {
		return p.Turns
	}
	turns := slices.Clone(p.Turns)
	parts := slices.Clone(turns[0].Parts)
	at := slices.IndexFunc(parts, func(p translate.Part) bool { return p.Type == translate.PartText && p.Text != "" })
	if at < 0 {
		parts = slices.Insert(parts, 0, translate.Part{Type: translate.PartText, Text: system})
	} else {
		parts[at].Text = system + between(system) + parts[at].Text
	}
	turns[0].Parts = parts
	return turns
}

// emptyTurn is the user's text before an assistant that speaks first. It is for wires that reject empty text
// (docs/reference/wire.md §8, docs/reference/bedrock.md §5).
var emptyTurn = []translate.Part{{Type: translate.PartText, Text: "."}}

// withoutEmpty returns the turns. If the first turn has no parts, it gets [emptyTurn].
func withoutEmpty(turns []translate.Turn) []translate.Turn {
	if len(turns) == 0 || len(turns[0].Parts) > 0 {
		return turns
	}
	turns = slices.Clone(turns)
	turns[0].Parts = emptyTurn
	return turns
}

// between returns the separator between two texts that were escaped one by one. It is an empty line, or
// enough newlines that a tag cannot begin in first and continue in the second text.
func between(first string) string {
	const ends = " \t\r\n/" // characters that may follow the < of a tag
	if strings.HasSuffix(strings.TrimRight(first, ends), "<") {
		return strings.Repeat("\n", 9) // one more than markup.MaxTagBlanks
	}
	return "\n\n"
}

// placeOf describes an image or a document of a prompt for the client; turn counts from 0.
func placeOf(part translate.Part, turn int, role string) string {
	name := part.Type
	if part.Title != "" {
		name += fmt.Sprintf(" %q", part.Title)
	}
	return fmt.Sprintf("%s in turn %d (%s)", name, turn+1, role)
}

// prefilled reports whether the prompt ends with an assistant turn, which the completion continues.
func prefilled(p *translate.Prompt) bool {
	return len(p.Turns) > 0 && p.Turns[len(p.Turns)-1].Role == messages.RoleAssistant
}
