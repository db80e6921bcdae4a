package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
	"strings"
)

// Where a value ends. A value is ordinary text that may hold any tag, its own
// closing tag and those of the call among them. A closing tag ends it only when
// what follows can follow a value: the next parameter, the end of the
// parameters, of the call or of the text.

// Bounds on the white space between a closing tag and what must follow it.
const (
	maxLook = 64 << 10
	maxGap  = 256
)

// matchEnd tells whether the value ends at rest, which begins with `<`, and how
// many bytes of closing tag belong to it: none where the closing tag is missing.
func (p *parser) matchEnd(rest []byte) (n int, v markup.Verdict) {
	switch {
	case len(rest) < 2:
		return 0, p.undecided()
	case rest[1] != '/':
		return 0, p.noteSibling(rest)
	}
	if p.vs != nil {
		if n, v = p.matchOwnEnd(rest); v != markup.NoMatch {
			return n, v
		}
	}
	if len(rest) > 2 && rest[2] != 'p' && rest[2] != 'i' && p.ns == "" {
		return 0, p.noteSibling(rest)
	}
	for _, name := range [...]string{"parameters", "invoke"} {
		if n, v = p.matchCloser(rest, name); v == markup.NoMatch {
			continue
		}
		if v == markup.Match {
			v = p.endsWithout(rest[n:], name)
		}
		if v == markup.Match && p.vs != nil {
			p.bare = true
			p.fix("missing_closer")
		}
		return 0, v
	}
	return 0, p.noteSibling(rest)
}

// matchOwnEnd matches the closing tag of the parameter, or a wrong one that
// models write in its place: the name of a property for "parameter", or the
// other way round (reference/legacy-format.md §12 row 3).
func (p *parser) matchOwnEnd(rest []byte) (n int, v markup.Verdict) {
	n, v = p.matchCloser(rest, p.closer)
	wrong := false
	if v == markup.NoMatch {
		if n, v = p.matchWrongCloser(rest); v == markup.NoMatch {
			return 0, markup.NoMatch
		}
		wrong = true
	}
	if v == markup.Match {
		if v = p.mayFollow(rest[n:], wrong); v == markup.NoMatch && !wrong && p.isScalar() {
			v = markup.Match // more text would only spoil it
		}
	}
	if v == markup.Match && wrong {
		p.fix("wrong_closer")
	}
	return n, v
}

// isScalar tells whether what was read is a number, a boolean or null where one
// of these alone is due: a value that cannot hold a tag.
func (p *parser) isScalar() bool {
	if p.mode != modeHeld || !p.vs.IsScalar() || len(p.held) > 2*maxNull {
		return false
	}
	_, fits := schema.AppendTyped(nil, p.vs, string(p.held))
	return fits
}

func (p *parser) matchWrongCloser(rest []byte) (n int, v markup.Verdict) {
	if p.child {
		return p.matchCloser(rest, "parameter")
	}
	if !markup.IsReserved(p.tag) {
		if n, v = p.matchCloser(rest, p.tag); v != markup.NoMatch {
			return n, v
		}
	}
	end := 2
	for end < len(rest) && markup.IsTagByte(rest[end]) {
		end++
	}
	if end < len(rest) { // the name is whole: it is looked up, for there may be many
		name := string(rest[2:end])
		if local, ok := strings.CutPrefix(name, p.ns); ok && p.schema.HasTag(local) {
			return p.matchCloser(rest, local)
		}
		if p.schema.HasTag(name) {
			return p.matchCloser(rest, name)
		}
		return 0, markup.NoMatch
	}
	best := markup.NoMatch
	for i := range p.schema.Properties {
		if n, v = p.matchCloser(rest, p.schema.Properties[i].Tag); v == markup.Match {
			return n, v
		}
		best = max(best, v)
	}
	return 0, best
}

// matchCloser matches `</name>`, with blanks before its end or the namespace of the call.
func (p *parser) matchCloser(rest []byte, name string) (n int, v markup.Verdict) {
	if len(rest) > 2 && rest[2] != name[0] && (p.ns == "" || rest[2] != p.ns[0]) {
		return 0, markup.NoMatch
	}
	n, v = p.matchCloserNamed(rest, 2, name)
	if v != markup.Match && p.ns != "" {
		switch s := rest[2:]; {
		case markup.HasPrefix(s, p.ns):
			return p.matchCloserNamed(rest, 2+len(p.ns), name)
		case markup.IsPrefixOf(s, p.ns):
			return 0, p.undecided()
		}
	}
	return n, v
}

