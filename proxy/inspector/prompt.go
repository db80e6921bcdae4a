package inspector

import (
	"fmt"

	"dragoman/translate"
)

// prompt is what a model was asked, and what it wrote.
type prompt struct {
	at       int64
	upstream string
	model    string
	format   string
	again    translate.Reason // why it is asked again; "" for the first time
	native   bool             // the text is a body for the model's own tool API
	stops    []string
	most     int // tokens

	text     text
	sections []section

	// For a golden: see golden.go.
	tools  text // an object of schemas by name, in JSON
	choice string
	quoted bool
	target string // the words of a golden for what is rendered
	// opensCall says that the prompt ends with the beginning of a call, and with nothing of the client.
	opensCall bool

	completion, thinking text
	chunks               []piece
	spans                []Span // what the completion was read as
	stop, stopSequence   string
}

// section is a part of a prompt: a system block, or a part of a turn.
type section struct {
	Path string `json:"path"` // such as "turns[2].parts[0]"
	Role string `json:"role"` // "system", "user", "assistant"
	Note string `json:"note,omitzero"`
	End  int64  `json:"end"` // in the text of the prompt, in bytes; it begins where the one before ends

	Sources []Span `json:"sources,omitzero"`
}

// eachSection calls f with the parts of a prompt, in their order. Images and what documents hold
// are described in a note.
func eachSection(p *translate.Prompt, f func(s section, text string)) {
	for i, system := range p.System {
		f(section{Path: fmt.Sprintf("system[%d]", i), Role: "system"}, system.Text)
	}
	for i, turn := range p.Turns {
		for j, part := range turn.Parts {
			s := section{Path: fmt.Sprintf("turns[%d].parts[%d]", i, j), Role: turn.Role}
			text := part.Text
			if part.Type != translate.PartText {
				s.Note = fmt.Sprintf("%s, %d bytes", part.Type, len(part.Source))
				text = part.Title + part.Context
			}
			f(s, text)
		}
	}
}
