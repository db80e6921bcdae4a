package upstream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// What several wires ask of a prompt.

// systemText returns the system prompt as one text, with an empty line between its
// entries. Blank entries are left out.
func systemText(p *translate.Prompt) string {
	var texts []string
	for _, s := range p.System {
		if !isBlank(s.Text) {
			texts = append(texts, s.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

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
		parts[at].Text = system + "\n\n" + parts[at].Text
	}
	turns[0].Parts = parts
	return turns
}

// isBlank reports whether a text is empty or white space, which Converse refuses.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

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

// encodeJSON returns the body of a request for a prompt as JSON, or an [*Error]: a prompt that is
// not UTF-8 cannot be written.
//
// The buffer has room for half as much again as the texts have: escapes seldom take more, and the
// encoder keeps a quarter free. One that grows on the way would take several times the memory.
func encodeJSON(p *translate.Prompt, body any) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(textSize(p)*3/2 + 1<<10)
	err := json.MarshalWrite(&buf, body)
	if err != nil {
		e := invalidRequest.error("the prompt cannot be written as JSON")
		e.Err = err
		return nil, e
	}
	return buf.Bytes(), nil
}

// textSize returns about how many bytes the texts and sources of a prompt have.
func textSize(p *translate.Prompt) int {
	size := 0
	for _, t := range p.System {
		size += len(t.Text)
	}
	for _, turn := range p.Turns {
		for _, part := range turn.Parts {
			size += len(part.Text) + len(part.Source)
		}
	}
	return size
}
