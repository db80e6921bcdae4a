package answer

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Calls in JSON without anything around them:
//
//	{"name":…,"parameters":{…}}; {"name":…,"parameters":{…}}
//
// They are what is left of calls where a server has erased the markers, and what models write that have
// none. They are calls only as the whole answer, or all that follows the thinking in it: else a text of the client
// would be one which the model repeats, since nothing in it can be escaped. Those that a format
// begins with a word of its own or the name of a tool may stand behind prose, too, from the start of
// a line up to the end of the answer. An object may if the closing tag of a wrapper that is not there ends a line
// behind it.

// aloneCalls is the spelling of such calls, begunCalls that of those with a word of the format before them, listedCalls
// that of a list of them behind prose, which is text, orphanCalls that of those before a closing tag, and namedCalls that
// of an input with the name of the tool before it: what is left of [TOOL_CALLS]book[ARGS]{…}.
var (
	aloneCalls  = &markup.Spelling{Lists: true, Endless: true}
	begunCalls  = &markup.Spelling{Lists: true, Endless: true}
	listedCalls = &markup.Spelling{Lists: true, Endless: true}
	orphanCalls = &markup.Spelling{Lists: true, Endless: true}
	namedCalls  = &markup.Spelling{Endless: true, JSON: true}
)

// nextText returns the state in which text is read that may be a call alone.
func (p *parser) nextText() state {
	if !p.mayCall || p.text.inThinking || p.text.thinkingTag != "" {
		return inText
	}
	return atAnswer
}

// readAnswer is the state atAnswer: nothing has been read, or thinking. A call in JSON that may be the
// whole answer follows (atJSONName; inRehearsal in thinking), and the mark is set before it; or anything
// else (inText).
func (p *parser) readAnswer() state {
	if !p.mayCall {
		return inText
	}
	if next, v := p.readObjectCalls(p.in.Rest()); v != markup.NoMatch {
		return next
	}
	next, _ := p.readAlone(p.in.Rest(), false)
	return next
}

// readAlone reads what stands before a call without anything around it, with which rest begins. behind says
// that prose stands before it. The verdict is NoMatch, and the state inText, if there is none.
func (p *parser) readAlone(rest []byte, behind bool) (next state, v markup.Verdict) {
	a, v := p.matchAlone(rest, behind)
	switch v {
	case markup.NeedMore:
		return wait, v
	case markup.NoMatch:
		return inText, v
	}
	t := markup.Tag{Spelling: a.spelling, Full: []byte("tool_call")} // a closing tag of that name would be its wrapper's
	p.beginNextCall(t)
	if p.text.thinkingTag != "" {
		p.call.alone = !behind
		return inRehearsal, v
	}
	p.openWrapper(t)
	p.call.MustBeWhole, p.call.Bare, p.call.alone = true, true, true
	if a.spelling == namedCalls {
		return p.readNamed(), v
	}
	p.listEnd = a.listEnd
	if bytes.Contains(rest[:a.len], completion.Fence) {
		p.call.Fence = string(completion.Fence)
	}
	p.in.Take(a.len, completion.SpanMarkup)
	return atJSONName, v
}

// aloneStart is what stands before the first call.
type aloneStart struct {
	len      int // in bytes, up to the { of the call
	spelling *markup.Spelling
	listEnd  string
}

// matchAlone matches what stands before the first call: see [format.Format.alone].
func (p *parser) matchAlone(rest []byte, behind bool) (a aloneStart, v markup.Verdict) {
	start, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	if v == markup.NeedMore {
		return a, v
	}
	if v == markup.NoMatch || start == len(rest) {
		return a, markup.NoMatch
	}
	v = markup.NoMatch
	for _, begin := range p.Alone {
		var more markup.Verdict
		switch {
		case begin == format.AloneName:
			a.spelling = namedCalls
			_, _, more = p.matchNamed(rest)
		case begin == "" && behind:
			a.spelling = orphanCalls
			more = p.matchOrphan(rest[start:])
			a.len = start
		default:
			a, more = p.matchAloneAfter(rest, start, begin)
			if begin == "[" && behind {
				a.spelling = listedCalls
			}
		}
		if more == markup.Match {
			return a, more
		}
		v = max(v, more)
	}
	return aloneStart{}, v
}

