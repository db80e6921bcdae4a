package answer

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Calls in which the tool's name stands without a tag before the input:
//
//	book{"note":"a"}    a server has erased the markers around the name, or the first of them
//	book                a wrapper holds the name, and the input on the next line
//	{"note":"a"}
//	book                a wrapper holds the name, and the tags of the parameters
//	<parameter=note>

// matchNamed matches the name of an offered tool and the { of its input. White space may come before the
// name, and markers may stand between the name and the {. n is the index of the {.
func (p *parser) matchNamed(rest []byte) (name string, n int, v markup.Verdict) {
	start, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	if v != markup.Match {
		return "", 0, v
	}
	n = start
	for n < len(rest) && n-start <= format.MaxOfferedName+format.CallIDLen && markup.IsNameByte(rest[n]) {
		n++
	}
	name = string(rest[start:n])
	name = p.tools.WithoutID(name)
	switch {
	case n == len(rest) && slices.ContainsFunc(p.tools.List, func(t messages.Tool) bool {
		return strings.HasPrefix(t.Name, name) || strings.HasPrefix(name, t.Name) && len(name) <= len(t.Name)+format.CallIDLen
	}):
		return "", 0, p.in.NeedMore()
	case n == len(rest) || p.tools.Named(name) == nil:
		return "", 0, markup.NoMatch
	}
	n, v = p.matchBeforeInput(rest, n)
	return name, n, v
}

// matchBeforeInput matches the marker of an id, the id, the marker of the input, and the { after them. All
// but the { are optional. The match starts at rest[n].
func (p *parser) matchBeforeInput(rest []byte, n int) (after int, v markup.Verdict) {
	for _, marker := range [...]string{format.CallIDMarker, format.ArgsMarker} {
		switch {
		case markup.IsPrefixOf(rest[n:], marker):
			return n, p.in.NeedMore()
		case !markup.HasPrefix(rest[n:], marker):
			continue
		}
		n += len(marker)
		for from := n; marker == format.CallIDMarker && n < len(rest) && n-from < format.MaxOfferedName && markup.IsNameByte(rest[n]); {
			n++
		}
	}
	if n == len(rest) {
		return n, p.in.NeedMore()
	}
	return n, markup.VerdictOf(rest[n] == '{')
}

// readNamed reads the name that matchNamed has matched (inTags).
func (p *parser) readNamed() state {
	name, n, _ := p.matchNamed(p.in.Rest())
	return p.beginInput(name, n)
}

// beginInput reads n bytes: the name of the call's tool, and everything between the name and the input
// (inTags).
func (p *parser) beginInput(name string, n int) state {
	p.call.AttributeForm = true
	p.in.Take(n, completion.SpanMarkup)
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return p.beginTags()
}

// matchNameLine matches the name of an offered tool in a wrapper, followed by its input. The input is an
// object in JSON, on the same or the next line, or JSON in a code fence. n is the index where the input or
// its fence begins. Inside the markers of literals, a name line is never a call in JSON.
func (p *parser) matchNameLine(rest []byte) (name string, n int, v markup.Verdict) {
	if p.literalsKnown(format.NoLiteral).Marked {
		return "", 0, markup.NoMatch
	}
	head := rest[:min(len(rest), format.MaxToolName)]
	end := bytes.IndexAny(head, "{[<`\n")
	switch {
	case end < 0 && len(head) < format.MaxToolName:
		return "", 0, p.in.NeedMore()
	case end <= 0:
		return "", 0, markup.NoMatch
	}
	n, v = p.in.MatchBlanks(rest, end, completion.MaxGap)
	if v != markup.Match {
		return "", 0, v
	}
	name = strings.TrimSpace(string(head[:end]))
	tool, _ := p.tools.Find(name)
	if tool == nil || n == len(rest) {
		return "", 0, markup.NoMatch
	}
	if rest[n] == '`' {
		_, v = p.tags.MatchFencedInput(rest[n:])
		return name, n, v
	}
	return name, n, markup.VerdictOf(rest[n] == '{')
}

