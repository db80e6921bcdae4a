package answer

import (
	"bytes"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// The beginning of a call: <invoke>, and the name of its tool. The call is pending until it is certain. Until then,
// the parser may give all of it back as text. In a wrapper, the name of an offered tool makes the call certain.
// Elsewhere, the first part of a call after that name does. A call to an unknown tool is pending up to its end, and
// so is a call that must be whole.

// readInvoke is the state atInvoke: <invoke> or <invoke name="…"> is next, and the mark is before it or before its
// wrapper. After <invoke>, the tool name must follow (atToolName). <invoke name="…"> has the name (inTags), and
// <invoke name="…"/> is a whole call. The parser gives back a tag with other attributes.
func (p *parser) readInvoke() state {
	t, v := p.tags.MatchTag(p.in.Rest())
	if v == markup.NeedMore {
		return wait
	}
	if v == markup.NoMatch {
		return p.giveBack()
	}
	if _, ok := t.NameAttribute(); ok {
		return p.beginNamed(t)
	}
	p.in.Take(t.Len, completion.SpanMarkup)
	if len(t.Attributes) > 0 || t.Empty {
		return p.giveBackNameless()
	}
	return atToolName
}

// giveBackNameless gives a call back that does not name its tool. After another call, the model meant a call.
func (p *parser) giveBackNameless() state {
	if p.calls.whole > 0 && !p.in.EOF { // at the end, more text could have named the tool
		return p.giveBackCall(messages.ReasonToolName)
	}
	return p.giveBack()
}

// beginNamed reads t, which opens a call and names its tool.
func (p *parser) beginNamed(t markup.Tag) state {
	p.call.AttributeForm = true
	p.call.NoteSlip(&t)
	name, _ := t.NameAttribute()
	if g := p.call.Spelling; g != nil {
		switch next, v := p.readJoined(t, name); {
		case v == markup.NeedMore:
			return wait
		case v == markup.Match:
			return next
		case g.IDs:
			name = p.tools.OfID(name)
		}
	}
	tool, attributes, _ := strings.Cut(name, " ")
	for name, value := range t.Values() {
		p.call.attributes = append(p.call.attributes, [2]string{name, markup.Unescape(value, p.escaped, "")})
	}
	if p.call.Unread = len(p.call.attributes) > 0; strings.Contains(attributes, "=") && p.tools.Named(tool) != nil { // <function=book note="a">
		name, p.call.Unread = tool, true
	}
	p.in.Take(t.Len, completion.SpanMarkup)
	p.in.ShowsTokens = p.call.Spelling != nil && markup.HoldsBlankToken(t.Full)
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	if t.Empty {
		return p.closeCall(messages.ReasonNone)
	}
	return p.beginTags()
}

// readToolName is the state atToolName: the parser has read <invoke>. It reads <tool_name>x</tool_name>, or the
// bare name x of an offered tool before <parameters> (inTags). It skips a comment before the name. In a wrapper, it
// also skips <invoke> before another <invoke> (atInvoke). If anything else follows, it gives the call back.
func (p *parser) readToolName() state {
	if !p.in.SkipBlanks() {
		return p.waitOrGiveBack()
	}
	rest := p.in.Rest()
	switch n, v := markup.MatchComment(rest, p.in.EOF); v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		p.call.NoteReason(messages.ReasonStrayText)
		p.in.Take(n, completion.SpanDropped)
		return atToolName
	}
	match := p.matchBareName
	if rest[0] == '<' {
		t, v := p.tags.MatchTag(rest)
		if v == markup.Match && t.Is("invoke") && !t.Closing && p.call.WrapperOpen {
			p.call.NoteReason(messages.ReasonRestarted)
			return atInvoke
		}
		match = p.matchTaggedName
	}
	name, n, v := match(rest)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return p.giveBackNameless()
	}
	p.in.Take(n, completion.SpanMarkup)
	if rest[0] != '<' {
		p.call.NoteReason(messages.ReasonBareToolName)
	}
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return p.beginTags()
}

// matchTaggedName matches <tool_name>x</tool_name> at the start of rest, and returns the name.
func (p *parser) matchTaggedName(rest []byte) (name string, n int, v markup.Verdict) {
	t, v := p.tags.MatchTag(rest)
	switch {
	case v != markup.Match:
		return "", 0, v
	case !isToolName(t) || t.Closing || t.Empty:
		return "", 0, markup.NoMatch
	}
	name, end, closer, v := p.matchNameBeforeTag(rest[t.Len:])
	if v == markup.Match && !(isToolName(closer) && closer.Closing) {
		v = markup.NoMatch
	}
	return name, t.Len + end + closer.Len, v
}

// isToolName reports whether t is <tool_name>, even if the format of the call has no such tag.
func isToolName(t markup.Tag) bool {
	return t.Is("tool_name") || t.Spelling != nil && string(t.Full) == "tool_name"
}

// matchBareName matches the name of an offered tool before <parameters>.
func (p *parser) matchBareName(rest []byte) (name string, n int, v markup.Verdict) {
	name, end, next, v := p.matchNameBeforeTag(rest)
	if v == markup.Match {
		tool, _ := p.tools.Find(name)
		v = markup.VerdictOf(tool != nil && next.Is("parameters") && !next.Closing)
	}
	return name, end, v
}

// matchNameBeforeTag matches text up to the next tag, which begins at rest[end]. The text must be no longer than a
// tool name.
func (p *parser) matchNameBeforeTag(rest []byte) (name string, end int, t markup.Tag, v markup.Verdict) {
	end = bytes.IndexByte(rest, '<')
	switch {
	case end < 0 && len(rest) <= format.MaxToolName:
		return "", 0, t, p.in.NeedMore()
	case end < 0 || end > format.MaxToolName:
		return "", 0, t, markup.NoMatch
	}
	t, v = p.tags.MatchTag(rest[end:])
	return strings.Trim(string(rest[:end]), " \t\r\n"), end, t, v
}

// nameTool records the name of the call's tool. In a wrapper, the name of an offered tool makes the call certain,
// and nameTool trims an invalid name to its valid core. If the text cannot be the name of a tool, it is no call:
// nameTool gives it back, and returns the next state and false.
func (p *parser) nameTool(name string) (next state, ok bool) {
	tool, reason := p.tools.Find(name)
	if tool == nil {
		if p.call.Quoted > 0 || p.call.Bare && !(p.call.alone && format.IsToolName(name)) || p.call.Spelling != nil && !p.call.WrapperOpen && p.text.code.midLine { // quoted, or prose
			return p.giveBack(), false
		}
		if !format.IsToolName(name) {
			if name = p.tools.Core(name); name == "" || !p.call.WrapperOpen {
				p.call.Tool = ""
				return p.giveBackCall(messages.ReasonToolName), false
			}
		}
		p.call.Tool, p.call.Schema, p.call.Unoffered = name, schema.ObjectOfStrings, true
		return wait, true
	}
	p.call.Tool, p.call.Schema, p.call.Unoffered = tool.Name, p.schemas.Of(tool), false
	p.out.StreamValues = tool.StreamValues(p.streamValues)
	if reason != messages.ReasonNone {
		p.call.NoteReason(reason)
	}
	if p.call.WrapperOpen {
		p.holdOffered()
	}
	return wait, true
}
