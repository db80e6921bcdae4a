package prompt

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Origins say where the text of a prompt is from: for each text of it a list that covers it all.
type Origins struct {
	System [][]Origin      `json:"system"` // of [Prompt.System]
	Turns  [][]PartOrigins `json:"turns"`  // of the parts of [Prompt.Turns]
}

// PartOrigins say where a [Part] is from.
type PartOrigins struct {
	Text    []Origin `json:"text,omitzero"`
	Title   []Origin `json:"title,omitzero"`
	Context []Origin `json:"context,omitzero"`
	// Source is the block that an image or a document is.
	Source string `json:"source,omitzero"`
}

// What a list of origins is made of.
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

// RenderOrigins is [RenderContext], and says of the prompt where it is from. It is for people to look at,
// and takes more time: [Target.Memo] is not used.
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

// addWrittenTurn adds a turn with the parts that have been written.
func (r *renderer) addWrittenTurn(role string) {
	parts, origins := r.writer.takeParts()
	r.prompt.Turns = append(r.prompt.Turns, Turn{role, parts})
	if r.origins != nil {
		r.origins.Turns = append(r.origins.Turns, origins)
	}
}

// addToLastTurn adds a text to the last turn, as a part of its own.
func (r *renderer) addToLastTurn(text markup.Sourced) {
	last := len(r.prompt.Turns) - 1
	turn := &r.prompt.Turns[last]
	turn.Parts = append(turn.Parts, Part{Type: PartText, Text: text.Text})
	if r.origins != nil {
		r.origins.Turns[last] = append(r.origins.Turns[last], PartOrigins{Text: text.Origins})
	}
}
