package translate

import (
	"bytes"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Where a value ends. A value is ordinary text that may hold any tag, even its own closing tag and
// those of the call. So a closing tag ends the value only if what follows can follow a value: the
// next parameter, or the end of the parameters, of the call or of the text. In
//
//	<html><p>Write </html> last.</p></html>
//	</parameters>
//
// the first </html> is text, since " last." follows, and the second one ends the value.

// Bounds on the white space between a closing tag and what must follow it.
const (
	maxBlankAfter = 64 << 10 // after the value's own closing tag
	maxGap        = 256      // after a tag of the call's structure
)

// The beginning and the end of a CDATA section.
const (
	cdataBegins = "<![CDATA["
	cdataEnds   = "]]>"
)

// matchValueEnd reports whether the value ends at rest, which begins with `<`. n is the length of the
// value's closing tag: 0 if it is missing, and a closing tag of the call ends the value.
//
// It is not only a match: of a tag in the value it records the sibling, of the value's end how that
// was malformed. So it must not be called again for a `<` on which it has decided.
func (p *parser) matchValueEnd(rest []byte) (n int, v markup.Verdict) {
	switch {
	case len(rest) < 2:
		return 0, p.in.needMore()
	case rest[1] != '/':
		return 0, p.noteSibling(rest)
	}
	if p.value.schema != nil {
		if n, v = p.matchOwnEnd(rest); v != markup.NoMatch {
			return n, v
		}
	}
	if len(rest) > 2 && rest[2] != 'p' && rest[2] != 'i' && p.call.namespace == "" {
		return 0, p.noteSibling(rest)
	}
	for _, name := range [...]string{"parameters", "invoke"} {
		if n, v = p.matchCloser(rest, name); v == markup.NoMatch {
			continue
		}
		if v == markup.Match {
			v = p.callMayClose(rest[n:], name)
		}
		if v == markup.Match && p.value.schema != nil {
			p.value.unclosed = true
			p.noteReason("missing_closer")
		}
		return 0, v
	}
	return 0, p.noteSibling(rest)
}

// matchOwnEnd matches the closing tag of the value, where something that can follow a value stands
// after it. Models also write a wrong closing tag: </name> for </parameter>, or the other way round
// (docs/reference/legacy-format.md §12 row 3).
func (p *parser) matchOwnEnd(rest []byte) (n int, v markup.Verdict) {
	n, v = p.matchCloser(rest, p.value.closer)
	wrong := false
	if v == markup.NoMatch {
		if n, v = p.matchWrongCloser(rest); v == markup.NoMatch {
			return 0, markup.NoMatch
		}
		wrong = true
	}
	if v == markup.Match {
		if v = p.mayFollow(rest[n:], wrong); v == markup.NoMatch && !wrong && p.isScalar() {
			v = markup.Match // more text would make it none
		}
	}
	if v == markup.Match && wrong {
		p.noteReason("wrong_closer")
	}
	return n, v
}

// isScalar reports whether the value so far is a number, a boolean or null, and its schema allows
// nothing else. Such a value cannot hold a tag.
func (p *parser) isScalar() bool {
	v := &p.value
	if v.mode != modeHeld || !v.schema.IsScalar() || len(v.held) > 2*maxNull {
		return false
	}
	_, fits := schema.AppendTyped(nil, v.schema, string(v.held))
	return fits
}

// matchWrongCloser matches a closing tag that models write in place of the parameter's own.
func (p *parser) matchWrongCloser(rest []byte) (n int, v markup.Verdict) {
	if p.value.element {
		return p.matchCloser(rest, "parameter")
	}
	if tag := p.value.tag; !markup.IsReserved(tag) {
		if n, v = p.matchCloser(rest, tag); v != markup.NoMatch {
			return n, v
		}
	}
	end := 2
	for end < len(rest) && markup.IsTagByte(rest[end]) {
		end++
	}
	if end < len(rest) { // the name is whole: it is looked up, since there may be many properties
		name := string(rest[2:end])
		if local, ok := strings.CutPrefix(name, p.call.namespace); ok && p.call.schema.HasTag(local) {
			return p.matchCloser(rest, local)
		}
		if p.call.schema.HasTag(name) {
			return p.matchCloser(rest, name)
		}
		return 0, markup.NoMatch
	}
	best := markup.NoMatch
	for i := range p.call.schema.Properties {
		if n, v = p.matchCloser(rest, p.call.schema.Properties[i].Tag); v == markup.Match {
			return n, v
		}
		best = max(best, v)
	}
	return 0, best
}

// matchCloser matches `</name>`, with blanks before its end or the namespace of the call.
func (p *parser) matchCloser(rest []byte, name string) (n int, v markup.Verdict) {
	namespace := p.call.namespace
	if len(rest) > 2 && rest[2] != name[0] && (namespace == "" || rest[2] != namespace[0]) {
		return 0, markup.NoMatch
	}
	n, v = p.matchNamedCloser(rest, 2, name)
	if v != markup.Match && namespace != "" {
		switch s := rest[2:]; {
		case markup.HasPrefix(s, namespace):
			return p.matchNamedCloser(rest, 2+len(namespace), name)
		case markup.IsPrefixOf(s, namespace):
			return 0, p.in.needMore()
		}
	}
	return n, v
}

// matchNamedCloser is matchCloser where the name has to begin at rest[at].
func (p *parser) matchNamedCloser(rest []byte, at int, name string) (n int, v markup.Verdict) {
	s := rest[at:]
	common := 0
	for common < len(s) && common < len(name) && s[common] == name[common] {
		common++
	}
	switch {
	case common == len(s):
		return 0, p.in.needMore()
	case common < len(name):
		return 0, markup.NoMatch
	}
	i, v := p.in.matchBlanks(s, len(name), markup.MaxTagBlanks)
	switch {
	case v == markup.NeedMore:
		return 0, markup.NeedMore
	case v == markup.Match && i < len(s) && s[i] == '>':
		return at + i + 1, markup.Match
	}
	return 0, markup.NoMatch
}

// matchAfterCDATA is matchValueEnd where rest begins with the `]]>` of the value's CDATA section. n
// counts that, too.
func (p *parser) matchAfterCDATA(rest []byte) (n int, v markup.Verdict) {
	i, v := p.in.matchBlanks(rest, len(cdataEnds), markup.MaxTagBlanks)
	switch {
	case v != markup.Match:
		return 0, v
	case i == len(rest) || rest[i] != '<':
		return 0, markup.NoMatch
	}
	n, v = p.matchValueEnd(rest[i:])
	return i + n, v
}

// callMayClose reports whether `</parameters>` or `</invoke>`, which closer names, closes the call and
// so ends a value that has no closing tag of its own. rest is the text after the tag. It does where
// the next tag of the call's end follows, else it is text of the value.
func (p *parser) callMayClose(rest []byte, closer string) markup.Verdict {
	if p.value.schema == nil && p.value.json.isWhole() {
		return markup.Match // the JSON object is whole, so nothing of it can follow
	}
	i, v := p.in.matchBlanks(rest, 0, maxGap)
	switch {
	case v == markup.Match && i == len(rest):
		return markup.VerdictOf(!p.cutShort)
	case v != markup.Match:
		return v
	case rest[i] != '<':
		return markup.NoMatch
	}
	var t markup.Tag
	t, v = markup.MatchTag(rest[i:], p.in.eof)
	switch {
	case v != markup.Match:
		return v
	case closer == "parameters" && t.Is("invoke") && t.Closing,
		closer == "invoke" && (t.IsWrapper() && t.Closing || t.Is("invoke") && !t.Closing):
		return markup.Match
	}
	return markup.NoMatch
}

// mayFollow reports whether rest can follow the value's closing tag. After a wrong closing tag fewer
// things can: not the end of the text, not another call, and no parameter that is not declared.
// blankAfter records how far the white space was read without a decision, so that the next call goes
// on from there: with one byte in each piece, to read it again from the start takes quadratic time.
func (p *parser) mayFollow(rest []byte, wrong bool) markup.Verdict {
	looked := p.value.blankAfter
	p.value.blankAfter = 0
	i, v := p.in.matchBlanks(rest, looked, maxBlankAfter-looked)
	switch {
	case v == markup.NeedMore:
		p.value.blankAfter = i
		return markup.NeedMore
	case v == markup.Match && i == len(rest):
		return markup.VerdictOf(!wrong)
	case v == markup.NoMatch || rest[i] != '<':
		return markup.NoMatch
	}
	var t markup.Tag
	t, v = markup.MatchTag(rest[i:], p.in.eof)
	switch {
	case v == markup.NeedMore:
		p.value.blankAfter = i
		return markup.NeedMore
	case v == markup.NoMatch && p.in.eof && bytes.IndexByte(rest[i:], '>') < 0:
		return markup.VerdictOf(!wrong) // the text was cut in the tag that follows
	case v == markup.NoMatch:
		return markup.NoMatch
	case t.Closing:
		return p.closerMayFollow(t, rest[i+t.Len:])
	case t.Is("invoke"):
		return markup.VerdictOf(!wrong)
	}
	return markup.VerdictOf(p.parameterMayFollow(t, wrong, bytes.IndexByte(rest[:i], '\n') >= 0))
}

// closerMayFollow reports whether the closing tag t, which rest follows, can follow a value: one of
// the call. After </parameters>, a tag or the end of the text has to follow in turn.
func (p *parser) closerMayFollow(t markup.Tag, rest []byte) markup.Verdict {
	if t.Is("invoke") || t.IsWrapper() {
		return markup.Match
	}
	if !t.Is("parameters") {
		return markup.NoMatch
	}
	i, v := p.in.matchBlanks(rest, 0, maxGap)
	if v == markup.NeedMore {
		return markup.NeedMore
	}
	return markup.VerdictOf(v == markup.NoMatch || i == len(rest) || rest[i] == '<')
}

// parameterMayFollow reports whether t, which follows the value, opens another parameter: a declared
// one or, unless the value's closing tag is wrong, any on a line of its own. A tag of the value's own
// parameter does not: <p>1</p><p>2</p> may be one list, which repeated reads when the value is whole.
func (p *parser) parameterMayFollow(t markup.Tag, wrong, ownLine bool) bool {
	tag := string(t.Full)
	if t.Is("parameter") {
		tag, _ = t.NameAttribute()
	} else if !p.value.element {
		return false
	}
	property, _, declared := p.call.schema.PropertyByTag(tag)
	switch {
	case property == p.value.property:
		return false
	case declared:
		return true
	case wrong || len(t.Attributes) > 0 && !t.Is("parameter"):
		return false
	}
	return ownLine || len(p.call.schema.Properties) == 0
}
