package answer

import (
	"bytes"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// How the text of a value is scanned for the tags that may end it. Most text is passed over unread.

// scanValue returns how many bytes of rest are text of the value, and what the `<` after them is, with
// the length of the closing tag if it ends the value. The decision is isValue, without a look, where
// those bytes end at the end of rest, at an `&` or at a `]`. So it is where a `<` follows text of a
// value that is held: the caller holds that text first, since whether a tag ends the value depends on
// all of the value before it.
func (p *parser) scanValue(rest []byte) (n, end int, d decision) {
	if len(p.call.ends) > 0 {
		return p.scanSettled(rest)
	}
	if p.value.unbracketed && !p.value.cdata {
		if n, end, d, ok := p.scanUnbracketed(rest); ok {
			return n, end, d
		}
	}
	for n, p.value.looked = p.value.looked, 0; ; n++ {
		n = p.nextSpecial(rest, n)
		if n == len(rest) || rest[n] != '<' || n > 0 && p.value.mode == modeHeld {
			return n, 0, isValue
		}
		if p.value.cdata {
			if end, d = p.decideInSection(rest, n); d != isValue {
				return n, end, d
			}
			continue
		}
		if end, d = p.decideTag(rest[n:]); d != isValue {
			return n, end, d
		}
		if n+1 < len(rest) {
			p.value.text.See(rest[n+1])
		}
	}
}

// scanSettled is scanValue where a doubt has been settled: all up to the next of the ends is text.
func (p *parser) scanSettled(rest []byte) (n, end int, d decision) {
	next := p.call.ends[0]
	at := min(max(next.At-p.in.offset(), 0), len(rest))
	if n = p.nextEscape(rest[:at]); n < at {
		return n, 0, isValue
	}
	if n = p.takeEnd(); n < 0 { // the text goes on
		return at, 0, isValue
	}
	return at, n, endsValue
}

// takeEnd takes the next of the settled ends, and returns the length of the closing tag.
func (p *parser) takeEnd() int {
	end := p.call.ends[0]
	p.call.ends = p.call.ends[1:]
	if end.Len >= 0 {
		p.value.unclosed, p.value.ambiguous, p.value.markup = end.Len == 0, false, end.Markup
		p.value.misclosed = end.Reason != ""
		p.noteReason(end.Reason)
	}
	return end.Len
}

// nextSpecial returns the index, from n on, of the first byte of rest that may be more than text of
// the value, or len(rest): the `<` of a tag that may matter, and what nextEscape finds. It records
// the elements of other names, whose closing tags do not matter.
func (p *parser) nextSpecial(rest []byte, n int) int {
	v := &p.value
	if v.cdata {
		return p.nextInSection(rest, n)
	}
	tag := byte('<')
	escape := tag
	if p.escaped.Tags != 0 {
		escape = '&'
	}
	typed := v.mode == modeHeld && v.text.Schema != nil
	for n < len(rest) {
		if rest[n] != '<' {
			if n = indexEither(rest, n, tag, escape); n == len(rest) {
				break
			}
		}
		switch {
		case n+1 == len(rest):
			return n
		case rest[n] == '&':
			if markup.MayBeEscape(rest[n+1]) {
				return n
			}
		case v.openerStarts.Has(rest[n+1]), typed && v.mayBeWhole(n),
			rest[n+1] == '/' && (n+2 == len(rest) || v.mayEnd(rest[n+2])):
			if v.mode == modeHeld || !p.isNoTag(rest[n:]) {
				return n
			}
			v.text.See(rest[n+1])
		default:
			v.text.See(rest[n+1])
		}
		n++
	}
	return n
}

// isNoTag reports whether the `<` that rest begins with is text of a string by the name that follows it,
// as decideTag would find. Of a closing tag whose element was not opened it does not ask.
func (p *parser) isNoTag(rest []byte) bool {
	if rest[1] == '/' && (len(rest) == 2 || !p.value.text.Saw(rest[2])) {
		return false
	}
	return p.matchTagName(rest, false) == markup.NoMatch
}

// mayBeWhole reports whether the value, which is held, may be whole after n more bytes, so that every
// tag there matters: see isWhole. Of bytes that are not held yet, it says what they allow.
func (v *valueSeen) mayBeWhole(n int) bool {
	j := &v.text.JSON
	return v.text.Schema.IsScalar() || j.HasEnded() || n > 0 && (j.Is || !j.Begun && held.IsTyped(v.text.Schema))
}

// passForeignCloser decides, as decideTag does, on the closing tag of an element that was not opened in
// a string and is of no concern to the call: it is text before what cannot follow a value, that is
// before other text, and before another such tag. It reports false, and records nothing, where it does
// not look that closely.
func (p *parser) passForeignCloser(rest []byte) bool {
	v := &p.value
	if v.mode != modeText || v.cdata || rest[1] != '/' || p.takesAny() {
		return false
	}
	g := p.call.spelling
	n := foreignCloserLen(rest)
	if n == 0 || n == len(rest) || markup.IsBlank(rest[n]) || rest[n] == '<' && (foreignCloserLen(rest[n:]) == 0 || g.MatchName(rest[n:], true) != markup.NoMatch) {
		return false
	}
	name := rest[2 : n-1]
	if g.MatchName(rest, true) != markup.NoMatch {
		return false
	}
	if string(name) == v.text.Closer || v.names.Has(nameKey(name)) || v.text.Holds(string(name)) {
		return false
	}
	return true
}

// foreignCloserLen returns the length of the closing tag at the beginning of rest, 0 if there is none
// or if it may be one of a call.
func foreignCloserLen(rest []byte) int {
	if len(rest) < 2 || rest[1] != '/' {
		return 0
	}
	i := 2
	for i < len(rest) && i < markup.MaxParamTagLen && markup.IsTagByte(rest[i]) && rest[i] != ':' && rest[i] != '%' {
		i++
	}
	if i == 2 || i >= len(rest) || rest[i] != '>' || isOfCall(rest[2:i]) {
		return 0
	}
	return i + 1
}

// isOfCall reports whether tags of that name, in any case, belong to a call.
func isOfCall(name []byte) bool {
	t := markup.Tag{Name: name}
	return len(name) >= len("invoke") && (t.Is("invoke") || t.Is("parameter") || t.Is("parameters") || t.IsWrapper())
}

// mayEnd reports whether a closing tag whose name begins with c may matter.
func (v *valueSeen) mayEnd(c byte) bool {
	return v.closerStarts.Has(c) || v.text.Schema != nil && (!v.text.Saw(c) || v.text.HoldsFrom(c))
}

// nextEscape returns the index of the first byte of text that is not text of the value as it stands,
// or len(text): an `&` if the prompt has escaped anything and, within a CDATA section, a `]`.
func (p *parser) nextEscape(text []byte) int {
	if p.escaped.Tags != 0 {
		if i := bytes.IndexByte(text, '&'); i >= 0 {
			text = text[:i]
		}
	}
	if p.value.cdata {
		if i := bytes.IndexByte(text, ']'); i >= 0 {
			text = text[:i]
		}
	}
	return len(text)
}

// noteStarts records the first bytes of the names of all tags that matter to decideTag, so that
// nextSpecial can pass over most others without a match.
func (p *parser) noteStarts() {
	v := &p.value
	if g := p.call.spelling; g != nil {
		starts := format.SpelledBy(g)
		v.openerStarts.Join(&starts.Openers)
		v.closerStarts.Join(&starts.Closers)
	}
	for _, name := range [...]string{v.text.Closer, v.tag, p.call.namespace, "parameter", "invoke"} {
		if name != "" {
			v.closerStarts.Add(name[0])
		}
	}
	if v.text.Schema == nil {
		return
	}
	for _, c := range []byte("pPiIfFtTuUm") { // <parameter>, <invoke>, and wrappers in any case
		v.openerStarts.Add(c)
	}
	for _, name := range [...]string{v.text.Closer, p.call.namespace} {
		if name != "" {
			v.openerStarts.Add(name[0])
		}
	}
	if v.text.Element && p.takesAny() {
		for c := range 256 {
			if markup.IsTagByte(byte(c)) {
				v.openerStarts.Add(byte(c))
			}
		}
	}
	v.names.Add('%')
	properties := p.call.schema.Properties
	for i := range properties {
		for _, name := range [...]string{properties[i].Tag, properties[i].Name} {
			if name == "" {
				continue
			}
			v.closerStarts.Add(name[0])
			v.names.Add(nameKey([]byte(name)))
			if v.text.Element {
				v.openerStarts.Add(name[0])
			}
		}
	}
}

// nameKey returns a key that tells most names of tags apart, before they are looked up. All names with
// a % have one key, since models escape bytes that could stand as they are.
func nameKey(name []byte) byte {
	for _, c := range name {
		if c == '%' {
			return c
		}
	}
	return name[0] + 31*byte(len(name))
}
