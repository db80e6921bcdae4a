package upstream

import (
	"slices"
	"strings"

	"dragoman/translate"
)

// systemText returns the system prompt as one text, with an empty line between its
// entries.
func systemText(p *translate.Prompt) string {
	var texts []string
	for _, s := range p.System {
		if !isBlank(s.Text) {
			texts = append(texts, s.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// foldSystem returns the turns with the system prompt in front of the text of the
// first one, for a model that takes none elsewhere.
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
		parts[at].Text = system + "\n\n" + parts[at].Text
	}
	turns[0].Parts = parts
	return turns
}