// beginNameLine begins a call with the name that matchNameLine has matched (inTags).
func (p *parser) beginNameLine(name string, n int) state {
	p.call.Spelling = namedCalls
	p.call.NoteReason(messages.ReasonNameFirst)
	return p.beginInput(name, n)
}

// readBareName reads the name of an offered tool on its own, before the first parameter in the format of the wrapper,
// or before the end of the call. The opening tag is missing, or only its end is left: book>. The call counts only if it
// is complete.
func (p *parser) readBareName(rest []byte) (next state, v markup.Verdict) {
	if p.wrapperSpelling == nil || rest[0] == '<' {
		return wait, markup.NoMatch
	}
	head := rest[:min(len(rest), format.MaxToolName+len("=>"))]
	end := bytes.IndexAny(head, "<>{[`\"")
	switch {
	case end < 0 && len(head) == len(rest):
		return wait, p.in.NeedMore()
	case end <= 0:
		return wait, markup.NoMatch
	}
	name := strings.Trim(string(head[:end]), "= \t\r\n")
	if tool, _ := p.tools.Find(name); tool == nil {
		return wait, markup.NoMatch
	}
	if rest[end] == '>' {
		end++
	}
	if v = p.matchNextTag(rest, end, func(t markup.Tag) bool { return t.Is("parameter") && !t.Closing || t.Is("invoke") && t.Closing }); v != markup.Match {
		return wait, v
	}
	p.call.Spelling, p.call.AttributeForm, p.call.MustBeWhole = p.wrapperSpelling, true, true
	p.call.NoteReason(messages.ReasonWrongOpener)
	p.in.Take(end, completion.SpanMarkup)
	if next, ok := p.nameTool(name); !ok {
		return next, v
	}
	return p.beginTags(), v
}

// readUnmarked reads the name of an offered tool in its wrapper, without the marker before it, but with the marker before
// its input.
func (p *parser) readUnmarked(rest []byte) (next state, v markup.Verdict) {
	g := p.wrapperSpelling
	if !p.call.WrapperOpen || !g.IsJSON() {
		return wait, markup.NoMatch
	}
	t, v := g.MatchUnmarked(rest, p.in.EOF)
	switch {
	case v != markup.Match:
		return wait, v
	case !p.mayMean(p.nameOf(&t)):
		return wait, markup.NoMatch
	}
	if !p.in.IsMarked() {
		p.beginNextCall(t)
	}
	p.call.Spelling, p.call.MustBeWhole = g, true
	p.call.NoteReason(messages.ReasonWrongOpener)
	return p.beginNamed(t), v
}

// nameOf returns the name of the tool in the tag of a call.
func (p *parser) nameOf(t *markup.Tag) string {
	name, _ := t.NameAttribute()
	if t.Spelling != nil && t.Spelling.IDs {
		name = p.tools.OfID(name)
	}
	return name
}

// matchNamedWrapper matches the tag of a wrapper that names an offered tool, if a { follows: <tool_call
// id="1" name="book">{…}. t is the tag at the start of rest.
func (p *parser) matchNamedWrapper(rest []byte, t *markup.Tag) markup.Verdict {
	name, named := t.NameAttribute()
	if !named || t.Closing || t.Spelling != nil || !t.IsWrapper() {
		return markup.NoMatch
	}
	tool, _ := p.tools.Find(name)
	i, v := p.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	if v == markup.Match {
		v = markup.VerdictOf(tool != nil && i < len(rest) && rest[i] == '{')
	}
	return v
}

// beginNamedWrapper begins the call of a wrapper that matchNamedWrapper has matched (inTags).
func (p *parser) beginNamedWrapper(t markup.Tag) state {
	p.openWrapper(t)
	p.call.Spelling = namedCalls
	p.call.NoteReason(messages.ReasonAttributes)
	name, _ := t.NameAttribute()
	return p.beginInput(name, t.Len)
}
