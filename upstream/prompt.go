package upstream

import (
	"fmt"
	"slices"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// What several wires ask of a prompt.

// systemText returns the system prompt in pieces of one text, with an empty line between its
// entries. Blank entries are left out.
func systemText(p *translate.Prompt) []rawjson.Text {
	var pieces []rawjson.Text
	for _, s := range p.System {
		if s.Text.IsBlank() {
			continue
		}
		if len(pieces) > 0 {
			pieces = append(pieces, rawjson.Plain("\n\n"))
		}
		pieces = append(pieces, s.Text)
	}
	return pieces
}

// foldSystem returns the turns of the prompt with the system prompt before the text of
// the first one, for a model that takes a system prompt nowhere else.
func foldSystem(p *translate.Prompt) []translate.Turn {
	system := systemText(p)
	if len(system) == 0 || len(p.Turns) == 0 {
		return p.Turns
	}
	turns := slices.Clone(p.Turns)
	parts := slices.Clone(turns[0].Parts)
	at := slices.IndexFunc(parts, func(p translate.Part) bool { return p.Type == translate.PartText && !p.Text.IsZero() })
	if at < 0 {
		parts, at = slices.Insert(parts, 0, translate.Part{Type: translate.PartText}), 0
	} else {
		system = append(system, rawjson.Plain(between(system[len(system)-1])), parts[at].Text)
	}
	var folded rawjson.TextBuilder
	for _, text := range system {
		folded.Add(text)
	}
	parts[at].Text = folded.Take()
	turns[0].Parts = parts
	return turns
}

// between returns what stands between a text and one that was escaped by itself: an empty line, or so
// many that the second is not taken for the name of a tag that the first begins.
func between(first rawjson.Text) string {
	const ends = " \t\r\n/" // of what begins a tag, behind the <
	if slices.ContainsFunc([]byte("<"+ends), first.EndsWith) && strings.HasSuffix(strings.TrimRight(first.String(), ends), "<") {
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
