package prompt

import (
	"context"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Origins are where the texts of a prompt are from: for each text, a list that covers all of it.
type Origins struct {
	System [][]Origin      `json:"system"` // of [Prompt.System]
	Turns  [][]PartOrigins `json:"turns"`  // of the parts of [Prompt.Turns]
}

// PartOrigins are where a [Part] is from.
type PartOrigins struct {
	Text    []Origin `json:"text,omitzero"`
	Title   []Origin `json:"title,omitzero"`
	Context []Origin `json:"context,omitzero"`
	// Source is the path of the block, for an image or a document.
	Source string `json:"source,omitzero"`
}

// The types of an element of a list of origins.
type (
	Origin     = markup.Origin
	OriginKind = markup.OriginKind
)

// The kinds of an [Origin].
const (
	OriginMarkup = markup.OriginMarkup
	OriginClient = markup.OriginClient
	OriginEscape = markup.OriginEscape
)

// RenderOrigins does what [RenderContext] does, and also returns where the prompt is from. It is
// slower, because it does not use [Target.Memo]. It is for showing prompts to people.
func RenderOrigins(ctx context.Context, req *messages.Request, target Target) (*Prompt, *Origins, error) {
	target.Memo = nil
	origins := &Origins{}
	prompt, err := render(ctx, req, target, origins)
	if err != nil {
		return nil, nil, err
	}
	return prompt, origins, nil
}

// addSystemText adds a text to the system prompt.
func (r *renderer) addSystemText(text markup.Sourced) {
	r.prompt.System = append(r.prompt.System, Text{text.Text})
	if r.origins != nil {
		r.origins.System = append(r.origins.System, text.Origins)
	}
}

// addWrittenTurn adds a turn with the parts that are written so far.
func (r *renderer) addWrittenTurn(role string) {
	parts, origins := r.writer.takeParts()
	r.prompt.Turns = append(r.prompt.Turns, Turn{role, parts})
	if r.origins != nil {
		r.origins.Turns = append(r.origins.Turns, origins)
	}
}

// addToLastTurn adds a text to the last turn, as a new part.
func (r *renderer) addToLastTurn(text markup.Sourced) {
	last := len(r.prompt.Turns) - 1
	turn := &r.prompt.Turns[last]
	turn.Parts = append(turn.Parts, Part{Type: PartText, Text: text.Text})
	if r.origins != nil {
		r.origins.Turns[last] = append(r.origins.Turns[last], PartOrigins{Text: text.Origins})
	}
}
