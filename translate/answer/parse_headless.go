package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Calls that lack their opening tag, or the start of it. They occur in prose at the start of a line, and after
// other calls. Such a call counts only if it is complete and has every required parameter.

// matchHeadless matches the beginning of such a call. It returns the tag t, or the name of a tool.
func (p *parser) matchHeadless(rest []byte) (t markup.Tag, name string, v markup.Verdict) {
	if p.ReadsNames {
		name, g, v := p.matchUnopened(rest)
		if v != markup.NoMatch {
			return markup.Tag{Spelling: g}, name, v
		}
	}
	if p.ReadsUnbracketed || p.call.WrapperOpen {
		t, v = p.matchUnbracketed(rest)
	}
	return t, "", v
}

// readHeadless reads a possible beginning of such a call in prose. The verdict is NoMatch if rest does not begin
// one.
func (p *parser) readHeadless(rest []byte) (next state, v markup.Verdict) {
	t, name, v := p.matchHeadless(rest)
	switch {
	case v == markup.NeedMore:
		return wait, p.in.NeedMore()
	case v == markup.NoMatch:
		return wait, v
	}
	p.beginCall(t)
	if p.text.thinkingTag != "" {
		return inRehearsal, v
	}
	return p.beginHeadless(t, name), v
}

// beginHeadless begins such a call. The call is pending.
func (p *parser) beginHeadless(t markup.Tag, name string) state {
	if !p.call.WrapperOpen || name != "" {
		p.call.MustBeWhole, p.call.Bare = true, true
	}
	if name == "" {
		return p.beginUnbracketed(t)
	}
	p.call.AttributeForm = true
	p.call.NoteReason(messages.ReasonWrongOpener)
	p.in.Take(len(name), completion.SpanMarkup)
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return p.beginTags()
}

// mayBeHeadless reports whether line may begin such a call.
func (p *parser) mayBeHeadless(line []byte) bool {
	if p.ReadsUnbracketed && (markup.HasPrefix(line, format.UnbracketedCall) || markup.IsPrefixOf(line, format.UnbracketedCall)) {
		return true
	}
	if !p.ReadsNames {
		return false
	}
	_, v := p.matchFirstWord(line)
	return v != markup.NoMatch
}

// matchFirstWord matches the name of an offered tool as the first word of text.
func (p *parser) matchFirstWord(text []byte) (name string, v markup.Verdict) {
	head := text[:min(len(text), format.MaxToolName)]
	if end := bytes.IndexAny(head, "< \t\r\n"); end >= 0 {
		if tool := p.tools.Named(string(head[:end])); tool != nil {
			return tool.Name, markup.Match
		}
		return "", markup.NoMatch
	}
	for i := range p.tools.List {
		if name := p.tools.List[i].Name; len(head) <= len(name) && name[:len(head)] == string(head) {
			return "", markup.NeedMore
		}
	}
	return "", markup.NoMatch
}

// matchUnopened matches the name of an offered tool without its opening tag: book<arg_key>note</arg_key>. It
// applies to formats that have a tag between the name and the first parameter. After other calls, the end of the
// call may also follow the name.
func (p *parser) matchUnopened(rest []byte) (name string, g *markup.Spelling, v markup.Verdict) {
	switch name, v = p.matchFirstWord(rest); v {
	case markup.NeedMore:
		return "", nil, p.in.NeedMore()
	case markup.NoMatch:
		return "", nil, v
	}
	v = markup.NoMatch
	behind, blank := p.in.MatchBlanks(rest, len(name), completion.MaxGap)
	for _, g := range p.Spellings {
		between := g.Between()
		if between == "" || blank == markup.NoMatch || behind == len(rest) && p.in.EOF {
			continue
		}
		end, ends := g.MatchListed(rest[behind:], p.in.EOF)
		switch {
		case markup.HasPrefix(rest[behind:], between), p.calls.whole > 0 && ends == markup.Match && end.Closing && end.Is("invoke"):
			return name, g, markup.Match
		case blank == markup.NeedMore || ends == markup.NeedMore || markup.IsPrefixOf(rest[behind:], between):
			v = p.in.NeedMore()
		}
	}
	return name, nil, v
}
