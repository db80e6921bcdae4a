package translate

import (
	"bytes"
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
func (p *parser) matchEnd(rest []byte) (n int, v verdict) {
	switch {
	case len(rest) < 2:
		return 0, p.undecided()
	case rest[1] != '/':
		return 0, p.noteSibling(rest)
	}
	if p.vs != nil {
		if n, v = p.matchOwnEnd(rest); v != matchNo {
			return n, v
		}
	}
	if len(rest) > 2 && rest[2] != 'p' && rest[2] != 'i' && p.ns == "" {
		return 0, p.noteSibling(rest)
	}
	for _, name := range [...]string{"parameters", "invoke"} {
		if n, v = p.matchCloser(rest, name); v == matchNo {
			continue
		}
		if v == matchYes {
			v = p.endsWithout(rest[n:], name)
		}
		if v == matchYes && p.vs != nil {
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
func (p *parser) matchOwnEnd(rest []byte) (n int, v verdict) {
	n, v = p.matchCloser(rest, p.closer)
	wrong := false
	if v == matchNo {
		if n, v = p.matchWrongCloser(rest); v == matchNo {
			return 0, matchNo
		}
		wrong = true
	}
	if v == matchYes {
		if v = p.mayFollow(rest[n:], wrong); v == matchNo && !wrong && p.isScalar() {
			v = matchYes // more text would only spoil it
		}
	}
	if v == matchYes && wrong {
		p.fix("wrong_closer")
	}
	return n, v
}

// isScalar tells whether what was read is a number, a boolean or null where one
// of these alone is due: a value that cannot hold a tag.
func (p *parser) isScalar() bool {
	if p.mode != modeHeld || !p.vs.isScalar() || len(p.held) > 2*maxNull {
		return false
	}
	_, fits := appendTyped(nil, p.vs, string(p.held))
	return fits
}

func (p *parser) matchWrongCloser(rest []byte) (n int, v verdict) {
	if p.child {
		return p.matchCloser(rest, "parameter")
	}
	if !isReserved(p.tag) {
		if n, v = p.matchCloser(rest, p.tag); v != matchNo {
			return n, v
		}
	}
	end := 2
	for end < len(rest) && isTagByte(rest[end]) {
		end++
	}
	if end < len(rest) { // the name is whole: it is looked up, for there may be many
		name := string(rest[2:end])
		if local, ok := strings.CutPrefix(name, p.ns); ok && p.schema.offers(local) {
			return p.matchCloser(rest, local)
		}
		if p.schema.offers(name) {
			return p.matchCloser(rest, name)
		}
		return 0, matchNo
	}
	best := matchNo
	for i := range p.schema.props {
		if n, v = p.matchCloser(rest, p.schema.props[i].tag); v == matchYes {
			return n, v
		}
		best = max(best, v)
	}
	return 0, best
}

// matchCloser matches `</name>`, with blanks before its end or the namespace of the call.
func (p *parser) matchCloser(rest []byte, name string) (n int, v verdict) {
	if len(rest) > 2 && rest[2] != name[0] && (p.ns == "" || rest[2] != p.ns[0]) {
		return 0, matchNo
	}
	n, v = p.matchCloserNamed(rest, 2, name)
	if v != matchYes && p.ns != "" {
		switch s := rest[2:]; {
		case hasPrefix(s, p.ns):
			return p.matchCloserNamed(rest, 2+len(p.ns), name)
		case isPrefixOf(s, p.ns):
			return 0, p.undecided()
		}
	}
	return n, v
}

func (p *parser) matchCloserNamed(rest []byte, at int, name string) (n int, v verdict) {
	s := rest[at:]
	common := 0
	for common < len(s) && common < len(name) && s[common] == name[common] {
		common++
	}
	switch {
	case common == len(s):
		return 0, p.undecided()
	case common < len(name):
		return 0, matchNo
	}
	i, v := p.blanks(s, len(name), maxTagBlanks)
	switch {
	case v == matchMore:
		return 0, matchMore
	case v == matchYes && i < len(s) && s[i] == '>':
		return at + i + 1, matchYes
	}
	return 0, matchNo
}

// undecided is the verdict on text that could go either way.
func (p *parser) undecided() verdict {
	if p.eof {
		return matchNo
	}
	return matchMore
}

// endsWithout tells whether `</parameters>` or `</invoke>` ends a value that has
// no closing tag of its own.
func (p *parser) endsWithout(rest []byte, closer string) verdict {
	if p.vs == nil && p.json.whole() {
		return matchYes // the whole input is whole
	}
	i, v := p.blanks(rest, 0, maxGap)
	switch {
	case v == matchYes && i == len(rest):
		return verdictOf(!p.cutShort)
	case v != matchYes:
		return v
	case rest[i] != '<':
		return matchNo
	}
	var t tag
	t, v = matchTag(rest[i:], p.eof)
	switch {
	case v != matchYes:
		return v
	case closer == "parameters" && t.is("invoke") && t.closing,
		closer == "invoke" && (isWrapper(t) && t.closing || t.is("invoke") && !t.closing):
		return matchYes
	}
	return matchNo
}

// mayFollow tells whether rest can follow the value's closing tag. After a wrong
// one less can.
func (p *parser) mayFollow(rest []byte, wrong bool) verdict {
	i, v := p.blanks(rest, p.looked, maxLook-p.looked)
	p.looked = 0
	switch {
	case v == matchMore:
		p.looked = i
		return matchMore
	case v == matchYes && i == len(rest):
		return verdictOf(!wrong)
	case v == matchNo || rest[i] != '<':
		return matchNo
	}
	var t tag
	t, v = matchTag(rest[i:], p.eof)
	switch {
	case v == matchMore:
		p.looked = i
		return matchMore
	case v == matchNo && p.eof && bytes.IndexByte(rest[i:], '>') < 0:
		return verdictOf(!wrong) // the text was cut in the tag that follows
	case v == matchNo:
		return matchNo
	case t.closing:
		return p.closerMayFollow(t, rest[i+t.n:])
	case t.is("invoke"):
		return verdictOf(!wrong)
	}
	return verdictOf(p.paramMayFollow(t, wrong, bytes.IndexByte(rest[:i], '\n') >= 0))
}

func (p *parser) closerMayFollow(t tag, rest []byte) verdict {
	if t.is("invoke") || isWrapper(t) {
		return matchYes
	}
	if !t.is("parameters") {
		return matchNo
	}
	i, v := p.blanks(rest, 0, maxGap)
	if v == matchMore {
		return matchMore
	}
	return verdictOf(v == matchNo || i == len(rest) || rest[i] == '<')
}

// paramMayFollow tells whether a tag opens another parameter: a declared one, or
// any on a line of its own. The value's own tag is text of the value.
func (p *parser) paramMayFollow(t tag, wrong, ownLine bool) bool {
	tag := string(t.full)
	if t.is("parameter") {
		tag, _ = t.nameAttr()
	} else if !p.child {
		return false
	}
	name, _, declared := p.schema.property(tag)
	switch {
	case name == p.name:
		return false
	case declared:
		return true
	case wrong || len(t.attr) > 0 && !t.is("parameter"):
		return false
	}
	return ownLine || len(p.schema.props) == 0
}
