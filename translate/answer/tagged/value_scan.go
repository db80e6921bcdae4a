package tagged

import (
	"bytes"
	"cmp"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file scans the text of a value for tags that may end it. It skips most text after one look at a byte or
// two.

// scanValue returns how many bytes of rest are text of the value, and the decision on the `<` after them. If that
// tag ends the value, end is its length. If the text stops at the end of rest, at an `&` or at a `]`, the decision
// is isValue.
//
// If a `<` follows text of a held value, the decision is isValue as well. The caller then holds that text and
// scans again, because whether a tag ends the value depends on all of the value before it.
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

// scanSettled does what scanValue does after a doubt was settled: all bytes up to the next end are text.
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

// takeEnd removes the next settled end, and returns the length of its closing tag.
func (r *Reader) takeEnd() int {
	end := r.open.ends[0]
	r.open.ends = r.open.ends[1:]
	if end.Len >= 0 {
		r.value.unclosed, r.value.ambiguous, r.value.markup = end.Len == 0, false, end.Markup
		r.value.misclosed = end.Reason != messages.ReasonNone
		r.call.NoteReason(end.Reason)
		r.call.Slip = cmp.Or(r.call.Slip, end.Slip)
	}
	return end.Len
}

// nextSpecial returns the index of the first byte in rest[n:] that may be more than text of the value, counted
// from the start of rest. Such a byte is the `<` of a tag that may matter, or a byte that nextEscape finds. If
// there is none, nextSpecial returns len(rest). It records the elements with other names, because their closing
// tags do not matter.
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
			rest[n+1] == '/' && (n+2 == len(rest) || v.mayEnd(rest[n+2]) || v.text.Schema != nil && mayBeWrapper(rest[n+2:])),
			rest[n+1] == '\\' && (n+3 >= len(rest) || rest[n+2] == '/' && v.closerStarts.Has(rest[n+3])):
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

// isNoTag reports whether the `<` at the beginning of rest is text of a string. It looks only at the name after
// the `<`, and agrees with decideTag. If no element with such a name was opened, isNoTag returns false for a
// closing tag.
func (r *Reader) isNoTag(rest []byte) bool {
	if rest[1] == '/' && (len(rest) == 2 || !r.value.text.Saw(rest[2])) {
		return false
	}
	return r.matchTagName(rest, false) == markup.NoMatch
}

// mayBeWhole reports whether the held value may be whole after n more bytes. If it is whole, every tag matters:
// see isWhole. Because these bytes are not held yet, mayBeWhole only says what is possible.
func (v *valueSeen) mayBeWhole(n int) bool {
	j := &v.text.JSON
	return v.text.Schema.IsScalar() || j.HasEnded() || n > 0 && (j.Is || !j.Begun && held.IsTyped(v.text.Schema))
}

// passForeignCloser reports whether the closing tag at the beginning of rest is text of a string. It decides as
// decideTag does, and records nothing. The tag is text if its element was not opened in the string, its name does
// not concern the call, and other text or another such tag follows. If a closer look is necessary,
// passForeignCloser returns false.
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

// foreignCloserLen returns the length of the closing tag at the beginning of rest. It returns 0 if there is no
// closing tag, or if the tag may belong to a call.
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

// isOfCall reports whether tags with this name belong to a call. It ignores case.
func isOfCall(name []byte) bool {
	t := markup.Tag{Name: name}
	return len(name) >= len("invoke") && (t.Is("invoke") || t.Is("parameter") || t.Is("parameters") || t.IsWrapper())
}

// mayEnd reports whether a closing tag may matter if its name begins with c.
func (v *valueSeen) mayEnd(c byte) bool {
	return v.closerStarts.Has(c) || v.text.Schema != nil && (!v.text.Saw(c) || v.text.HoldsFrom(c))
}

// mayBeWrapper reports whether name begins like the name of a wrapper of any format.
func mayBeWrapper(name []byte) bool {
	for _, wrapper := range [...]string{"function_call", "tool_call", "use_tool"} {
		if name[0] == wrapper[0] && (markup.HasPrefix(name, wrapper) || markup.IsPrefixOf(name, wrapper)) {
			return true
		}
	}
	return false
}

// nextEscape returns the index of the first byte of text that may need decoding. That is an `&` if the prompt has
// escaped anything and, in a CDATA section, a `]`. If there is no such byte, nextEscape returns len(text).
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

// noteStarts records the first bytes of the names of all tags that matter to decideTag. With them, nextSpecial
// skips most other tags without matching them.
func (r *Reader) noteStarts() {
	v := &r.value
	if g := r.call.Spelling; g != nil {
		starts := format.SpelledBy(g)
		v.openerStarts.Join(&starts.Openers)
		v.closerStarts.Join(&starts.Closers)
	}
	for _, name := range [...]string{v.text.Closer, v.tag, r.call.Namespace, r.call.Element, "parameter", "invoke"} {
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
			v.oddNames = v.oddNames || strings.ContainsAny(name, " /")
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

// nameKey returns a key that differs for most names of tags, so that most lookups are not necessary. All names
// with a % share one key, because models also escape bytes that need no escape.
func nameKey(name []byte) byte {
	for _, c := range name {
		if c == '%' {
			return c
		}
	}
	return name[0] + 31*byte(len(name))
}
