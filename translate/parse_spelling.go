package translate

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Tags in the spelling of a format. Which formats are read besides legacy and attribute is set for the
// parser; which of them a call is in is known with its first tag, and its other tags are read in that
// one alone.

// matchOwnTag matches the tag that rest begins with, in the spelling of the call.
func (p *parser) matchOwnTag(rest []byte) (markup.Tag, markup.Verdict) {
	return p.call.spelling.MatchTag(rest, p.in.eof)
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
	for _, g := range p.spellings {
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
	for begun := p.spelled.by(rest); begun != 0; begun &= begun - 1 {
		tag, v := p.spellings[bits.TrailingZeros32(begun)].MatchListed(rest, p.in.eof)
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
func (p *parser) beginsTag(c byte) bool { return c == '<' || c == '[' && p.bracketed }

// nextTagStart returns the index, from i on, of the next byte of text that a tag may begin with, or a
// list of calls in Python, or len(text).
func (p *parser) nextTagStart(text []byte, i int) int {
	if p.bracketed || p.readsLiteral[pythonLiteral] {
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
	tool, _ := p.tools.find(label)
	return tool == nil
}

// openWrapper records that t, or the beginning of an answer, has opened a wrapper.
func (p *parser) openWrapper(t markup.Tag) {
	p.call.wrapperOpen = true
	p.wrapper, p.wrapperSpelling, p.inList = string(t.Name), t.Spelling, false
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
	for _, g := range p.spellings {
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

// readIn has the parser read calls in the spellings of formats, too. A tag that may be of several is
// read in the first that knows what stands behind it; the first parameter may still tell another: see
// respell.
func (p *parser) readIn(list []*format) {
	for _, f := range list {
		if f == p.format || f.name != FormatJSON { // whose models' calls are read in all formats, but not these
			p.alone = append(p.alone, f.alone...)
		}
		if marks := f.thinking; marks.closes != "" {
			p.thinking = append(p.thinking, marks)
			p.bracketed = p.bracketed || marks.closes[0] == '['
		}
	}
	for _, looksBehind := range [...]bool{true, false} {
		for _, f := range list {
			p.readsChannels = p.readsChannels || f.channels
			p.readsLiteral[f.literal] = f.literal != noLiteral
			for _, g := range f.spellings() {
				if g.LooksBehind() == looksBehind && !slices.Contains(p.spellings, g) {
					p.spelled.add(len(p.spellings), &spelledBy(g).calls)
					p.spellings = append(p.spellings, g)
					p.bracketed = p.bracketed || g.IsBracketed()
				}
			}
		}
	}
}

// readJoined reads a call in which the name of the tool and that of the first parameter stand together,
// since the tag between them is missing: t has both as its label. They are told apart by the tools. The
// verdict is NoMatch if t is no such tag.
func (p *parser) readJoined(t markup.Tag, label string) (next state, v markup.Verdict) {
	if p.call.spelling.Between() == "" || t.Len >= len(p.in.rest()) || p.tools.named(label) != nil {
		return wait, markup.NoMatch
	}
	tool, param := p.splitLabel(label)
	if tool == "" {
		return wait, markup.NoMatch
	}
	first, v := p.matchParameter(t, param)
	if v != markup.Match {
		return wait, v
	}
	first.Len -= t.Len
	p.in.take(t.Len, SpanMarkup)
	if next, ok := p.nameTool(tool); !ok {
		return next, v
	}
	p.noteReason("tool_name")
	p.openOffered()
	return p.beginValue(first, param, param, false), v
}

// matchParameter matches the tag of the named parameter that rest has where the tag t stands, which has
// its name as the label, or in it.
func (p *parser) matchParameter(t markup.Tag, name string) (first markup.Tag, v markup.Verdict) {
	label := p.call.spelling.Between() + name
	rest := p.in.rest()[t.Len:]
	near := rest[:min(len(rest), 4*maxToolName)] // of which the tag is no more: all of rest is not to be copied for each call
	first, v = p.call.spelling.MatchListed(append([]byte(label), near...), p.in.eof && len(near) == len(rest))
	first.Len += t.Len - len(label)
	return first, v
}

// readMisopened reads t, which opens a call as the first thing in another: its first parameter, where the
// model wrote the tag of a call for that of a parameter, as in <tool_call>book<tool_call>note</arg_key>.
// Else the call that is open was not closed.
func (p *parser) readMisopened(t markup.Tag) state {
	name, _ := t.NameAttribute()
	_, _, declared := p.call.schema.PropertyByTag(name)
	if !declared || p.call.unoffered || p.tools.named(name) != nil {
		return p.closeCall("missing_closer")
	}
	first, v := p.matchParameter(t, name)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return p.closeCall("missing_closer")
	}
	p.noteReason("wrong_opener")
	p.openOffered()
	return p.beginValue(first, name, name, false)
}

// splitLabel splits a label into the name of an offered tool and that of a parameter that it declares.
// Of several tools it is the one with the longest name.
func (p *parser) splitLabel(label string) (tool, param string) {
	for i := range p.tools.list {
		t := &p.tools.list[i]
		rest, ok := strings.CutPrefix(label, t.Name)
		if rest = strings.TrimLeft(rest, " \n"); !ok || rest == "" || len(t.Name) <= len(tool) {
			continue
		}
		if property, _, declared := p.schemas.of(t).PropertyByTag(rest); declared && property == rest {
			tool, param = t.Name, rest
		}
	}
	return tool, param
}

// matchUnbracketed matches the tag of a call in a wrapper that has lost its `<`: function=book>.
func (p *parser) matchUnbracketed(rest []byte) (t markup.Tag, v markup.Verdict) {
	if len(rest) == 0 || rest[0] == '<' || p.spelled.at[rest[0]%128] == 0 {
		return t, markup.NoMatch
	}
	text := append([]byte{'<'}, rest[:min(len(rest), maxToolName)]...)
	for _, g := range p.spellings {
		if g.Labels() {
			continue
		}
		t, v = g.MatchListed(text, p.in.eof || len(text) > maxToolName)
		if v == markup.NeedMore || v == markup.Match && t.Is("invoke") && !t.Closing {
			t.Len--
			return t, v
		}
	}
	return t, markup.NoMatch
}

// matchUnopened matches the name of an offered tool whose call has lost the tag before it, in a format in
// which a tag stands between that name and the first parameter: book<arg_key>note</arg_key>. It may be the
// end of the call as well.
func (p *parser) matchUnopened(rest []byte) (name string, g *markup.Spelling, v markup.Verdict) {
	head := rest[:min(len(rest), maxToolName)]
	end := bytes.IndexAny(head, "< \t\r\n")
	if end < 0 {
		end = len(head)
	}
	name = string(head[:end])
	switch {
	case end == 0 || end == maxToolName:
		return "", nil, markup.NoMatch
	case end == len(head) && slices.ContainsFunc(p.tools.list, func(t messages.Tool) bool { return strings.HasPrefix(t.Name, name) }):
		v = p.in.needMore()
	case p.tools.named(name) == nil:
		return "", nil, markup.NoMatch
	}
	behind, blank := p.in.matchBlanks(rest, end, maxGap)
	for _, g := range p.spellings {
		between := g.Between()
		if between == "" || blank == markup.NoMatch || behind == len(rest) && p.in.eof {
			continue
		}
		end, ends := g.MatchListed(rest[behind:], p.in.eof)
		switch {
		case markup.HasPrefix(rest[behind:], between), ends == markup.Match && end.Closing && end.Is("invoke"):
			return name, g, markup.Match
		case blank == markup.NeedMore || markup.IsPrefixOf(rest[behind:], between):
			v = p.in.needMore()
		}
	}
	return name, nil, v
}

// beginUnopened begins the next call with the name of its tool, which is next. It is one only if it is
// whole.
func (p *parser) beginUnopened(name string, g *markup.Spelling) state {
	p.beginNextCall(markup.Tag{Spelling: g})
	p.call.attributeForm, p.call.mustBeWhole, p.call.bare = true, true, true
	p.noteReason("wrong_opener")
	p.in.take(len(name), SpanMarkup)
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return inCall
}
