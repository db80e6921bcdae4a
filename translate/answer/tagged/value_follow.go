package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
)

// What can follow a closing tag that ends a value.

// callMayClose reports whether t, </parameters> or </invoke>, closes the call and so ends a value that
// has no closing tag of its own. rest is the text after the tag. It does where the next tag of the
// call's end follows, else it is text of the value.
func (r *Reader) callMayClose(rest []byte, t *held.Tag) markup.Verdict {
	if r.value.text.Schema == nil && r.value.json.IsWhole() {
		return markup.Match // the JSON object is whole, so nothing of it can follow
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

// hasParameterInvoke reports whether <invoke>, which is t, may open a parameter of the tool.
func (r *Reader) hasParameterInvoke(t *markup.Tag) bool {
	_, _, declared := r.call.Schema.PropertyByTag("invoke")
	return declared && r.value.text.Element && len(t.Attributes) == 0
}

// mayFollow reports whether rest can follow the value's closing tag. After a wrong closing tag fewer
// things can: not the end of the text, not another call, and no parameter that is not declared.
// blankAfter records how far the white space was read without a decision, so that the next call goes
// on from there: with one byte in each piece, to read it again from the start takes quadratic time.
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
	if wrong { // a tag that is not the format's own is none of the call's behind another one
		match = r.matchOwnTag
	}
	var t markup.Tag
	t, v = match(rest[i:])
	switch {
	case v == markup.NeedMore:
		r.value.blankAfter = i
		return markup.NeedMore
	case v == markup.NoMatch && r.in.EOF && bytes.IndexByte(rest[i:], '>') < 0:
		return markup.VerdictOf(!wrong) // the text was cut in the tag that follows
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

// closerMayFollow reports whether the closing tag t, which rest follows, can follow a value: one of
// the call. After </parameters>, or one without the marker of its format, a tag or the end of the text has to follow in
// turn; where that was cut, the end tells nothing of the second.
func (r *Reader) closerMayFollow(t *markup.Tag, rest []byte) markup.Verdict {
	plain := t.Spelling != nil && t.Spelling.Plain && t.Len == len("</>")+len(t.Full) // it has no marker
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

// parameterMayFollow reports whether t, which follows the value, opens another parameter: a declared
// one or, unless the value's closing tag is wrong, any in the attribute form and for a tool that
// declares none. A tag of the value's own parameter does not: <p>1</p><p>2</p> may be one list, which
// repeated reads when the value is whole.
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
