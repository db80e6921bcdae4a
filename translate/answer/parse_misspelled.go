package answer

import (
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// Repair of a call in which the model left out the tag between the tool's name and the first parameter's
// name. The offered tools and their schemas tell where the one name ends and the other begins.

// readJoined reads a call with one label for two names: the tool's and the first parameter's. t is the tag
// with this label. The verdict is NoMatch if t is no such tag.
func (p *parser) readJoined(t markup.Tag, label string) (next state, v markup.Verdict) {
	if p.call.Spelling.Between() == "" || t.Len >= len(p.in.Rest()) || p.tools.Named(label) != nil {
		return wait, markup.NoMatch
	}
	tool, param := p.splitLabel(label)
	if tool == "" {
		return wait, markup.NoMatch
	}
	first, v := p.tags.MatchParameter(t, param)
	if v != markup.Match {
		return wait, v
	}
	first.Len -= t.Len
	p.in.Take(t.Len, completion.SpanMarkup)
	if next, ok := p.nameTool(tool); !ok {
		return next, v
	}
	p.openOffered()
	return p.afterTags(p.tags.EnterParameter(first, param)), v
}

// splitLabel splits a label into the name of an offered tool and the name of a parameter that the tool
// declares. If several tools fit, splitLabel takes the tool with the longest name.
func (p *parser) splitLabel(label string) (tool, param string) {
	for i := range p.tools.List {
		t := &p.tools.List[i]
		rest, ok := strings.CutPrefix(label, t.Name)
		if rest = strings.TrimLeft(rest, " \n"); !ok || rest == "" || len(t.Name) <= len(tool) {
			continue
		}
		if property, _, declared := p.schemas.Of(t).PropertyByTag(rest); declared && property == rest {
			tool, param = t.Name, rest
		}
	}
	return tool, param
}
