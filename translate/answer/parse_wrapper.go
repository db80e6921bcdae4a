package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// A wrapper up to its first call, and what models write in it beside calls.

// readWrapper is the state inWrapper: <function_calls>, or another wrapper, has been read, and the
// mark stands before it. A call must follow: <invoke> (atInvoke), its name and then <invoke> (inTags),
// { (atJSONName), maybe in a list, or a literal (inLiteral). Prose before <invoke> is text, without the
// wrapper, and after other calls it is passed over; so are comments. An empty wrapper is dropped (inText,
// betweenCalls). One that holds another tag is written as text up to its closing tag (inForeignBlock).
// Before anything else the wrapper is given back.
func (p *parser) readWrapper() state {
	if !p.in.SkipBlanks() {
		return p.waitOrGiveBack()
	}
	rest := p.in.Rest()
	if next, v := p.readUntagged(rest); v != markup.NoMatch {
		return next
	}
	if rest[0] == '<' || len(p.call.prose) == 0 && p.call.Quoted == 0 && !p.text.code.midLine {
		n, v := p.matchAside(rest)
		if v == markup.NeedMore {
			return wait
		}
		if v == markup.Match {
			return p.readAside(n)
		}
	}
	switch t, v := p.matchElement(rest); v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		p.call.Spelling, p.call.WrapperOpen = t.Spelling, false
		p.call.NoteReason("wrong_opener")
		return p.beginNamed(t)
	}
	t, v := p.matchOpener(rest)
	switch {
	case rest[0] == '{':
		return atJSONName
	case v == markup.NoMatch:
		return p.giveBack()
	case v == markup.NeedMore:
		return wait
	case t.IsWrapper() && !t.Closing && len(t.Attributes) > 0:
		switch p.matchNamedWrapper(rest, &t) {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return p.beginNamedWrapper(t)
		}
		return p.giveBack()
	case t.Is("invoke") && !t.Closing:
		p.call.Namespace, p.call.Spelling = t.Namespace(), t.Spelling
		return atInvoke
	case t.Closing && t.IsWrapper():
		return p.readEmptyBlock(t)
	case t.Is("parameter") && !t.Closing && p.namesTool(t):
		return p.readMisnamed(t)
	case t.Is("tool_name"):
		return p.readNameFirst(rest)
	case t.IsWrapper() || p.calls.whole > 0 || p.call.Bare:
		return p.giveBack()
	}
	p.giveBackText()
	return inForeignBlock
}

// readUntagged reads what may begin a call in the wrapper without a tag, which rest begins with: a tag that has
// lost its bracket, a code fence, a literal, a list, or the name of a tool on a line before its input. The
// verdict is NoMatch if there is none.
func (p *parser) readUntagged(rest []byte) (next state, v markup.Verdict) {
	switch t, v := p.matchUnbracketed(rest); v {
	case markup.NeedMore:
		return p.waitOrGiveBack(), v
	case markup.Match:
		return p.beginUnbracketed(t), v
	}
	switch n, v := p.tags.MatchFencedInput(rest); v {
	case markup.NeedMore:
		return wait, v
	case markup.Match:
		p.call.Fence = string(rest[:n])
		p.call.NoteReason("fenced_json")
		p.in.Take(n, completion.SpanMarkup)
		return inWrapper, v
	}
	switch syntax, name, v := p.matchWrapped(rest); v {
	case markup.NeedMore:
		return wait, v
	case markup.Match:
		p.beginLiteral(syntax, name)
		return inLiteral, v
	}
	switch n, end, v := p.matchList(rest); {
	case v == markup.NeedMore:
		return wait, v
	case v == markup.Match && p.listEnd == "":
		p.listEnd = end
		p.in.Take(n, completion.SpanMarkup)
		return inWrapper, v
	}
	name, n, v := p.matchNameLine(rest)
	if v == markup.Match {
		return p.beginNameLine(name, n), v
	}
	return wait, v
}

// readAside reads a comment or prose in the wrapper, of n bytes.
func (p *parser) readAside(n int) state {
	kind := completion.SpanDropped
	if text := p.in.Rest()[:n]; text[0] != '<' && p.calls.whole == 0 {
		kind = completion.SpanText
		p.call.prose = bytes.TrimSpace(bytes.Clone(text))
	}
	p.call.NoteReason("stray_text")
	p.in.Take(n, kind)
	return inWrapper
}

// readEmptyBlock reads the closing tag of a wrapper without calls. If its line ends there, the model
// has called nothing, and the wrapper is dropped; if the line goes on, it is prose about the tags.
func (p *parser) readEmptyBlock(t markup.Tag) state {
	after := p.in.Rest()[t.Len:]
	if p.call.Reason != "" || p.call.Quoted > 0 || p.call.Bare { // there is a comment in it, or it is an example
		p.in.Take(t.Len, completion.SpanMarkup)
		return p.giveBack()
	}
	if v := p.in.MatchLineEnd(after); v == markup.NeedMore {
		return wait
	} else if v == markup.NoMatch && len(after) > 0 {
		p.in.Take(t.Len, completion.SpanMarkup)
		return p.giveBack()
	}
	p.in.Take(t.Len, completion.SpanMarkup)
	p.out.DropInput()
	if p.calls.whole > 0 {
		if p.proseBetween = p.call.prose; p.proseBetween == nil {
			p.in.Unmark()
		}
		p.call = callSeen{begun: true}
		return betweenCalls
	}
	p.in.Unmark()
	p.call = callSeen{}
	return inText
}

