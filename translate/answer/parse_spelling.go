package answer

import (
	"bytes"
	"math/bits"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Tags in the spellings of the formats. The parser's settings tell which formats it reads in addition to
// legacy and attribute. The first tag of a call decides the format of the call. The parser reads the other
// tags of the call in this format only.

// matchOpener matches a tag at the start of rest, where a call may begin. It tries the spelling of an open
// wrapper first, then all others. If a closing tag may close the open wrapper, matchOpener takes it for the
// wrapper's.
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

// matchTextTag does what [markup.MatchTextTag] does, in all spellings.
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

// nextTagStart returns the index of the next byte, from i on, that may begin a tag or a list of calls in
// Python. If there is none, it returns len(text).
func (p *parser) nextTagStart(text []byte, i int) int {
	if p.ReadsMarks {
		if n := bytes.IndexByte(text[i:], markup.Mark[0]); n >= 0 { // so that many marks do not search all text each
			text = text[:i+n]
		}
	}
	return p.nextBracket(text, i)
}

// nextBracket does what nextTagStart does, but ignores the mark of nested tags.
func (p *parser) nextBracket(text []byte, i int) int {
	if p.Bracketed || p.ReadsLiteral[format.PythonLiteral] {
		return completion.IndexEither(text, i, '<', '[')
	}
	if n := bytes.IndexByte(text[i:], '<'); n >= 0 {
		return i + n
	}
	return len(text)
}

// isProse reports whether the label of t is only prose before a call in JSON: <tool_call>Let me see.
// {"name":…}. The label is prose if it names no tool. t is the tag at the start of rest.
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

// openWrapper records that a wrapper is open. t is its tag, or comes from the start of an answer.
func (p *parser) openWrapper(t markup.Tag) {
	p.call.WrapperOpen = true
	p.tags.Wrapper, p.wrapperSpelling, p.listEnd = string(t.Name), t.Spelling, ""
	if t.Spelling != nil { // in other spellings, Name is not the text of the tag
		p.tags.Wrapper = string(t.Full)
	}
}
