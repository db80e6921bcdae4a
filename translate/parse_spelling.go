package translate

import (
	"slices"

	"dragoman/translate/markup"
)

// Tags in the spelling of a format. Which formats are read besides legacy and attribute is set for the
// parser; which of them a call is in is known with its first tag, and its other tags are read in that
// one alone.

// matchTag matches the tag that rest begins with, in the spelling of the call.
func (p *parser) matchTag(rest []byte) (markup.Tag, markup.Verdict) {
	return p.call.spelling.MatchTag(rest, p.in.eof)
}

// matchOpener matches the tag that rest begins with where a call may begin, in any spelling. A closing
// tag that may be that of an open wrapper is.
func (p *parser) matchOpener(rest []byte) (markup.Tag, markup.Verdict) {
	for _, g := range p.spellings {
		t, v := g.MatchListed(rest, p.in.eof)
		switch {
		case v == markup.NeedMore:
			return t, v
		case v == markup.Match && !(t.Closing && p.call.wrapperOpen && string(t.Full) == p.wrapper):
			return t, v
		}
	}
	return markup.MatchTag(rest, p.in.eof)
}

// matchTextTag is [markup.MatchTextTag] in any spelling.
func (p *parser) matchTextTag(rest []byte) (t markup.TextTag, v markup.Verdict) {
	for _, g := range p.spellings {
		tag, v := g.MatchListed(rest, p.in.eof)
		switch {
		case v == markup.NeedMore:
			return t, v
		case v == markup.NoMatch || tag.Closing:
		case tag.Is("invoke"):
			return markup.TextTag{Tag: tag, Kind: markup.KindInvoke, Name: "invoke"}, v
		case tag.IsWrapper():
			return markup.TextTag{Tag: tag, Kind: markup.KindWrapper, Name: "function_calls"}, v
		}
	}
	return markup.MatchTextTag(rest, p.in.eof)
}

// maySpell reports whether the `<` that text begins with may begin a tag in a spelling of the parser's.
func (p *parser) maySpell(text []byte) bool {
	if len(p.spellings) == 0 || len(text) > 1 && !p.spelled.has(text[1]) {
		return false
	}
	for _, g := range p.spellings {
		if g.MatchName(text, false) != markup.NoMatch {
			return true
		}
	}
	return false
}

// noteBare records that the call begins without the wrapper that its format has. Formats without one
// open and close their calls clearly enough; legacy and attribute have always been read so.
func (p *parser) noteBare() {
	call := &p.call
	if call.spelling != nil && call.spelling.HasWrapper() && !call.wrapperOpen {
		call.mustBeWhole, call.bare = true, true
	}
}

// readIn has the parser read calls in the spellings of formats, too. A tag that may be of several is
// read in the first that knows what stands behind it.
func (p *parser) readIn(list ...*format) {
	for _, labelled := range [...]bool{true, false} {
		for _, f := range list {
			if g := f.spelling; g != nil && g.Labels() == labelled && !slices.Contains(p.spellings, g) {
				p.spellings = append(p.spellings, g)
				after, _ := g.Starts()
				p.spelled.addAll(after)
			}
		}
	}
}
