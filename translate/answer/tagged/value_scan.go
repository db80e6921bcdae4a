package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
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
func (r *Reader) scanValue(rest []byte) (n, end int, d decision) {
	if len(r.open.ends) > 0 {
		return r.scanSettled(rest)
	}
	if r.value.unbracketed && !r.value.cdata {
		if n, end, d, ok := r.scanUnbracketed(rest); ok {
			return n, end, d
		}
	}
	for n, r.value.looked = r.value.looked, 0; ; n++ {
		n = r.nextSpecial(rest, n)
		if n == len(rest) || rest[n] != '<' || n > 0 && r.value.mode == modeHeld {
			return n, 0, isValue
		}
		if r.value.cdata {
			if end, d = r.decideInSection(rest, n); d != isValue {
				return n, end, d
			}
			continue
		}
		if end, d = r.decideTag(rest[n:]); d != isValue {
			return n, end, d
		}
		if n+1 < len(rest) {
			r.value.text.See(rest[n+1])
		}
	}
}

// scanSettled is scanValue where a doubt has been settled: all up to the next of the ends is text.
func (r *Reader) scanSettled(rest []byte) (n, end int, d decision) {
	next := r.open.ends[0]
	at := min(max(next.At-r.in.Offset(), 0), len(rest))
	if n = r.nextEscape(rest[:at]); n < at {
		return n, 0, isValue
	}
	if n = r.takeEnd(); n < 0 { // the text goes on
		return at, 0, isValue
	}
	return at, n, endsValue
}

// takeEnd takes the next of the settled ends, and returns the length of the closing tag.
func (r *Reader) takeEnd() int {
	end := r.open.ends[0]
	r.open.ends = r.open.ends[1:]
	if end.Len >= 0 {
		r.value.unclosed, r.value.ambiguous, r.value.markup = end.Len == 0, false, end.Markup
		r.value.misclosed = end.Reason != ""
		r.call.NoteReason(end.Reason)
	}
	return end.Len
}

// nextSpecial returns the index, from n on, of the first byte of rest that may be more than text of
// the value, or len(rest): the `<` of a tag that may matter, and what nextEscape finds. It records
// the elements of other names, whose closing tags do not matter.
func (r *Reader) nextSpecial(rest []byte, n int) int {
	v := &r.value
	if v.cdata {
		return r.nextInSection(rest, n)
	}
	tag := byte('<')
	escape := tag
	if r.escaped.Tags != 0 {
		escape = '&'
	}
	typed := v.mode == modeHeld && v.text.Schema != nil
	for n < len(rest) {
		if rest[n] != '<' {
			if n = completion.IndexEither(rest, n, tag, escape); n == len(rest) {
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
			if v.mode == modeHeld || !r.isNoTag(rest[n:]) {
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
func (r *Reader) isNoTag(rest []byte) bool {
	if rest[1] == '/' && (len(rest) == 2 || !r.value.text.Saw(rest[2])) {
		return false
	}
	return r.matchTagName(rest, false) == markup.NoMatch
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
func (r *Reader) passForeignCloser(rest []byte) bool {
	v := &r.value
	if v.mode != modeText || v.cdata || rest[1] != '/' || r.takesAny() {
		return false
	}
	g := r.call.Spelling
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
func (r *Reader) nextEscape(text []byte) int {
	if r.escaped.Tags != 0 {
		if i := bytes.IndexByte(text, '&'); i >= 0 {
			text = text[:i]
		}
	}
	if r.value.cdata {
		if i := bytes.IndexByte(text, ']'); i >= 0 {
			text = text[:i]
		}
	}
	return len(text)
}

// noteStarts records the first bytes of the names of all tags that matter to decideTag, so that
// nextSpecial can pass over most others without a match.
func (r *Reader) noteStarts() {
	v := &r.value
	if g := r.call.Spelling; g != nil {
		starts := format.SpelledBy(g)
		v.openerStarts.Join(&starts.Openers)
		v.closerStarts.Join(&starts.Closers)
	}
	for _, name := range [...]string{v.text.Closer, v.tag, r.call.Namespace, "parameter", "invoke"} {
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
	for _, name := range [...]string{v.text.Closer, r.call.Namespace} {
		if name != "" {
			v.openerStarts.Add(name[0])
		}
	}
	if v.text.Element && r.takesAny() {
		for c := range 256 {
			if markup.IsTagByte(byte(c)) {
				v.openerStarts.Add(byte(c))
			}
		}
	}
	v.names.Add('%')
	properties := r.call.Schema.Properties
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
