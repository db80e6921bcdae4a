package translate

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"dragoman/translate/markup"
)

// Prose between calls, in formats whose models go on after the end of a call: "Now the other file." A
// stop sequence ends the answers of the others where their calls end, and what stands behind is a
// model that goes on without having seen results.

// readProseBetween reads prose up to what may be the next call. It is text before that, if it is one; else it
// is left out, like all that follows the last call. The verdict is NoMatch if none can follow.
func (p *parser) readProseBetween(rest []byte) markup.Verdict {
	if p.format.impliedEnd != "" || p.call.wrapperOpen {
		return markup.NoMatch
	}
	n, v := p.matchProse(rest)
	if v == markup.Match {
		p.proseBetween = bytes.TrimSpace(bytes.Clone(rest[:n]))
		p.in.take(n, SpanText)
	}
	return v
}

// matchProse matches prose before a call. There is none if Markdown code is open in it, which would quote
// the call, or if results or thinking begin in it.
func (p *parser) matchProse(rest []byte) (n int, v markup.Verdict) {
	head := rest[:min(len(rest), maxAside)]
	var code code
	for n < len(head) {
		end := n + p.nextLiteral(head[n:n+p.nextTextTag(head[n:])])
		code.advance(head[n:end])
		if n = end; n == len(head) {
			break
		}
		switch begins, v := p.matchNext(rest[n:]); {
		case v == markup.Match:
			return n, markup.VerdictOf(begins && !code.isOpen() && !holdsResults(head[:n]))
		case v == markup.NeedMore:
			return n, v
		}
		code.advance(head[n : n+1])
		n++
	}
	if len(head) == maxAside {
		return n, markup.NoMatch
	}
	return n, p.in.needMore()
}

// matchNext matches what means something in prose. It reports whether that is the beginning of a call, or
// what there is of one where the answer was cut.
func (p *parser) matchNext(rest []byte) (begins bool, v markup.Verdict) {
	if p.cutShort && p.endsInTag(rest) {
		return true, markup.Match
	}
	t, v := p.matchTextTag(rest)
	if v != markup.NoMatch || rest[0] == '<' || !p.readsLiterals() {
		return t.Kind == markup.KindInvoke || t.Kind == markup.KindWrapper, v
	}
	_, name, _, v := p.matchLiteral(rest)
	if v == markup.Match {
		tool, _ := p.tools.find(name)
		v = markup.VerdictOf(tool != nil)
	}
	return true, v
}

// holdsResults reports whether results begin in text, in any format: a call behind those that a model makes
// up is made up, too.
func holdsResults(text []byte) bool {
	return slices.ContainsFunc(resultMarks(), func(mark string) bool { return bytes.Contains(text, []byte(mark)) })
}

// resultMarks are what results begin with in all formats.
var resultMarks = sync.OnceValue(func() (marks []string) {
	for _, f := range allFormats() {
		for _, mark := range []string{f.beforeResults, f.result[0], f.stopSequence} {
			mark, _, _ = strings.Cut(mark, "\n")
			if mark != "" && (mark != f.stopSequence || f.impliedEnd == "") && !slices.Contains(marks, mark) {
				marks = append(marks, mark)
			}
		}
	}
	return marks
})
