package inspector

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// prompt is a model's prompt and its completion.
type prompt struct {
	at       int64
	upstream string
	model    string
	format   string
	again    translate.Reason // why the model is asked again; "" for the first prompt
	native   bool             // the text is a body for the model's own tools API
	stops    []string
	most     int // tokens

	text     text
	sections []section

	target  translate.Target // what the prompt was rendered for
	repairs bool             // after an unreadable call, the model is asked again
	guides  bool             // the entry may ask the server for constraints, and does not
	// opensCall: the prompt ends with the beginning of a call, without a prefill of the client.
	opensCall bool

	completion, thinking text
	chunks               []piece
	spans                []Span // how the completion was read
	stop, stopSequence   string
	served               bool      // the server itself extracted calls from the completion
	outcomes             []outcome // how the calls in the completion were read
}

// opening returns the beginning of a call at the end of the prompt, or "".
func (p *prompt) opening() string {
	n := len(p.sections)
	if !p.opensCall || n == 0 || p.sections[n-1].Role != messages.RoleAssistant {
		return ""
	}
	from := int64(0)
	if n > 1 {
		from = p.sections[n-2].End
	}
	return string(p.text.read(from, int(p.text.size-from)))
}

// section is a part of a prompt: a system block, or a part of a turn.
type section struct {
	Path string `json:"path"` // such as "turns[2].parts[0]"
	Role string `json:"role"` // "system", "user", "assistant"; a "constraint" follows the prompt and is not part of it
	Note string `json:"note,omitzero"`
	End  int64  `json:"end"` // in the prompt's text, in bytes; the section begins at the end of the previous one

	Sources []Span `json:"sources,omitzero"` // the sources of its text; none if they are unknown
}

// eachSection calls f with the parts of a prompt, in order. A note stands for images and documents. A raw prompt
// appears as its string, split into turns.
func eachSection(p *translate.Prompt, f func(s section, text string)) {
	if raw := p.Raw(); raw != nil {
		for i, part := range raw.Parts {
			end := len(raw.Text)
			if i+1 < len(raw.Parts) {
				end = raw.Parts[i+1].Offset
			}
			f(section{Path: fmt.Sprintf("raw.parts[%d]", i), Role: part.Role}, raw.Text[part.Offset:end])
		}
		return
	}
	for i, system := range p.System {
		f(section{Path: fmt.Sprintf("system[%d]", i), Role: "system"}, system.Text)
	}
	for i, turn := range p.Turns {
		for j, part := range turn.Parts {
			s := section{Path: fmt.Sprintf("turns[%d].parts[%d]", i, j), Role: turn.Role}
			text := part.Text
			switch part.Type {
			case translate.PartImage, translate.PartDocument:
				s.Note = fmt.Sprintf("%s, %d bytes", part.Type, len(part.Source))
				text = part.Title + part.Context
			case translate.PartThinking, translate.PartToolUse, translate.PartToolResult:
				s.Note, text = part.Type, part.AsText()
			}
			f(s, text)
		}
	}
	if c := p.Constraint; c != nil {
		f(section{Path: "constraint", Role: "constraint", Note: "what the server holds the answer to"}, cmp.Or(c.Grammar, string(c.Schema)))
	}
}

// sourced is a part of a prompt with its source.
type sourced struct {
	text string
	from []translate.Origin
}

// sourcesOf returns the sources of the parts of a request's first prompt, by path. It is nil if they cannot be
// determined.
func sourcesOf(ctx context.Context, req *messages.Request, target translate.Target) map[string]sourced {
	p, origins, err := translate.RenderOrigins(ctx, req, target)
	if err != nil {
		return nil
	}
	var from [][]translate.Origin
	from = append(from, origins.System...)
	for _, turn := range origins.Turns {
		for _, part := range turn {
			from = append(from, part.Text)
		}
	}
	all := map[string]sourced{}
	eachSection(p, func(s section, text string) {
		all[s.Path] = sourced{text, from[0]}
		from = from[1:]
	})
	return all
}

// spans returns the sources of a text. A prompt that asks again begins with the first prompt; the added text has no
// source in the request.
func (s sourced) spans(text string) []Span {
	if s.text == "" || !strings.HasPrefix(text, s.text) {
		return nil
	}
	var spans []Span
	for _, o := range s.from {
		spans = append(spans, Span{int64(o.End), o.Kind.String(), o.Source})
	}
	if len(text) > len(s.text) {
		spans = append(spans, Span{int64(len(text)), translate.OriginMarkup.String(), ""})
	}
	return spans
}
