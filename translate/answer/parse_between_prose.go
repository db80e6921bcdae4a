package answer

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/prompt"
)

// Prose between calls, which models go on with after the end of a call: "Now the other file." Where a
// stop sequence ends the calls of a format, prose shows that the upstream did not heed it. Only in the
// formats of Claude 2 does it show that the model makes results up (docs/reference/legacy-format.md §6).

// readProseBetween reads prose up to what may be the next call. It is text before that, if it is one; else it
// is left out, like all that follows the last call. The mark stands before it, so that it is not lost where
// that call is given back. The verdict is NoMatch if none can follow.
func (p *parser) readProseBetween(rest []byte) markup.Verdict {
	if p.format.InventsResults && !p.textMayFollow || !p.wrapperMayEnd() {
		return markup.NoMatch
	}
	n, v := p.matchProse(rest)
	if v == markup.Match {
		if p.proseBetween == nil {
			p.in.SetMark()
		} else { // an empty wrapper stands between the two
			p.proseBetween = append(p.proseBetween, "\n\n"...)
		}
		p.proseBetween = append(p.proseBetween, bytes.TrimSpace(rest[:n])...)
		p.in.Take(n, completion.SpanText)
	}
	return v
}

// wrapperMayEnd reports whether the calls may be over: their wrapper was closed, or needs no end.
func (p *parser) wrapperMayEnd() bool {
	g := p.wrapperSpelling
	return !p.call.WrapperOpen || g != nil && g.Endless && p.listEnd == "" && !p.call.alone
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
	return n, p.in.NeedMore()
}

// matchNext matches what means something in prose. It reports whether that is the beginning of a call, or
// what there is of one where the answer was cut.
func (p *parser) matchNext(rest []byte) (begins bool, v markup.Verdict) {
	if p.in.CutShort && p.endsInTag(rest) {
		return true, markup.Match
	}
	t, v := p.matchTextTag(rest)
	if v != markup.NoMatch || rest[0] == '<' || !p.readsLiterals() {
		return t.Kind == markup.KindInvoke || t.Kind == markup.KindWrapper, v
	}
	switch _, _, v := p.matchHeadless(rest); {
	case v == markup.NeedMore && p.in.EOF: // it was cut
		return true, markup.Match
	case v != markup.NoMatch:
		return true, v
	}
	_, name, v := p.matchLiteral(rest)
	if v == markup.Match {
		tool, _ := p.tools.Find(name)
		v = markup.VerdictOf(tool != nil)
	}
	return true, v
}

// holdsResults reports whether results begin in text, in any format, or another turn: a call behind results
// that a model makes up is made up, too.
func holdsResults(text []byte) bool {
	return bytes.HasPrefix(text, []byte(strings.TrimSpace(prompt.HumanMarker))) ||
		slices.ContainsFunc(resultMarks(), func(mark string) bool { return bytes.Contains(text, []byte(mark)) })
}

// resultMarks are what results begin with in all formats, and what turns begin with.
var resultMarks = sync.OnceValue(func() []string {
	marks := slices.Clone(turnMarks)
	for _, f := range format.All() {
		stands := []string{f.BeforeResults, strings.Replace(f.Result[0], "ID", f.Shape.Label("\x00", 0), 1)}
		if f.ImpliedEnd == "" {
			stands = append(stands, f.StopSequence)
		}
		for line := range strings.SplitSeq(strings.Join(stands, "\n"), "\n") {
			if mark, _, _ := strings.Cut(line, "\x00"); mark != "" && !slices.Contains(marks, mark) {
				marks = append(marks, mark)
			}
		}
	}
	return marks
})

// turnMarks are what turns begin with that are not the model's, in the templates of several families.
var turnMarks = []string{
	strings.TrimPrefix(prompt.HumanMarker, "\n"), "<|im_start|>", "<|im_user|>", "<|im_system|>", "<|user|>", "<|observation|>",
	"<｜User｜>", "]~b]", "<|start_header_id|>", "<start_of_turn>", "<|turn>", "[INST]",
}
