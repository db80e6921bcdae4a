package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
)

// This file decides whether the text after a closing tag can follow a value.

// callMayClose reports whether t closes the call, and so ends a value without a closing tag of its own. t is
// </parameters> or </invoke>, and rest follows t. If the next tag of the call's end follows, t closes the call. If
// not, t is text of the value.
func (r *Reader) callMayClose(rest []byte, t *held.Tag) markup.Verdict {
	if r.value.text.Schema == nil && r.value.json.IsWhole() {
		return markup.Match // the JSON object is already whole
	}
	i, v := r.in.MatchBlanks(rest, 0, completion.MaxGap)
	switch {
	case v == markup.Match && i == len(rest):
		return markup.VerdictOf(!r.in.CutShort)
	case v != markup.Match:
		return v
	case rest[i] != '<':
		return markup.NoMatch
	}
	next, v := r.MatchTag(rest[i:])
	switch {
	case v != markup.Match:
		return v
	case t.Kind == held.ClosesParameters && next.Is("invoke") && next.Closing,
		t.Kind == held.ClosesCall && next.IsWrapper() && next.Closing:
		return markup.Match
	case t.Kind == held.ClosesCall && next.Is("invoke") && !next.Closing:
		return markup.VerdictOf(!r.hasParameterInvoke(&next))
	}
	return markup.NoMatch
}

// matchNextCall matches the tag that opens a call or its wrapper, after white space at the start of rest.
func (r *Reader) matchNextCall(rest []byte) markup.Verdict {
	i, v := r.in.MatchBlanks(rest, 0, completion.MaxGap)
	switch {
	case v != markup.Match:
		return v
	case i == len(rest) || rest[i] != '<':
		return markup.NoMatch
	}
	t, v := r.MatchTag(rest[i:])
	if v == markup.Match {
		v = markup.VerdictOf(!t.Closing && (t.IsWrapper() || t.Is("invoke") && !r.hasParameterInvoke(&t)))
	}
	return v
}

// hasParameterInvoke reports whether t, which is <invoke>, may open a parameter of the tool.
func (r *Reader) hasParameterInvoke(t *markup.Tag) bool {
	_, _, declared := r.call.Schema.PropertyByTag("invoke")
	return declared && r.value.text.Element && len(t.Attributes) == 0
}

// mayFollow reports whether rest can follow the closing tag of the value. wrong: the closing tag is not the
// value's own. Then the end of the text, another call and an undeclared parameter cannot follow.
//
// If mayFollow needs more text, it records in blankAfter how much white space it has read, and continues there at
// the next call. Without this, single-byte pieces would take quadratic time.
func (r *Reader) mayFollow(rest []byte, wrong bool) markup.Verdict {
	looked := r.value.blankAfter
	r.value.blankAfter = 0
	i, v := r.in.MatchBlanks(rest, looked, maxBlankAfter-looked)
	switch {
	case v == markup.NeedMore:
		r.value.blankAfter = i
		return markup.NeedMore
	case v == markup.Match && i == len(rest):
		return markup.VerdictOf(!wrong)
	case v == markup.NoMatch || rest[i] != '<' && wrong:
		return markup.NoMatch
	case rest[i] != '<':
		if v = r.unbracketedMayFollow(rest[i:]); v == markup.NeedMore {
			r.value.blankAfter = i
		}
		return v
	}
	match := r.MatchTag
	if wrong { // after a wrong closing tag, only tags of the call's own spelling belong to the call
		match = r.matchOwnTag
	}
	var t markup.Tag
	t, v = match(rest[i:])
	switch {
	case v == markup.NeedMore:
		r.value.blankAfter = i
		return markup.NeedMore
	case v == markup.NoMatch && r.in.EOF && bytes.IndexByte(rest[i:], '>') < 0:
		return markup.VerdictOf(!wrong) // the text was cut inside the next tag
	case v == markup.NoMatch:
		return markup.NoMatch
	case t.Closing && wrong && t.IsWrapper():
		return markup.NoMatch
	case t.Closing:
		return r.closerMayFollow(&t, rest[i+t.Len:])
	case t.Is("invoke") && !r.hasParameterInvoke(&t):
		return markup.VerdictOf(!wrong)
	}
	return markup.VerdictOf(r.parameterMayFollow(&t, wrong))
}

// closerMayFollow reports whether the closing tag t can follow a value. t must close the parameters, the call or
// its wrapper, and rest follows t. After </parameters>, and after a tag without the marker of its format, another
// tag or the end of the text must follow. If the text was cut, its end does not count after a tag without a
// marker.
func (r *Reader) closerMayFollow(t *markup.Tag, rest []byte) markup.Verdict {
	plain := t.Spelling != nil && t.Spelling.Plain && t.Len == len("</>")+len(t.Full) // t has no marker
	ends := t.Is("invoke") || t.IsWrapper()
	switch {
	case ends && !plain:
		return markup.Match
	case !ends && !t.Is("parameters"):
		return markup.NoMatch
	}
	i, v := r.in.MatchBlanks(rest, 0, completion.MaxGap)
	if v == markup.NeedMore {
		return markup.NeedMore
	}
	if i == len(rest) {
		return markup.VerdictOf(!ends || !r.in.CutShort)
	}
	return markup.VerdictOf(v == markup.NoMatch || rest[i] == '<')
}

// parameterMayFollow reports whether t, the tag after the value, opens another parameter. A declared parameter can
// always follow. In the attribute form, any <parameter> tag can follow. Another undeclared parameter can follow if
// the value's closing tag is not wrong, and the tool declares no parameters or the value is a CDATA section.
//
// A tag of the value's own parameter cannot follow: <p>1</p><p>2</p> may be one list, which repeated reads when
// the value is whole.
func (r *Reader) parameterMayFollow(t *markup.Tag, wrong bool) bool {
	next := r.readValueTag(t, 0)
	switch {
	case next.Property == r.value.text.Property, !r.value.text.Element && !next.IsNamed(parameterName):
		return false
	case next.Declared:
		return true
	case !next.Bare:
		return false
	case next.IsNamed(parameterName):
		return r.call.AttributeForm
	}
	return !wrong && (len(r.call.Schema.Properties) == 0 || r.value.cdata)
}
