package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"math/bits"
)

// Tags in the spelling of a format. Which formats are read besides legacy and attribute is set for the
// parser; which of them a call is in is known with its first tag, and its other tags are read in that
// one alone.

// matchOwnTag matches the tag that rest begins with, in the spelling of the call.
func (p *parser) matchOwnTag(rest []byte) (markup.Tag, markup.Verdict) {
	return p.call.spelling.MatchTag(rest, p.in.eof)
}

// endsWithin reports whether the text was cut within the tag that rest begins with.
func (p *parser) endsWithin(rest []byte) bool {
	_, v := p.call.spelling.MatchTag(rest, false)
	return v == markup.NeedMore
}

// matchTag is matchOwnTag where nothing but tags of a call can stand: its closing tags may be those of the
// attribute format (see [markup.Spelling.Plain]).
func (p *parser) matchTag(rest []byte) (markup.Tag, markup.Verdict) {
	t, v := p.matchOwnTag(rest)
	if g := p.call.spelling; v == markup.Match && g != nil && g.Plain && len(t.Name) == 0 && t.Closing {
		plain, _ := markup.MatchTag(rest, true)
		if plain.Is("invoke") || plain.Is("parameter") || plain.IsWrapper() {
			plain.Spelling = g
			return plain, v
		}
	}
	return t, v
}

// matchOpener matches the tag that rest begins with where a call may begin, in any spelling, first in that
// of an open wrapper. A closing tag that may be that of an open wrapper is.
func (p *parser) matchOpener(rest []byte) (markup.Tag, markup.Verdict) {
	if g := p.wrapperSpelling; g != nil && p.call.wrapperOpen {
		if t, v := g.MatchListed(rest, p.in.eof); v != markup.NoMatch {
			return t, v
		}
	}
	for _, g := range p.Spellings {
		t, v := g.MatchListed(rest, p.in.eof)
		switch {
		case v == markup.NeedMore:
			return t, v
		case v == markup.Match && !(t.Closing && t.Is("invoke") && p.call.wrapperOpen && string(t.Full) == p.wrapper) && !p.isProse(&t, rest):
			return t, v
		}
	}
	if rest[0] != '<' {
		return markup.Tag{}, markup.NoMatch
	}
	return markup.MatchTag(rest, p.in.eof)
}

// matchTextTag is [markup.MatchTextTag] in any spelling.
func (p *parser) matchTextTag(rest []byte) (t markup.TextTag, v markup.Verdict) {
	for begun := p.Spelled.By(rest); begun != 0; begun &= begun - 1 {
		tag, v := p.Spellings[bits.TrailingZeros32(begun)].MatchListed(rest, p.in.eof)
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
	if t, v = p.matchThinkingMark(rest, p.in.eof); v != markup.NoMatch {
		return t, v
	}
	if rest[0] != '<' {
		return t, markup.NoMatch
	}
	return markup.MatchTextTag(rest, p.in.eof)
}

// beginsTag reports whether a tag may begin with c.
func (p *parser) beginsTag(c byte) bool {
	return c == '<' || c == '[' && p.Bracketed || c == markup.Mark[0] && p.ReadsMarks
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
		return indexEither(text, i, '<', '[')
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
	p.call.wrapperOpen = true
	p.wrapper, p.wrapperSpelling, p.listEnd = string(t.Name), t.Spelling, ""
	if t.Spelling != nil { // there it has a name that is not its own
		p.wrapper = string(t.Full)
	}
}

// respell has the call read in the spelling in which t, the first tag in it, opens a parameter, where it is
// none in that of the call: <function name="book"> may begin a call in several. It reports false while
// more text has to come.
func (p *parser) respell(t *markup.Tag) bool {
	call := &p.call
	if call.spelling == nil || len(t.Name) > 0 || t.Closing || len(call.parameters) > 0 {
		return true
	}
	for _, g := range p.Spellings {
		if !g.Joins(call.spelling) {
			continue
		}
		switch other, v := g.MatchListed(p.in.rest(), p.in.eof); {
		case v == markup.NeedMore:
			return false
		case v == markup.Match && other.Is("parameter"):
			*t, call.spelling = other, g
			call.bare, call.mustBeWhole = false, call.quoted > 0
			p.noteBare()
			return true
		}
	}
	return true
}

// noteBare records that the call begins without the wrapper that its format has. Formats without one
// open and close their calls clearly enough; legacy and attribute have always been read so.
func (p *parser) noteBare() {
	call := &p.call
	if call.spelling != nil && call.spelling.HasWrapper() && !call.wrapperOpen {
		call.mustBeWhole, call.bare = true, true
	}
}
