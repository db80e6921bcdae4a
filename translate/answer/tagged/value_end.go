package tagged

import (
	"bytes"
	"cmp"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file decides where a value ends. A value is ordinary text. It may contain any tag, even its own closing tag
// or a tag of the call. So a closing tag ends the value only if the text after it can follow a value. The next
// parameter can follow, and so can the end of the parameters, of the call, or of the text. In
//
//	<html><p>Write </html> last.</p></html>
//	</parameters>
//
// the first </html> is text, because " last." follows. The second </html> ends the value.

// maxBlankAfter limits the white space between the value's own closing tag and the text that must follow it, in
// bytes.
const maxBlankAfter = 64 << 10

// These strings begin and end a CDATA section.
const (
	cdataBegins = "<![CDATA["
	cdataEnds   = "]]>"
)

// decision says what a tag in a value is.
type decision uint8

const (
	isValue   decision = iota // text of the value
	needsMore                 // not decided: more text must arrive first
	endsValue                 // the end of the value: its closing tag or, if that is missing, the tag after the value
	isDoubt                   // not clear: see doubt.go
)

// decided returns the decision for a verdict on the end of a value. A match ends the value.
func decided(v markup.Verdict) decision {
	return [...]decision{markup.NoMatch: isValue, markup.NeedMore: needsMore, markup.Match: endsValue}[v]
}

// decideTag decides what the tag at the beginning of rest is. n is the length of the value's closing tag. In the
// regular form, only the value's own closing tag matters. Every other tag that may matter begins a doubt.
func (r *Reader) decideTag(rest []byte) (n int, d decision) {
	v := &r.value
	if v.text.Schema == nil {
		return 0, decided(r.matchObjectEnd(rest))
	}
	if len(rest) == 1 && !r.in.EOF { // nextSpecial has not seen the byte after the `<`
		return 0, needsMore
	}
	if v := r.matchTagName(rest, r.isWhole()); v != markup.Match {
		return 0, decided(v)
	}
	if r.passForeignCloser(rest) {
		return 0, isValue
	}
	t, verdict := r.matchValueTag(rest)
	switch {
	case verdict != markup.Match:
		return 0, decided(verdict)
	case t.Closes(v.text.Closer):
		if d = r.decideOwnCloser(rest, &t); d == endsValue {
			r.call.Slip = cmp.Or(r.call.Slip, t.Slip)
		}
		return t.Len, d
	case t.Kind == held.ClosesWrapper && !t.Declared && !r.isWhole():
		if !markup.HasPrefix(rest, r.Stop) { // else the upstream may have stopped here: the tag may be text
			switch r.matchNextCall(rest[t.Len:]) {
			case markup.NeedMore:
				return 0, needsMore
			case markup.Match:
				return 0, isDoubt
			}
		}
		v.text.Take(&t, false, false, false)
		return 0, isValue
	case v.unsure, v.text.JSON.InString, t.IsCloser() && v.text.Holds(string(t.Name)), !t.IsCloser() && !r.mayBeOfCall(&t):
		v.text.Take(&t, false, false, false)
		v.unsure = v.unsure || v.text.IsUnsure()
		return 0, isValue
	case t.IsCloser() && !r.isWhole():
		switch r.mayEndBehind(rest[t.Len:], &t) {
		case markup.NeedMore:
			return 0, needsMore
		case markup.NoMatch:
			v.text.Take(&t, false, false, false)
			return 0, isValue
		}
	}
	return 0, isDoubt
}

// mayEndBehind reports whether the value may end at t, or just before t. t is a closing tag that is not the
// value's own, and rest follows t. The value may end there only if a tag or the end of the text follows t. If t
// closes another element, that tag must be able to follow a value.
func (r *Reader) mayEndBehind(rest []byte, t *held.Tag) markup.Verdict {
	if t.Kind == held.ClosesOther && !t.Maybe {
		if v := r.mayFollow(rest, false); v != markup.NoMatch {
			return v
		}
		return r.matchNextCall(rest)
	}
	i, v := r.in.MatchBlanks(rest, 0, maxBlankAfter)
	if v == markup.Match {
		v = markup.VerdictOf(i == len(rest) || rest[i] == '<')
	}
	return v
}

// mayBeOfCall reports whether an opening tag may belong to the call, instead of being text of the value.
func (r *Reader) mayBeOfCall(t *held.Tag) bool {
	v := &r.value.text
	return t.Kind == held.OpensStructure || t.Bare && (t.Kind == held.OpensParameter || t.Maybe && v.Element || v.OwnOpener(t)) || r.isWhole()
}

// decideOwnCloser decides what a closing tag with the value's own name is. It ends the value if the text after it
// can follow a value. It does not end the value if it closes an element in the value, or is inside a JSON string.
func (r *Reader) decideOwnCloser(rest []byte, t *held.Tag) decision {
	v := &r.value
	switch follows := r.mayFollow(rest[t.Len:], false); {
	case follows == markup.NeedMore:
		return needsMore
	case follows == markup.Match && !t.Escaped && !r.isNamedLikeOurs() && !v.text.Holds(v.text.Closer) && (!v.text.JSON.Is || v.text.JSON.IsWhole()):
		return endsValue
	case v.unsure, follows == markup.NoMatch && v.text.JSON.InString:
		v.text.Take(t, false, false, false)
		return isValue
	}
	return isDoubt
}

// isNamedLikeOurs reports whether the value's own closing tag may also be a closing tag of the call.
func (r *Reader) isNamedLikeOurs() bool {
	return r.value.text.Element && !r.value.cdata && markup.IsReserved(r.value.text.Closer)
}

// matchTagName reports whether rest may begin with a tag that matters in the value. It looks only at the name,
// because most tags in a value are text. A closing tag with another name matters, unless an element with such a
// name was opened in the value. If the value is whole, every tag matters.
func (r *Reader) matchTagName(rest []byte, whole bool) markup.Verdict {
	if v := r.call.Spelling.MatchName(rest, r.in.EOF); v != markup.NoMatch {
		return v
	}
	start := 1
	switch {
	case len(rest) > 1 && rest[1] == '/':
		start = 2
	case markup.HasPrefix(rest, `<\/`):
		start = 3
	case markup.IsPrefixOf(rest, `<\/`):
		return r.in.NeedMore()
	}
	end := start
	for end < len(rest) && end-start < markup.MaxParamTagLen && markup.IsTagByte(rest[end]) {
		end++
	}
	switch {
	case end == len(rest) && end-start < markup.MaxParamTagLen:
		return r.in.NeedMore()
	case end == start:
		return markup.NoMatch
	case end < len(rest) && rest[end] != '>' && rest[end] != '/' && !markup.IsBlank(rest[end]):
		return markup.NoMatch
	}
	v := &r.value
	if v.oddNames && end < len(rest) && rest[end] != '>' {
		name := rest[start:min(len(rest), start+markup.MaxParamTagLen)]
		switch i := bytes.IndexByte(name, '>'); {
		case i < 0 && len(name) < markup.MaxParamTagLen && !r.in.EOF:
			return markup.NeedMore
		case i >= 0 && r.call.Schema.Declares(name[:i]):
			return markup.Match
		}
	}
	return markup.VerdictOf(whole || start >= 2 && (!v.text.Saw(rest[start]) || v.text.Holds(string(rest[start:end])) || string(rest[start:end]) == v.tag) || r.mayMeanSomething(rest[start:end]))
}

// matchValueTag matches a tag that may matter in the value.
func (r *Reader) matchValueTag(rest []byte) (t held.Tag, v markup.Verdict) {
	if len(rest) > 1 && rest[1] == '!' { // a comment
		return t, markup.NoMatch
	}
	tag, v := r.matchOwnTag(rest)
	switch {
	case v != markup.Match:
		return t, v
	case isNoCloser(&tag):
		return t, markup.NoMatch
	}
	return r.readValueTag(&tag, 0), markup.Match
}

// isNoCloser reports whether t looks like a closing tag, but has attributes or is empty. Such a tag is text.
func isNoCloser(t *markup.Tag) bool { return t.Closing && (len(t.Attributes) > 0 || t.Empty) }

// mayMeanSomething reports whether a tag with this name may be more than text of the value.
func (r *Reader) mayMeanSomething(name []byte) bool {
	v := &r.value
	name = r.withoutNamespace(name)
	if !v.text.Element {
		if i := bytes.IndexByte(name, ':'); i >= 0 && i+1 < len(name) {
			name = name[i+1:]
		}
	}
	if string(name) == v.text.Closer || v.text.Element && (r.takesAny() || v.names.Has(nameKey(name)) && r.call.Schema.Declares(name)) {
		return true
	}
	t := markup.Tag{Name: name}
	switch name[0] | 0x20 {
	case 'p':
		return t.Is("parameter") || t.Is("parameters")
	case 'i':
		return t.Is("invoke")
	case 'f', 't', 'u':
		return t.IsWrapper()
	}
	return false
}

// matchObjectEnd reports whether an input that is one JSON object ends at the closing tag at the beginning of
// rest.
func (r *Reader) matchObjectEnd(rest []byte) markup.Verdict {
	if r.call.Spelling == nil && !markup.HasPrefix(rest, "</") {
		if markup.IsPrefixOf(rest, "</") {
			return r.in.NeedMore()
		}
		return markup.NoMatch
	}
	if v := r.matchTagName(rest, false); v != markup.Match {
		return v
	}
	t, v := r.matchValueTag(rest)
	if v != markup.Match {
		return v
	}
	if t.Kind < held.ClosesParameters {
		return markup.NoMatch
	}
	return r.callMayClose(rest[t.Len:], &t)
}

// matchAfterCDATA matches the end of the value after a CDATA section. rest begins with the `]]>` of the section,
// and n includes the `]]>`.
func (r *Reader) matchAfterCDATA(rest []byte) (n int, v markup.Verdict) {
	i, v := r.in.MatchBlanks(rest, len(cdataEnds), markup.MaxTagBlanks)
	switch {
	case v != markup.Match:
		return 0, v
	case i == len(rest) || rest[i] != '<':
		return 0, markup.NoMatch
	}
	if ends := r.open.ends; len(ends) > 0 {
		if ends[0].At != r.in.Offset()+i {
			return 0, markup.NoMatch
		}
		return i + r.takeEnd(), markup.Match
	}
	n, d := r.decideTag(rest[i:])
	switch d {
	case needsMore:
		return 0, markup.NeedMore
	case endsValue:
		return i + n, markup.Match
	case isDoubt: // the section has ended the value, whatever the closing tag is
		t, _ := r.matchValueTag(rest[i:])
		if t.Kind != held.ClosesOther {
			r.endUnclosed()
			return i, markup.Match
		}
		r.call.NoteReason(messages.ReasonWrongCloser)
		r.value.misclosed = true
		return i + t.Len, markup.Match
	}
	return 0, markup.NoMatch
}