// matchAloneAfter is matchAlone from i on, for one way to begin.
func (p *parser) matchAloneAfter(rest []byte, i int, begin string) (a aloneStart, v markup.Verdict) {
	word, list := strings.CutSuffix(begin, "[")
	a.spelling = aloneCalls
	if word != "" {
		a.spelling = begunCalls
	}
	switch {
	case markup.IsPrefixOf(rest[i:], word):
		return a, p.in.NeedMore()
	case !markup.HasPrefix(rest[i:], word):
		return a, markup.NoMatch
	}
	next := func(n int) bool { // moves past n bytes and white space
		if i, v = p.in.MatchBlanks(rest, i+n, completion.MaxGap); v == markup.Match && i == len(rest) {
			v = markup.NoMatch
		}
		return v == markup.Match
	}
	if !next(len(word)) {
		return a, v
	}
	if rest[i] == '`' {
		var n int
		if n, v = p.in.MatchFence(rest[i:]); v != markup.Match || !next(n) {
			return a, v
		}
	}
	n, end, v := p.matchList(rest[i:])
	if v == markup.NoMatch && !list {
		n, end, v = 0, "", markup.VerdictOf(rest[i] == '{')
	}
	a.len, a.listEnd = i+n, end
	return a, v
}

// matchOrphan matches the beginning of a call that counts only with a closing tag behind it: an object whose
// first member is the name of an offered tool.
func (p *parser) matchOrphan(rest []byte) markup.Verdict {
	if rest[0] != '{' {
		return markup.NoMatch
	}
	name, v := matchJSONName(rest, p.in.EOF)
	if v == markup.Match {
		tool, _ := p.tools.Find(name)
		v = markup.VerdictOf(tool != nil)
	}
	return v
}

// beginsAlone reports whether text, at the start of a line, may begin such a call.
func (p *parser) beginsAlone(text []byte) bool {
	if !p.aloneStarts.Has(text[0]) {
		return false
	}
	_, v := p.matchAlone(text, true)
	return v != markup.NoMatch
}

// matchCallKey reports whether rest begins as the object of a call does that is the whole answer, so
// that other JSON is sent as it comes.
func (p *parser) matchCallKey(rest []byte) markup.Verdict {
	const most = 64
	i := markup.SkipBlanks(rest, 1, most)
	if i < len(rest) && rest[i] == '{' {
		i = markup.SkipBlanks(rest, i+1, most)
	}
	switch {
	case i == len(rest):
		return p.in.NeedMore()
	case rest[i] != '"':
		return markup.NoMatch
	}
	key := rest[i+1 : min(len(rest), i+most)]
	switch n := bytes.IndexByte(key, '"'); {
	case n >= 0:
		return markup.VerdictOf(slices.Contains(held.ObjectKeys, string(key[:n])))
	case len(key) == most-1:
		return markup.NoMatch
	}
	return p.in.NeedMore()
}

