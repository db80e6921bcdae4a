package answer

import (
	"bytes"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// The beginning of a call: <invoke>, and the name of its tool. The call is pending until it is certain
// to be one, and until then all of it may be given back as text. In a wrapper it is certain with the
// name of an offered tool, else with the first thing after that name that belongs to a call. The call
// of a tool that is not offered is pending up to its end, and so is one that must be whole.

// readInvoke is the state atInvoke: <invoke> or <invoke name="…"> is next, and the mark stands before
// it or before its wrapper. After the first, the name of the tool must follow (atToolName); the
// second has it (inTags), and <invoke name="…"/> is a whole call. A tag with other attributes is
// given back.
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
		return p.giveBack()
	}
	return atToolName
}

// beginNamed reads t, which opens a call and names its tool.
func (p *parser) beginNamed(t markup.Tag) state {
	p.call.AttributeForm = true
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
		return p.closeCall("")
	}
	return p.beginTags()
}

// readToolName is the state atToolName: <invoke> has been read. It reads <tool_name>x</tool_name>, or
// a bare x before <parameters> that is the name of an offered tool (inTags). A comment before it is
// passed over, and so is <invoke>, in a wrapper, before another (atInvoke). Before anything else the
// call is given back.
func (p *parser) readToolName() state {
	if !p.in.SkipBlanks() {
		return p.waitOrGiveBack()
	}
	rest := p.in.Rest()
	switch n, v := markup.MatchComment(rest, p.in.EOF); v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		p.call.NoteReason("stray_text")
		p.in.Take(n, completion.SpanDropped)
		return atToolName
	}
	match := p.matchBareName
	if rest[0] == '<' {
		t, v := p.tags.MatchTag(rest)
		if v == markup.Match && t.Is("invoke") && !t.Closing && p.call.WrapperOpen {
			p.call.NoteReason("restarted")
			return atInvoke
		}
		match = p.matchTaggedName
	}
	name, n, v := match(rest)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return p.giveBack()
	}
	p.in.Take(n, completion.SpanMarkup)
	if rest[0] != '<' {
		p.call.NoteReason("bare_tool_name")
	}
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return p.beginTags()
}

// matchTaggedName matches <tool_name>x</tool_name>, which rest begins with, and returns the name.
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

// isToolName reports whether t is <tool_name>, also where the format of the call has no such tag.
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

// matchNameBeforeTag matches text that is no longer than the name of a tool, up to the tag after it,
// which begins at rest[end].
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

// nameTool records the name of the call's tool. In a wrapper, the name of an offered tool makes it
// certain that this is a call, and a name that no tool can have loses what stands around it. If no tool can
// have the name, this is no call: nameTool gives it back, and returns the next state and false.
func (p *parser) nameTool(name string) (next state, ok bool) {
	tool, reason := p.tools.Find(name)
	if tool == nil {
		if p.call.Quoted > 0 || p.call.Bare || p.call.Spelling != nil && !p.call.WrapperOpen && p.text.code.midLine { // quoted, or prose
			return p.giveBack(), false
		}
		if !format.IsToolName(name) {
			if name = p.tools.Core(name); name == "" || !p.call.WrapperOpen {
				p.call.Tool = ""
				return p.giveBackCall("tool_name"), false
			}
		}
		p.call.Tool, p.call.Schema, p.call.Unoffered = name, schema.ObjectOfStrings, true
		return wait, true
	}
	p.call.Tool, p.call.Schema, p.call.Unoffered = tool.Name, p.schemas.Of(tool), false
	p.out.FlowsValues = tool.FlowsValues(p.flowsValues)
	if reason != "" {
		p.call.NoteReason(reason)
	}
	if p.call.WrapperOpen {
		p.holdOffered()
	}
	return wait, true
}
