package answer

import (
	"bytes"
	"math/bits"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Tags in the spelling of a format. Which formats are read besides legacy and attribute is set for the
// parser; which of them a call is in is known with its first tag, and its other tags are read in that
// one alone.

// matchOpener matches the tag that rest begins with where a call may begin, in any spelling, first in that
// of an open wrapper. A closing tag that may be that of an open wrapper is.
func (p *parser) matchOpener(rest []byte) (markup.Tag, markup.Verdict) {
	if g := p.wrapperSpelling; g != nil && p.call.WrapperOpen {
		if t, v := g.MatchListed(rest, p.in.EOF); v != markup.NoMatch {
			return t, v
		}
	}
	for _, g := range p.Spellings {
		t, v := g.MatchListed(rest, p.in.EOF)
		switch {
		case v == markup.NeedMore:
			return t, v
		case v == markup.Match && !(t.Closing && t.Is("invoke") && p.call.WrapperOpen && string(t.Full) == p.tags.Wrapper) && !p.isProse(&t, rest):
			return t, v
		}
	}
	if rest[0] != '<' {
		return markup.Tag{}, markup.NoMatch
	}
	return markup.MatchTag(rest, p.in.EOF)
}

// matchTextTag is [markup.MatchTextTag] in any spelling.
func (p *parser) matchTextTag(rest []byte) (t markup.TextTag, v markup.Verdict) {
	for begun := p.Spelled.By(rest); begun != 0; begun &= begun - 1 {
		tag, v := p.Spellings[bits.TrailingZeros32(begun)].MatchListed(rest, p.in.EOF)
		switch {
		case v == markup.NeedMore:
			return t, v
		case v == markup.NoMatch || tag.Closing || p.isProse(&tag, rest):
		case tag.Is("invoke"):
			return markup.TextTag{Tag: tag, Kind: markup.KindInvoke, Name: "invoke"}, v
		case tag.IsWrapper():
			return markup.TextTag{Tag: tag, Kind: markup.KindWrapper, Name: "function_calls"}, v
		}
	}
	if t, v = p.matchThinkingMark(rest, p.in.EOF); v != markup.NoMatch {
		return t, v
	}
	if rest[0] != '<' {
		return t, markup.NoMatch
	}
	return markup.MatchTextTag(rest, p.in.EOF)
}

// nextTagStart returns the index, from i on, of the next byte of text that a tag may begin with, or a
// list of calls in Python, or len(text).
func (p *parser) nextTagStart(text []byte, i int) int {
	if p.ReadsMarks {
		if n := bytes.IndexByte(text[i:], markup.Mark[0]); n >= 0 { // a bracket is looked for no further, or it would be for each mark
			text = text[:i+n]
		}
	}
	return p.nextBracket(text, i)
}

// nextBracket is nextTagStart without the mark of nested tags.
func (p *parser) nextBracket(text []byte, i int) int {
	if p.Bracketed || p.ReadsLiteral[format.PythonLiteral] {
		return completion.IndexEither(text, i, '<', '[')
	}
	if n := bytes.IndexByte(text[i:], '<'); n >= 0 {
		return i + n
	}
	return len(text)
}

// isProse reports whether the label of t, which rest begins with, is what models write before a call in
// JSON, and no name of a tool: <tool_call>Let me see. {"name":…}
func (p *parser) isProse(t *markup.Tag, rest []byte) bool {
	if t.Closing || !t.Is("invoke") || !t.Spelling.Labels() || t.Spelling.IsJSON() {
		return false
	}
	if i := markup.SkipBlanks(rest, t.Len, len(rest)); i == len(rest) || rest[i] != '{' {
		return false
	}
	label, _ := t.NameAttribute()
	tool, _ := p.tools.Find(label)
	return tool == nil
}

// openWrapper records that t, or the beginning of an answer, has opened a wrapper.
func (p *parser) openWrapper(t markup.Tag) {
	p.call.WrapperOpen = true
	p.tags.Wrapper, p.wrapperSpelling, p.listEnd = string(t.Name), t.Spelling, ""
	if t.Spelling != nil { // there it has a name that is not its own
		p.tags.Wrapper = string(t.Full)
	}
}
