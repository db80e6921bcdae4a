package answer

import (
	"bytes"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// A wrapper up to its first call, and the text that models write in it in addition to calls.

// readWrapper is the state inWrapper: <function_calls> or another wrapper has been read, and the mark
// stands before it. These may follow:
//
//   - A call: <invoke> (atInvoke), the tool's name and then <invoke> (inTags), { (atJSONName), maybe in a list,
//     or a literal (inLiteral).
//   - Prose before <invoke>. It becomes text, without the wrapper. After other calls, it is dropped.
//   - A comment. It is dropped.
//   - The end of the wrapper. An empty wrapper is dropped (inText, betweenCalls).
//   - Another tag. The wrapper is written as text, up to its closing tag (inForeignBlock).
//
// If anything else follows, the wrapper is given back.
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
		p.call.NoteReason(messages.ReasonWrongOpener)
		return p.beginNamed(t)
	}
	for _, read := range [...]readNext{(*parser).readNameless, (*parser).readMisnamedCall} {
		if next, v := read(p, rest); v != markup.NoMatch {
			return next
		}
	}
	t, v := p.matchOpener(rest)
	switch {
	case rest[0] == '{':
		return atJSONName
	case v == markup.NoMatch:
		return p.giveBackWrapper()
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
	}
	switch v := p.matchToolElement(rest, t); {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match:
		return p.beginToolElement(t)
	case t.IsWrapper() || p.calls.whole > 0 || p.call.Bare:
		return p.giveBackWrapper()
	}
	p.giveBackText()
	return inForeignBlock
}

// giveBackWrapper gives back a wrapper that begins no call that the parser can read. Directly after another call, the
// model meant one: the wrapper is text with an outcome.
func (p *parser) giveBackWrapper() state {
	if p.calls.whole > 0 && p.call.prose == nil && !p.in.EOF { // at the end, more text could have made this a call
		return p.giveBackCall(messages.ReasonToolName)
	}
	return p.giveBack()
}

// readUntagged reads the start of a call that has no tag there: a tag without its bracket, a code fence, a
// literal, a list, or a tool's name before its input. The verdict is NoMatch if rest begins with none of
// these.
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
		p.call.NoteReason(messages.ReasonFencedJSON)
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
		p.takeList(n, end)
		return inWrapper, v
	}
	if next, v := p.readUnmarked(rest); v != markup.NoMatch {
		return next, v
	}
	if name, n, v := p.matchNameLine(rest); v != markup.NoMatch {
		if v == markup.NeedMore {
			return wait, v
		}
		return p.beginNameLine(name, n), v
	}
	return p.readBareName(rest)
}

// readAside reads n bytes in the wrapper: a comment, or prose.
func (p *parser) readAside(n int) state {
	kind := completion.SpanDropped
	if text := p.in.Rest()[:n]; text[0] != '<' && p.calls.whole == 0 {
		kind = completion.SpanText
		p.call.prose = bytes.TrimSpace(bytes.Clone(text))
	}
	p.call.NoteReason(messages.ReasonStrayText)
	p.in.Take(n, kind)
	return inWrapper
}

