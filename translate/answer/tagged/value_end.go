package tagged

import (
	"bytes"
	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
)

// Where a value ends. A value is ordinary text that may hold any tag, even its own closing tag and
// those of the call. So a closing tag ends the value only if what follows can follow a value: the
// next parameter, or the end of the parameters, of the call or of the text. In
//
//	<html><p>Write </html> last.</p></html>
//	</parameters>
//
// the first </html> is text, since " last." follows, and the second one ends the value.

// maxBlankAfter bounds the white space between the value's own closing tag and what must follow it, in bytes.
const maxBlankAfter = 64 << 10

// The beginning and the end of a CDATA section.
const (
	cdataBegins = "<![CDATA["
	cdataEnds   = "]]>"
)

// decision says what a tag in a value is.
type decision uint8

const (
	isValue   decision = iota // text of the value
	needsMore                 // more text has to come before that can be decided
	endsValue                 // its closing tag or, if that is missing, the tag after it
	isDoubt                   // it is doubtful: see doubt.go
)

// decided returns the decision that a verdict on the end of a value means.
func decided(v markup.Verdict) decision {
	return [...]decision{markup.NoMatch: isValue, markup.NeedMore: needsMore, markup.Match: endsValue}[v]
}

// decideTag decides on the tag that rest begins with. n is the length of the value's closing tag. In the regular
// form that is the one tag that matters: all others that may mean something begin a doubt.
func (r *Reader) decideTag(rest []byte) (n int, d decision) {
	v := &r.value
	if v.text.Schema == nil {
		return 0, decided(r.matchObjectEnd(rest))
	}
	if len(rest) == 1 && !r.in.EOF { // nextSpecial has not seen what follows
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
		return t.Len, r.decideOwnCloser(rest, &t)
	case t.Kind == held.ClosesWrapper && !t.Declared && !r.isWhole(): // the upstream may have stopped at it where it is text
		v.text.Take(&t, false, false)
		return 0, isValue
	case v.unsure, v.text.JSON.InString, t.IsCloser() && v.text.Holds(string(t.Name)), !t.IsCloser() && !r.mayBeOfCall(&t):
		v.text.Take(&t, false, false)
		v.unsure = v.unsure || v.text.IsUnsure()
		return 0, isValue
	case t.IsCloser() && !r.isWhole():
		switch r.mayEndBehind(rest[t.Len:], &t) {
		case markup.NeedMore:
			return 0, needsMore
		case markup.NoMatch:
			v.text.Take(&t, false, false)
			return 0, isValue
		}
	}
	return 0, isDoubt
}

// mayEndBehind reports whether the value may end with a closing tag that is not its own, or before it, by what
// stands behind that: no text, and behind one of another element only what can follow a value.
func (r *Reader) mayEndBehind(rest []byte, t *held.Tag) markup.Verdict {
	if t.Kind == held.ClosesOther && !t.Maybe {
		return r.mayFollow(rest, false)
	}
	i, v := r.in.MatchBlanks(rest, 0, maxBlankAfter)
	if v == markup.Match {
		v = markup.VerdictOf(i == len(rest) || rest[i] == '<')
	}
	return v
}

// mayBeOfCall reports whether an opening tag may be of the call, and no text of the value.
func (r *Reader) mayBeOfCall(t *held.Tag) bool {
	v := &r.value.text
	return t.Kind == held.OpensStructure || t.Bare && (t.Kind == held.OpensParameter || t.Maybe && v.Element || v.OwnOpener(t)) || r.isWhole()
}

// decideOwnCloser decides on the closing tag of the value's own name. It ends the value if what
// follows can follow a value, unless it closes an element in the value, or stands in a string of JSON.
func (r *Reader) decideOwnCloser(rest []byte, t *held.Tag) decision {
	v := &r.value
	switch follows := r.mayFollow(rest[t.Len:], false); {
	case follows == markup.NeedMore:
		return needsMore
	case follows == markup.Match && !r.isNamedLikeOurs() && !v.text.Holds(v.text.Closer) && (!v.text.JSON.Is || v.text.JSON.IsWhole()):
		return endsValue
	case v.unsure, follows == markup.NoMatch && v.text.JSON.InString:
		v.text.Take(t, false, false)
		return isValue
	}
	return isDoubt
}

// isNamedLikeOurs reports whether the value's own closing tag may be one of the call, too.
func (r *Reader) isNamedLikeOurs() bool {
	return r.value.text.Element && !r.value.cdata && markup.IsReserved(r.value.text.Closer)
}

// matchTagName reports whether rest may begin with a tag that means something in the value: see
// [valueTag]. Closing tags mean something even if they are of other names, unless an element of such
// a name was opened in the value. After a value that is whole, every tag does. It asks no more than
// the name, since most tags in a value are text.
func (r *Reader) matchTagName(rest []byte, whole bool) markup.Verdict {
	if v := r.call.Spelling.MatchName(rest, r.in.EOF); v != markup.NoMatch {
		return v
	}
	start := 1
	if len(rest) > 1 && rest[1] == '/' {
		start = 2
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
	return markup.VerdictOf(whole || start == 2 && (!v.text.Saw(rest[start]) || v.text.Holds(string(rest[start:end])) || string(rest[start:end]) == v.tag) || r.mayMeanSomething(rest[start:end]))
}

// matchValueTag matches a tag that may mean something in the value.
func (r *Reader) matchValueTag(rest []byte) (t held.Tag, v markup.Verdict) {
	if len(rest) > 1 && rest[1] == '!' { // a comment
		return t, markup.NoMatch
	}
	tag, v := r.matchOwnTag(rest)
	switch {
	case v != markup.Match:
		return t, v
	case tag.Closing && (len(tag.Attributes) > 0 || tag.Empty):
		return t, markup.NoMatch
	}
	return r.readValueTag(&tag, 0), markup.Match
}

// mayMeanSomething reports whether an opening tag of the name may be other than text of the value.
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

// matchObjectEnd reports whether an input that is one JSON object ends at the closing tag of the call
// that rest begins with.
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

// matchAfterCDATA matches the end of the value where rest begins with the `]]>` of its CDATA section. n
// counts that, too.
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
	case isDoubt: // it has ended, whatever closes it
		t, _ := r.matchValueTag(rest[i:])
		if t.Kind != held.ClosesOther {
			r.endUnclosed()
			return i, markup.Match
		}
		r.call.NoteReason("wrong_closer")
		r.value.misclosed = true
		return i + t.Len, markup.Match
	}
	return 0, markup.NoMatch
}