// matchElement matches the name of an offered tool as the text of an element, which ends with its block:
// <function>book</function>.
func (p *parser) matchElement(rest []byte) (t markup.Tag, v markup.Verdict) {
	if p.Elements == nil || rest[0] != '<' || p.tags.Wrapper != "tool_call" {
		return t, markup.NoMatch
	}
	t, v = p.Elements.MatchListed(rest, p.in.EOF)
	if v == markup.Match {
		v = markup.VerdictOf(t.Is("invoke") && !t.Closing && p.namesTool(t))
	}
	return t, v
}

// namesTool reports whether the label of a tag is the name of an offered tool.
func (p *parser) namesTool(t markup.Tag) bool {
	name, ok := t.NameAttribute()
	return ok && p.tools.Named(name) != nil
}

// readMisnamed reads the name of an offered tool in the tag of a parameter, as the first thing in the
// wrapper: <parameter=book> for <function=book>. It opens a call if that of a parameter follows; else the
// wrapper is given back.
func (p *parser) readMisnamed(t markup.Tag) state {
	rest := p.in.Rest()
	i, v := p.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch || i == len(rest):
		return p.giveBack()
	}
	next, v := t.Spelling.MatchTag(rest[i:], p.in.EOF)
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch || !next.Is("parameter") || next.Closing:
		return p.giveBack()
	}
	p.call.Spelling = t.Spelling
	p.call.NoteReason("wrong_opener")
	return p.beginNamed(t)
}

// readNameFirst reads <tool_name>x</tool_name> and <invoke> after it, or a parameter as the format of the wrapper
// writes it, for an offered tool. The call is one only if it is whole. Anything else is text, like all that follows it
// in the wrapper.
func (p *parser) readNameFirst(rest []byte) state {
	name, n, v := p.matchTaggedName(rest)
	if v == markup.Match {
		if tool, _ := p.tools.Find(name); tool == nil {
			v = markup.NoMatch
		}
	}
	if v == markup.Match {
		if v = p.matchNextParameter(rest, n); v == markup.Match {
			p.call.AttributeForm = true
		} else if v == markup.NoMatch {
			n, v = p.matchBareInvoke(rest, n)
		}
	}
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch && p.calls.whole > 0:
		return p.giveBack()
	case v == markup.NoMatch:
		p.giveBackText()
		return inForeignBlock
	}
	p.in.Take(n, completion.SpanMarkup)
	p.call.MustBeWhole = true
	p.call.NoteReason("name_first")
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return p.beginTags()
}

// matchNextParameter matches the tag of a parameter with its name, after white space at rest[i].
func (p *parser) matchNextParameter(rest []byte, i int) markup.Verdict {
	i, v := p.in.MatchBlanks(rest, i, completion.MaxGap)
	switch {
	case v != markup.Match:
		return v
	case i == len(rest) || !p.BeginsTag(rest[i]):
		return markup.NoMatch
	}
	t, v := p.tags.MatchTag(rest[i:])
	if v == markup.Match {
		_, named := t.NameAttribute()
		v = markup.VerdictOf(t.Is("parameter") && !t.Closing && named)
	}
	return v
}

// matchBareInvoke matches <invoke> without a name, after white space at rest[i]. n is the index after
// it.
func (p *parser) matchBareInvoke(rest []byte, i int) (n int, v markup.Verdict) {
	i, v = p.in.MatchBlanks(rest, i, completion.MaxGap)
	switch {
	case v != markup.Match:
		return 0, v
	case i == len(rest) || rest[i] != '<':
		return 0, markup.NoMatch
	}
	t, v := p.tags.MatchTag(rest[i:])
	if v == markup.Match {
		v = markup.VerdictOf(t.Is("invoke") && !t.Closing && !t.Empty && len(t.Attributes) == 0)
	}
	return i + t.Len, v
}

// maxAside bounds the prose in a wrapper that is held until the tag after it has come, in bytes.
const maxAside = 1 << 10

// matchAside matches what models write in a wrapper beside calls: a comment, or prose up to the next
// call, which in JSON begins a line, or behind a call up to the end of the wrapper. Prose in which Markdown
// code or JSON may begin is none, since these may quote the tag.
func (p *parser) matchAside(rest []byte) (n int, v markup.Verdict) {
	if rest[0] == '<' {
		return markup.MatchComment(rest, p.in.EOF)
	}
	if rest[0] == '{' || p.BeginsTag(rest[0]) {
		return 0, markup.NoMatch
	}
	over := p.calls.whole > 0 && p.wrapperMayEnd() // the calls may be: no other stands behind prose here
	head := rest[:min(len(rest), maxAside)]
	n = bytes.IndexAny(head, "<`{")
	switch {
	case n < 0 && len(head) < maxAside:
		return 0, p.in.NeedMore()
	case n < 0 || rest[n] == '`':
		return 0, markup.NoMatch
	case rest[n] == '{':
		return n, markup.VerdictOf(!over && bytes.HasSuffix(bytes.TrimRight(rest[:n], " \t"), []byte("\n")))
	}
	t, v := p.matchOpener(rest[n:])
	if v == markup.Match { // behind the JSON of a call stands its end
		ends := t.IsWrapper() || t.Is("invoke") && t.Spelling.IsJSON()
		v = markup.VerdictOf(!t.Closing && t.Is("invoke") && !over || t.Closing && ends && p.calls.whole > 0)
	}
	return n, v
}
