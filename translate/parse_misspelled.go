package translate

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Tags of calls that models have left out, or written for others. What is meant is told by the tools.

// readJoined reads a call in which the name of the tool and that of the first parameter stand together,
// since the tag between them is missing: t has both as its label. They are told apart by the tools. The
// verdict is NoMatch if t is no such tag.
func (p *parser) readJoined(t markup.Tag, label string) (next state, v markup.Verdict) {
	if p.call.spelling.Between() == "" || t.Len >= len(p.in.rest()) || p.tools.named(label) != nil {
		return wait, markup.NoMatch
	}
	tool, param := p.splitLabel(label)
	if tool == "" {
		return wait, markup.NoMatch
	}
	first, v := p.matchParameter(t, param)
	if v != markup.Match {
		return wait, v
	}
	first.Len -= t.Len
	p.in.take(t.Len, SpanMarkup)
	if next, ok := p.nameTool(tool); !ok {
		return next, v
	}
	p.noteReason("tool_name")
	p.openOffered()
	return p.beginValue(first, param, param, false), v
}

// matchParameter matches the tag of the named parameter that rest has where the tag t stands, which has
// its name as the label, or in it.
func (p *parser) matchParameter(t markup.Tag, name string) (first markup.Tag, v markup.Verdict) {
	label := p.call.spelling.Between() + name
	rest := p.in.rest()[t.Len:]
	near := rest[:min(len(rest), 4*maxToolName)] // of which the tag is no more: all of rest is not to be copied for each call
	first, v = p.call.spelling.MatchListed(append([]byte(label), near...), p.in.eof && len(near) == len(rest))
	first.Len += t.Len - len(label)
	return first, v
}

// readMisopened reads t, which opens a call as the first thing in another: its first parameter, where the
// model wrote the tag of a call for that of a parameter, as in <tool_call>book<tool_call>note</arg_key>.
// Else the call that is open was not closed.
func (p *parser) readMisopened(t markup.Tag) state {
	name, _ := t.NameAttribute()
	_, _, declared := p.call.schema.PropertyByTag(name)
	if !declared || p.call.unoffered || p.tools.named(name) != nil {
		return p.closeCall("missing_closer")
	}
	first, v := p.matchParameter(t, name)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return p.closeCall("missing_closer")
	}
	p.noteReason("wrong_opener")
	p.openOffered()
	return p.beginValue(first, name, name, false)
}

// splitLabel splits a label into the name of an offered tool and that of a parameter that it declares.
// Of several tools it is the one with the longest name.
func (p *parser) splitLabel(label string) (tool, param string) {
	for i := range p.tools.list {
		t := &p.tools.list[i]
		rest, ok := strings.CutPrefix(label, t.Name)
		if rest = strings.TrimLeft(rest, " \n"); !ok || rest == "" || len(t.Name) <= len(tool) {
			continue
		}
		if property, _, declared := p.schemas.of(t).PropertyByTag(rest); declared && property == rest {
			tool, param = t.Name, rest
		}
	}
	return tool, param
}

// matchUnbracketed matches the tag of a call in a wrapper that has lost its `<`: function=book>.
func (p *parser) matchUnbracketed(rest []byte) (t markup.Tag, v markup.Verdict) {
	if len(rest) == 0 || rest[0] == '<' || p.spelled.at[placeOf(rest[0])] == 0 {
		return t, markup.NoMatch
	}
	text := append([]byte{'<'}, rest[:min(len(rest), maxToolName)]...)
	for _, g := range p.spellings {
		if g.Labels() {
			continue
		}
		t, v = g.MatchListed(text, p.in.eof || len(text) > maxToolName)
		if v == markup.NeedMore || v == markup.Match && t.Is("invoke") && !t.Closing {
			t.Len--
			return t, v
		}
	}
	return t, markup.NoMatch
}

// matchUnopened matches the name of an offered tool whose call has lost the tag before it, in a format in
// which a tag stands between that name and the first parameter: book<arg_key>note</arg_key>. It may be the
// end of the call as well.
func (p *parser) matchUnopened(rest []byte) (name string, g *markup.Spelling, v markup.Verdict) {
	head := rest[:min(len(rest), maxToolName)]
	end := bytes.IndexAny(head, "< \t\r\n")
	if end < 0 {
		end = len(head)
	}
	name = string(head[:end])
	switch {
	case end == 0 || end == maxToolName:
		return "", nil, markup.NoMatch
	case end == len(head) && slices.ContainsFunc(p.tools.list, func(t messages.Tool) bool { return strings.HasPrefix(t.Name, name) }):
		v = p.in.needMore()
	case p.tools.named(name) == nil:
		return "", nil, markup.NoMatch
	}
	behind, blank := p.in.matchBlanks(rest, end, maxGap)
	for _, g := range p.spellings {
		between := g.Between()
		if between == "" || blank == markup.NoMatch || behind == len(rest) && p.in.eof {
			continue
		}
		end, ends := g.MatchListed(rest[behind:], p.in.eof)
		switch {
		case markup.HasPrefix(rest[behind:], between), ends == markup.Match && end.Closing && end.Is("invoke"):
			return name, g, markup.Match
		case blank == markup.NeedMore || ends == markup.NeedMore || markup.IsPrefixOf(rest[behind:], between):
			v = p.in.needMore()
		}
	}
	return name, nil, v
}

// beginUnopened begins the next call with the name of its tool, which is next. It is one only if it is
// whole.
func (p *parser) beginUnopened(name string, g *markup.Spelling) state {
	p.beginNextCall(markup.Tag{Spelling: g})
	p.call.attributeForm, p.call.mustBeWhole, p.call.bare = true, true, true
	p.noteReason("wrong_opener")
	p.in.take(len(name), SpanMarkup)
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return inCall
}
