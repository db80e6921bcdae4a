package upstream

import (
	"fmt"
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// What several wires ask of a prompt.

// systemText returns the system prompt as one text, with an empty line between its
// entries. Blank entries are left out.
func systemText(p *translate.Prompt) string {
	var entries []string
	for _, s := range p.System {
		if !isBlank(s.Text) {
			entries = append(entries, s.Text)
		}
	}
	return strings.Join(entries, "\n\n")
}

// isBlank reports whether a text holds nothing but white space.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// foldSystem returns the turns of the prompt with the system prompt before the text of
// the first one, for a model that takes a system prompt nowhere else.
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

// emptyTurn is what the user says before an assistant that speaks first, on wires that take no empty or blank
// text (docs/reference/wire.md §8, docs/reference/bedrock.md §5).
var emptyTurn = []translate.Part{{Type: translate.PartText, Text: "."}}

// withoutEmpty returns turns with [emptyTurn] in the first one, if that has no parts.
func withoutEmpty(turns []translate.Turn) []translate.Turn {
	if len(turns) == 0 || len(turns[0].Parts) > 0 {
		return turns
	}
	turns = slices.Clone(turns)
	turns[0].Parts = emptyTurn
	return turns
}

// between returns what stands between a text and one that was escaped by itself: an empty line, or so
// many that the second is not taken for the name of a tag that the first begins.
func between(first string) string {
	const ends = " \t\r\n/" // of what begins a tag, behind the <
	if strings.HasSuffix(strings.TrimRight(first, ends), "<") {
		return strings.Repeat("\n", 9) // one more than markup.MaxTagBlanks
	}
	return "\n\n"
}

// placeOf names an image or a document of a prompt for the client: part stands in this
// turn, counted from 0.
func placeOf(part translate.Part, turn int, role string) string {
	name := part.Type
	if part.Title != "" {
		name += fmt.Sprintf(" %q", part.Title)
	}
	return fmt.Sprintf("%s in turn %d (%s)", name, turn+1, role)
}

// prefilled reports whether the completion goes on with an assistant turn.
func prefilled(p *translate.Prompt) bool {
	return len(p.Turns) > 0 && p.Turns[len(p.Turns)-1].Role == messages.RoleAssistant
}
