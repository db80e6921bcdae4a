package translate

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// Where calls that are literals begin: in prose, or in a wrapper.

// nextLiteral returns the index in text of what may begin such calls in prose without a bracket, or
// len(text).
func (p *parser) nextLiteral(text []byte) int {
	n := len(text)
	if p.text.joined {
		n = nextJoined(text[:n])
	}
	if !p.readsLineStarts() {
		return n
	}
	atStart := !p.text.code.midLine
	for at := 0; at < n; atStart = true {
		if i := markup.SkipBlanks(text, at, n); atStart && i < n && p.beginsCall(text[i:]) {
			return i
		}
		i := bytes.IndexByte(text[at:n], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return n
}

// readsLiterals reports whether calls may begin without a tag.
func (p *parser) readsLiterals() bool { return p.readsLiteral[pythonLiteral] || p.readsLineStarts() }

// readsLineStarts reports whether calls may begin with a line of prose.
func (p *parser) readsLineStarts() bool { return p.readsLiteral[gemmaLiteral] || p.readsChannels }

// beginsCall reports whether text may begin such a call.
func (p *parser) beginsCall(text []byte) bool {
	switch text[0] { // most lines begin with another byte
	default:
		return false
	case gemmaCall[0], 'a', 't':
	}
	return p.readsLiteral[gemmaLiteral] && (markup.HasPrefix(text, gemmaCall) || markup.IsPrefixOf(text, gemmaCall)) ||
		p.readsChannels && beginsHeader(text)
}

// readTextLiteral reads what may begin such calls in prose, which rest begins with: as text, or as their
// beginning (inLiteral). The mark then stands before it.
func (p *parser) readTextLiteral(rest []byte) state {
	if p.readsChannels && rest[0] != '[' {
		if next, v := p.readErasedHeader(rest); v != markup.NoMatch {
			return next
		}
	}
	syntax, name, _, v := p.matchLiteral(rest)
	if v == markup.NeedMore {
		return wait
	}
	code := &p.text.code
	code.settle()
	if tool, _ := p.tools.find(name); v == markup.NoMatch || tool == nil || code.fence > 0 || code.inline > 0 || syntax == pythonLiteral && rest[0] != '[' {
		if p.beginsTag(rest[0]) {
			return p.readTextMarkup(rest)
		}
		return p.takeText(1)
	}
	p.beginCall(markup.Tag{})
	if p.text.thinkingTag != "" {
		return inRehearsal
	}
	p.beginLiteral(syntax, name)
	p.literal.midLine = code.midLine
	return inLiteral
}

// matchLiteral matches the beginning of a call, up to the bracket before its arguments: n is the index of
// that.
func (p *parser) matchLiteral(rest []byte) (syntax literalSyntax, name string, n int, v markup.Verdict) {
	head := rest[:min(len(rest), 2*maxToolName)]
	more := markup.NoMatch
	if len(head) < 2*maxToolName {
		more = p.in.needMore()
	}
	if p.readsLiteral[gemmaLiteral] {
		if name, n, v = matchGemmaHead(head, more); v != markup.NoMatch {
			return gemmaLiteral, name, n, v
		}
	}
	if p.readsLiteral[pythonLiteral] {
		name, n, v = matchPythonHead(head, more)
		return pythonLiteral, name, n, v
	}
	return noLiteral, "", 0, markup.NoMatch
}

// beginsList reports whether text, which begins with a bracket, may begin a list of calls in Python.
func (p *parser) beginsList(text []byte) bool {
	if !p.readsLiteral[pythonLiteral] || !p.mayCall {
		return false
	}
	_, _, _, v := pythonHead(text[:min(len(text), 2*maxToolName)], markup.NeedMore)
	return v != markup.NoMatch
}

// matchPythonHead matches the name of a call in Python, maybe as the first of a list. more is the verdict
// if it may go on.
func matchPythonHead(head []byte, more markup.Verdict) (name string, n int, v markup.Verdict) {
	from, to, n, v := pythonHead(head, more)
	if v != markup.Match {
		return "", 0, v
	}
	return string(head[from:to]), n, v
}

// pythonHead is matchPythonHead, with where the name begins and ends.
func pythonHead(head []byte, more markup.Verdict) (from, to, n int, v markup.Verdict) {
	if len(head) > 0 && head[0] == '[' {
		from = 1
	}
	from = markup.SkipBlanks(head, from, len(head))
	to = from
	for to < len(head) && rawjson.IsPythonCallByte(head[to]) {
		to++
	}
	n = markup.SkipBlanks(head, to, len(head))
	switch {
	case n == len(head):
		v = more
	default:
		v = markup.VerdictOf(head[n] == '(' && to > from)
	}
	return from, to, n, v
}

// matchWrapped matches calls in a wrapper, after which they are next. In one that other formats have they
// must be to an offered tool.
func (p *parser) matchWrapped(rest []byte) (syntax literalSyntax, name string, v markup.Verdict) {
	syntax, name, _, v = p.matchLiteral(rest)
	if v == markup.Match && !p.mayBeCalled(name) {
		v = markup.NoMatch
	}
	return syntax, name, v
}

// mayBeCalled reports whether calls may name a tool: an offered one, or any between markers.
func (p *parser) mayBeCalled(name string) bool {
	tool, _ := p.tools.find(name)
	return tool != nil || p.literal.marked && p.call.wrapperOpen && isToolName(name)
}

// beginLiteral begins to read calls, the first of which names a tool.
func (p *parser) beginLiteral(syntax literalSyntax, name string) {
	p.literal = literalSeen{literalScan: literalScan{syntax: syntax}, from: p.in.offset(), marked: p.literal.marked, bare: !p.call.wrapperOpen}
	p.call.tool, p.call.mustBeWhole = name, true
	p.call.bare = p.literal.bare && syntax == gemmaLiteral
}