// readEmptyBlock reads the closing tag of a wrapper without calls. If the line ends after the tag, the
// model has called nothing, and the wrapper is dropped. If the line continues, the text is prose about the
// tags.
func (p *parser) readEmptyBlock(t markup.Tag) state {
	after := p.in.Rest()[t.Len:]
	if p.call.Reason != messages.ReasonNone || p.call.Quoted > 0 || p.call.Bare { // the wrapper has a comment, or is an example
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

// matchElement matches an element that has the name of an offered tool as its text:
// <function>book</function>. The call in it ends with its wrapper.
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

// matchToolElement matches t, at the start of rest, as an element that is named after an offered tool and contains its
// input: <book>{"note":"a"}</book>, or <book><note>a</note></book>. In the wrapper of the legacy format, such an element is
// data.
func (p *parser) matchToolElement(rest []byte, t markup.Tag) markup.Verdict {
	wrapped := p.tags.Wrapper == "tool_call" || p.tags.Wrapper == "toolcall"
	if !wrapped || t.Spelling != nil || t.Closing || t.Empty || len(t.Attributes) > 0 || t.IsWrapper() {
		return markup.NoMatch
	}
	tool := p.tools.Named(string(t.Full))
	if tool == nil || p.schemas.Of(tool).Declares(t.Full) {
		return markup.NoMatch
	}
	i, v := p.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	switch {
	case v != markup.Match:
		return v
	case i == len(rest):
		return markup.NoMatch
	case rest[i] == '{':
		return markup.Match
	case rest[i] != '<':
		return markup.NoMatch
	}
	inner, v := markup.MatchTag(rest[i:], p.in.EOF)
	if v == markup.Match {
		_, _, declared := p.schemas.Of(tool).PropertyByTag(string(inner.Full))
		v = markup.VerdictOf(declared && !inner.Closing)
	}
	return v
}

// beginToolElement begins the call of an element that is named after its tool. The call counts only if it is complete.
func (p *parser) beginToolElement(t markup.Tag) state {
	p.call.Spelling, p.call.Element, p.call.MustBeWhole = nil, string(t.Full), true
	p.call.NoteReason(messages.ReasonWrongOpener)
	p.in.Take(t.Len, completion.SpanMarkup)
	if next, ok := p.nameTool(string(t.Full)); !ok {
		return next
	}
	return p.beginTags()
}

// readMisnamed reads the name of an offered tool in the tag of a parameter, as the first thing in the
// wrapper: <parameter=book> instead of <function=book>. If the tag of a parameter follows, a call begins.
// Otherwise the wrapper is given back.
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
	p.call.NoteReason(messages.ReasonWrongOpener)
	return p.beginNamed(t)
}

// readNameFirst reads the name of an offered tool before the rest of its call: <tool_name>x</tool_name>,
// then <invoke> or a parameter in the format of the wrapper. The call counts only if it is complete. If
// anything else follows the name, the name and the rest of the wrapper are text.
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
		return p.giveBackNameless()
	case v == markup.NoMatch:
		p.giveBackText()
		return inForeignBlock
	}
	p.in.Take(n, completion.SpanMarkup)
	p.call.MustBeWhole = true
	p.call.NoteReason(messages.ReasonNameFirst)
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return p.beginTags()
}

// matchNextParameter matches the named tag of a parameter, after white space at rest[i].
func (p *parser) matchNextParameter(rest []byte, i int) markup.Verdict {
	return p.matchNextTag(rest, i, func(t markup.Tag) bool {
		_, named := t.NameAttribute()
		return t.Is("parameter") && !t.Closing && named
	})
}

// namesOffered reports whether t is named after an offered tool, with the mark of the spelling: <｜DSML｜book>.
func (p *parser) namesOffered(g *markup.Spelling, t *markup.Tag) bool {
	name, ok := bytes.CutPrefix(t.Full, []byte(strings.TrimPrefix(g.Begin, "<")))
	return g.Begin != "" && ok && p.tools.Named(string(name)) != nil
}

// matchNextTag matches a tag for which is returns true, after white space at rest[i].
func (p *parser) matchNextTag(rest []byte, i int, is func(markup.Tag) bool) markup.Verdict {
	i, v := p.in.MatchBlanks(rest, i, completion.MaxGap)
	switch {
	case v != markup.Match:
		return v
	case i == len(rest) || !p.BeginsTag(rest[i]):
		return markup.NoMatch
	}
	t, v := p.tags.MatchTag(rest[i:])
	if v == markup.Match {
		v = markup.VerdictOf(is(t))
	}
	return v
}

// matchBareInvoke matches <invoke> without a name, after white space at rest[i]. n is the index after the
// tag.
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

// maxAside is the most prose in a wrapper that the parser holds until the next tag arrives, in bytes.
const maxAside = 1 << 10

// matchAside matches text in a wrapper that is not a call: a comment, or prose up to the next call. A call
// in JSON has to begin its line. After a call, prose may also reach to the end of the wrapper. If Markdown
// code or JSON may begin in the prose, matchAside does not match, because the code or JSON may quote the
// tag.
func (p *parser) matchAside(rest []byte) (n int, v markup.Verdict) {
	if rest[0] == '<' {
		return markup.MatchComment(rest, p.in.EOF)
	}
	if rest[0] == '{' || p.BeginsTag(rest[0]) {
		return 0, markup.NoMatch
	}
	over := p.calls.whole > 0 && p.wrapperMayEnd() // the calls may have ended: then no other call follows prose here
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
	if n > 0 && p.ReadsMarks && (markup.HasPrefix(rest[n-1:], markup.Mark) || markup.IsPrefixOf(rest[n-1:], markup.Mark)) {
		n--
	}
	t, v := p.matchOpener(rest[n:])
	if v == markup.Match { // after the JSON of a call, its closing tag follows
		ends := t.IsWrapper() || t.Is("invoke") && t.Spelling.IsJSON()
		v = markup.VerdictOf(!t.Closing && t.Is("invoke") && !over || t.Closing && ends && p.calls.whole > 0)
	}
	return n, v
}