func (p *parser) matchCloserNamed(rest []byte, at int, name string) (n int, v markup.Verdict) {
	s := rest[at:]
	common := 0
	for common < len(s) && common < len(name) && s[common] == name[common] {
		common++
	}
	switch {
	case common == len(s):
		return 0, p.undecided()
	case common < len(name):
		return 0, markup.NoMatch
	}
	i, v := p.blanks(s, len(name), markup.MaxTagBlanks)
	switch {
	case v == markup.NeedMore:
		return 0, markup.NeedMore
	case v == markup.Match && i < len(s) && s[i] == '>':
		return at + i + 1, markup.Match
	}
	return 0, markup.NoMatch
}

// undecided is the verdict on text that could go either way.
func (p *parser) undecided() markup.Verdict {
	if p.eof {
		return markup.NoMatch
	}
	return markup.NeedMore
}

// endsWithout tells whether `</parameters>` or `</invoke>` ends a value that has
// no closing tag of its own.
func (p *parser) endsWithout(rest []byte, closer string) markup.Verdict {
	if p.vs == nil && p.json.whole() {
		return markup.Match // the whole input is whole
	}
	i, v := p.blanks(rest, 0, maxGap)
	switch {
	case v == markup.Match && i == len(rest):
		return markup.VerdictOf(!p.cutShort)
	case v != markup.Match:
		return v
	case rest[i] != '<':
		return markup.NoMatch
	}
	var t markup.Tag
	t, v = markup.MatchTag(rest[i:], p.eof)
	switch {
	case v != markup.Match:
		return v
	case closer == "parameters" && t.Is("invoke") && t.Closing,
		closer == "invoke" && (isWrapper(t) && t.Closing || t.Is("invoke") && !t.Closing):
		return markup.Match
	}
	return markup.NoMatch
}

// mayFollow tells whether rest can follow the value's closing tag. After a wrong
// one less can.
func (p *parser) mayFollow(rest []byte, wrong bool) markup.Verdict {
	i, v := p.blanks(rest, p.looked, maxLook-p.looked)
	p.looked = 0
	switch {
	case v == markup.NeedMore:
		p.looked = i
		return markup.NeedMore
	case v == markup.Match && i == len(rest):
		return markup.VerdictOf(!wrong)
	case v == markup.NoMatch || rest[i] != '<':
		return markup.NoMatch
	}
	var t markup.Tag
	t, v = markup.MatchTag(rest[i:], p.eof)
	switch {
	case v == markup.NeedMore:
		p.looked = i
		return markup.NeedMore
	case v == markup.NoMatch && p.eof && bytes.IndexByte(rest[i:], '>') < 0:
		return markup.VerdictOf(!wrong) // the text was cut in the tag that follows
	case v == markup.NoMatch:
		return markup.NoMatch
	case t.Closing:
		return p.closerMayFollow(t, rest[i+t.Len:])
	case t.Is("invoke"):
		return markup.VerdictOf(!wrong)
	}
	return markup.VerdictOf(p.paramMayFollow(t, wrong, bytes.IndexByte(rest[:i], '\n') >= 0))
}

func (p *parser) closerMayFollow(t markup.Tag, rest []byte) markup.Verdict {
	if t.Is("invoke") || isWrapper(t) {
		return markup.Match
	}
	if !t.Is("parameters") {
		return markup.NoMatch
	}
	i, v := p.blanks(rest, 0, maxGap)
	if v == markup.NeedMore {
		return markup.NeedMore
	}
	return markup.VerdictOf(v == markup.NoMatch || i == len(rest) || rest[i] == '<')
}

// paramMayFollow tells whether a tag opens another parameter: a declared one, or
// any on a line of its own. The value's own tag is text of the value.
func (p *parser) paramMayFollow(t markup.Tag, wrong, ownLine bool) bool {
	tag := string(t.Full)
	if t.Is("parameter") {
		tag, _ = t.NameAttribute()
	} else if !p.child {
		return false
	}
	name, _, declared := p.schema.PropertyByTag(tag)
	switch {
	case name == p.name:
		return false
	case declared:
		return true
	case wrong || len(t.Attributes) > 0 && !t.Is("parameter"):
		return false
	}
	return ownLine || len(p.schema.Properties) == 0
}
