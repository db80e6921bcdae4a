package inspector

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
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

	target  translate.Target // what it was rendered for
	repairs bool             // the model is asked again for a call that cannot be read
	// opensCall says that the prompt ends with the beginning of a call, and with nothing of the client.
	opensCall bool

	completion, thinking text
	chunks               []piece
	spans                []Span // what the completion was read as
	stop, stopSequence   string
	served               bool      // the server read calls out of the completion itself
	outcomes             []outcome // how the calls in the completion were read
}

// opening returns the beginning of a call with which the prompt ends, "" if it does not.
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
	Role string `json:"role"` // "system", "user", "assistant"; "constraint" is no part of the prompt, and stands behind it
	Note string `json:"note,omitzero"`
	End  int64  `json:"end"` // in the text of the prompt, in bytes; it begins where the one before ends

	Sources []Span `json:"sources,omitzero"` // where it is from; nothing if that is not known
}

// eachSection calls f with the parts of a prompt, in their order. Images and what documents hold
// are described in a note. A raw prompt is shown as the string that it is, by its turns.
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

// sourced is a part of a prompt, and where it is from.
type sourced struct {
	text string
	from []translate.Origin
}

// sourcesOf returns where the parts of the first prompt for a request are from, by their paths. It is
// nil if that cannot be found out.
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

// spans returns where a text is from. A prompt that asks again goes on where the first one ends: what
// it adds is from nowhere in the request.
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
