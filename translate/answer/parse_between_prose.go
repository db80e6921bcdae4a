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

// Prose between calls. Models write some after a call: "Now the other file." Text that holds results shows that the
// model invents them, and then also the calls after them (docs/reference/legacy-format.md §6).

// readProseBetween reads prose before a possible next call. If a call follows, the client gets the prose as text
// before it. Otherwise the parser omits the prose, like all text after the last call. The mark is before the prose,
// so that giving back the call also gives back the prose. The verdict is NoMatch if no prose may follow here.
func (p *parser) readProseBetween(rest []byte) markup.Verdict {
	n, v := p.matchProse(rest)
	if v == markup.Match && !p.wrapperMayEnd() { // the model forgot to close it, if it opens another
		t, _ := p.matchTextTag(rest[n:])
		v = markup.VerdictOf(t.Kind == markup.KindWrapper)
	}
	switch {
	case v == markup.Match && p.tellsResults(rest[:n]):
		return markup.NoMatch
	case v == markup.Match:
		p.takeProse(n)
	}
	return v
}

// tellsResults reports whether prose between calls tells results that the model has invented. In the formats of Claude
// 2, such prose has several lines (docs/reference/legacy-format.md §6).
func (p *parser) tellsResults(prose []byte) bool {
	return p.format.ImpliedEnd == format.CallsEnd && bytes.IndexByte(bytes.TrimSpace(prose), '\n') >= 0
}

// takeProse reads n bytes as prose before the next call.
func (p *parser) takeProse(n int) {
	if p.proseBetween == nil {
		p.in.SetMark()
	} else { // an empty wrapper separates the two texts
		p.proseBetween = append(p.proseBetween, "\n\n"...)
	}
	p.proseBetween = append(p.proseBetween, bytes.TrimSpace(p.in.Rest()[:n])...)
	p.in.Take(n, completion.SpanText)
}

// wrapperMayEnd reports whether the calls may be over: their wrapper was closed, or needs no closing tag.
func (p *parser) wrapperMayEnd() bool {
	g := p.wrapperSpelling
	return !p.call.WrapperOpen || g != nil && g.Endless && p.listEnd == "" && !p.call.alone
}

// matchProse matches prose before a call. It does not match if Markdown code is open in the prose, because the code
// would quote the call. It also does not match if results or thinking begin in the prose.
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
			return n, markup.VerdictOf(n > 0 && begins && !code.isOpen() && !holdsResults(head[:n]))
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

// matchNext matches text that has a meaning within prose. begins reports whether that text begins a call, or would
// have begun one in an answer that was cut off.
func (p *parser) matchNext(rest []byte) (begins bool, v markup.Verdict) {
	if p.in.CutShort && p.endsInTag(rest) {
		return true, markup.Match
	}
	t, v := p.matchTextTag(rest)
	if v != markup.NoMatch || rest[0] == '<' || !p.readsLiterals() {
		return t.Kind == markup.KindInvoke || t.Kind == markup.KindWrapper, v
	}
	switch _, _, v := p.matchHeadless(rest); {
	case v == markup.NeedMore && p.in.EOF: // the call was cut off
		return true, markup.Match
	case v != markup.NoMatch:
		return true, v
	}
	if !p.mayBeLiteral(rest[0]) {
		return false, markup.NoMatch
	}
	_, name, v := p.matchLiteral(rest)
	if v == markup.Match {
		tool, _ := p.tools.Find(name)
		v = markup.VerdictOf(tool != nil)
	}
	return true, v
}

// holdsResults reports whether text contains the beginning of results in any format, or of another turn. A model
// that invents results also invents the calls after them.
func holdsResults(text []byte) bool {
	return bytes.HasPrefix(text, []byte(strings.TrimSpace(prompt.HumanMarker))) ||
		slices.ContainsFunc(resultMarks(), func(mark string) bool { return bytes.Contains(text, []byte(mark)) })
}

// resultMarks returns the beginnings of results in all formats, and the beginnings of turns.
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

// turnMarks are the beginnings of turns of other roles, in the templates of several model families.
var turnMarks = []string{
	strings.TrimPrefix(prompt.HumanMarker, "\n"), "<|im_start|>", "<|im_user|>", "<|im_system|>", "<|user|>", "<|observation|>",
	"<｜User｜>", "]~b]", "<|start_header_id|>", "<start_of_turn>", "<|turn>", "[INST]",
}
