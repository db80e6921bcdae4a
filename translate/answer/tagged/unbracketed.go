package tagged

import (
	"bytes"
	"unicode/utf8"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads tags that have lost their `<` or `</`, such as parameter name="p"> or /invoke>.

// readUnbracketed reads a tag without its `<` or `</`, such as parameter name="p">. rest may begin with the
// opening tag of a declared parameter, or with a closing tag. If it does not, the verdict is NoMatch.
func (r *Reader) readUnbracketed(rest []byte) (next state, v markup.Verdict) {
	t, v := r.matchUnbracketedTag(rest)
	switch {
	case v == markup.NeedMore && r.in.EOF: // the text was cut inside the tag
		r.in.TakeAll(completion.SpanMarkup)
		return r.leave(BrokenOff), markup.Match
	case v != markup.Match:
		return wait, v
	}
	call := r.call
	r.call.NoteReason(messages.ReasonTagBracket)
	r.open.before, r.open.gap, call.Unbracketed = r.open.gap, layout{}, true
	if t.Closing {
		return r.readClosingTag(t), v
	}
	return r.readOpeningTag(t), v
}

// matchUnbracketedTag matches a tag of the open call that lacks its `<` or `</`.
func (r *Reader) matchUnbracketedTag(rest []byte) (t markup.Tag, v markup.Verdict) {
	call := r.call
	if g := call.Spelling; !call.AttributeForm || call.Unoffered || call.JSONInput || g != nil && (g.JSON || g.Labels()) {
		return t, markup.NoMatch
	}
	t, v = call.Spelling.MatchUnbracketed(rest, r.in.EOF && !r.in.CutShort)
	if v == markup.Match && !t.Closing {
		name, named := t.NameAttribute()
		_, _, declared := call.Schema.PropertyByTag(name)
		v = markup.VerdictOf(named && declared && t.Is("parameter"))
	}
	return t, v
}

// unbracketedMayFollow reports whether such a tag can follow the closing tag of a value: the tag opens another
// parameter, or closes the call.
func (r *Reader) unbracketedMayFollow(rest []byte) markup.Verdict {
	t, v := r.matchUnbracketedTag(rest)
	switch {
	case v == markup.NeedMore:
		return r.in.NeedMore()
	case v == markup.NoMatch:
		return v
	case t.Closing:
		return markup.VerdictOf(t.Is("invoke"))
	}
	return markup.VerdictOf(r.parameterMayFollow(&t, false))
}

// scanUnbracketed does what scanValue does, for a value that may end with such a tag. It returns false if the
// value contains a `<`.
func (r *Reader) scanUnbracketed(rest []byte) (n, end int, d decision, ok bool) {
	n, end, d = r.nextUnbracketedEnd(rest)
	if r.value.unbracketed = d != isValue; !r.value.unbracketed {
		return 0, 0, d, false
	}
	if escape := r.nextEscape(rest[:n]); escape < n {
		return escape, 0, isValue, true
	}
	if d == endsValue && n > 0 { // the text before the tag is held, and the next scan ends the value
		return n, 0, isValue, true
	}
	return n, end, d, true
}

// nextUnbracketedEnd looks for such a tag that ends the value or may end it. n is how many bytes of rest precede
// the tag, and end is its length. The decision is isValue if a `<` comes first.
func (r *Reader) nextUnbracketedEnd(rest []byte) (n, end int, d decision) {
	closer := []byte("parameter>")
	if g := r.call.Spelling; g != nil {
		closer = []byte(g.Closer()[len("</"):])
	}
	text, _, tag := bytes.Cut(rest, []byte("<"))
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], closer)
		if i < 0 {
			break
		}
		at += i
		n, end = at, len(closer)
		if n > 0 && text[n-1] == '/' {
			n, end = n-1, end+1
		}
		if d = decided(r.mayFollow(rest[n+end:], false)); d != isValue {
			return n, end, d
		}
	}
	if tag {
		return 0, 0, isValue
	}
	n = max(0, len(rest)-len(closer))
	for n > 0 && !utf8.RuneStart(rest[n]) {
		n-- // WriteEscaped needs whole characters
	}
	return n, 0, needsMore
}