// matchAloneEnd reports whether a call may be one by what follows it, with which rest begins: other such calls and
// the end of the text, or a tag of calls.
func (p *parser) matchAloneEnd(rest []byte) markup.Verdict {
	i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	closers := p.listEnd
	if p.call.Fence != "" {
		closers += string(completion.Fence)
	}
	for ; v == markup.Match && closers != "" && i < len(rest) && rest[i] == closers[0]; closers = closers[1:] {
		i, v = p.in.MatchBlanks(rest, i+1, completion.MaxGap)
	}
	switch {
	case v != markup.Match:
		return v
	case p.call.Spelling == orphanCalls:
		return p.matchOrphanEnd(rest[i:])
	case i == len(rest):
		return markup.VerdictOf(!p.in.CutShort || closers == "")
	case rest[i] == ',' && (closers == "" || closers[0] != ']'):
		return markup.NoMatch
	case p.call.Spelling == namedCalls:
		if _, _, v = p.matchNamed(rest[i:]); v != markup.NoMatch {
			return v
		}
	case rest[i] == ',' || rest[i] == ';' || rest[i] == '{', closers == "" && p.call.Spelling == aloneCalls && (rest[i] == '`' || rest[i] == '['):
		return p.matchOnlyCalls(rest[i:])
	}
	return p.matchAfterAll(rest, i, closers)
}

// matchOnlyCalls reports whether all that is left of the text, which rest begins with, is objects and what stands
// between and behind calls. It is looked at once, behind the first call: all of the text has to come for it.
func (p *parser) matchOnlyCalls(rest []byte) markup.Verdict {
	switch {
	case p.calls.whole > 0:
		return markup.Match
	case !p.in.EOF:
		return markup.NeedMore
	}
	for i := 0; ; {
		i = markup.SkipBlanks(rest, i, len(rest))
		switch {
		case i == len(rest):
			return markup.Match
		case rest[i] == '`':
			n, _ := p.in.MatchFence(rest[i:])
			i += max(n, 1)
		case bytes.IndexByte([]byte(",;[]}"), rest[i]) >= 0:
			i++
		case rest[i] == '{':
			var object held.Depth
			n, v := object.ReadObject(rest[i:])
			if v == markup.NeedMore {
				return markup.VerdictOf(p.in.CutShort)
			}
			i += n
		default:
			return p.matchAfterAll(rest, i, "")
		}
	}
}

// matchAfterAll matches what may follow calls that are the whole answer, from i on, besides white space: the token for its
// end, a tag of calls or, behind begunCalls, a sentence. closers are what has not ended.
func (p *parser) matchAfterAll(rest []byte, i int, closers string) markup.Verdict {
	if p.call.Spelling == begunCalls && closers == "" && endsLine(rest[:i]) {
		if v := p.in.MatchSentence(rest[i:]); v != markup.NoMatch {
			return v
		}
	}
	rest = rest[i:]
	if n, v := held.MatchEndMark(rest, p.in.EOF); v != markup.NoMatch {
		if v == markup.Match {
			if n, v = p.in.MatchBlanks(rest, n, completion.MaxGap); v == markup.Match {
				v = markup.VerdictOf(n == len(rest))
			}
		}
		return v
	}
	if closers != "" || !p.BeginsTag(rest[0]) {
		return markup.NoMatch
	}
	t, v := p.matchOpener(rest)
	if v == markup.Match {
		v = markup.VerdictOf(t.IsWrapper() || t.Is("invoke"))
	}
	return v
}

// endsLine reports whether white space at the end of text ends a line.
func endsLine(text []byte) bool {
	return bytes.IndexByte(text[len(bytes.TrimRight(text, " \t\r\n")):], '\n') >= 0
}

// leakAlone gives a call back that is whole, and not the whole answer.
func (p *parser) leakAlone() state {
	if !p.call.Unoffered {
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: messages.ReasonDiscussed, InText: true})
	}
	return p.giveBack()
}

// matchOrphanEnd matches the closing tag of a wrapper, behind which its line ends: else it is prose about tags.
func (p *parser) matchOrphanEnd(rest []byte) markup.Verdict {
	if len(rest) == 0 || !p.BeginsTag(rest[0]) {
		return markup.NoMatch
	}
	t, v := p.matchOpener(rest)
	switch {
	case v != markup.Match:
		return v
	case !t.Closing || !t.IsWrapper():
		return markup.NoMatch
	case len(rest) == t.Len && p.in.EOF:
		return markup.Match
	}
	return p.in.MatchLineEnd(rest[t.Len:])
}
