package answer

import (
	"bytes"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// JSON calls without anything around them:
//
//	{"name":…,"parameters":{…}}; {"name":…,"parameters":{…}}
//
// They remain if a server erases the markers around calls. Some formats have no markers at all. Such JSON is a call
// only if it is the whole answer, or everything after the thinking. Otherwise the model may be repeating a text of
// the client: the prompt cannot escape anything in JSON.
//
// There are two exceptions. A call that begins with a word of the format, or with the name of a tool, may follow
// prose. It must begin a line, and the calls must end the answer. An object may follow prose if the closing tag of
// a wrapper follows it and ends a line. That wrapper has no opening tag.

// The spellings of these calls:
//
//   - aloneCalls: calls as shown above.
//   - begunCalls: calls after a word of the format.
//   - listedCalls: a list of calls after prose, which is text.
//   - orphanCalls: calls before a closing tag without its opening tag.
//   - namedCalls: the name of the tool and the input, the rest of [TOOL_CALLS]book[ARGS]{…}.
var (
	aloneCalls  = &markup.Spelling{Lists: true, Endless: true}
	begunCalls  = &markup.Spelling{Lists: true, Endless: true}
	listedCalls = &markup.Spelling{Lists: true, Endless: true}
	orphanCalls = &markup.Spelling{Lists: true, Endless: true}
	namedCalls  = &markup.Spelling{Endless: true, JSON: true}
)

// nextText returns the state for text that may be a call on its own.
func (p *parser) nextText() state {
	if !p.mayCall || p.text.inThinking || p.text.thinkingTag != "" || p.text.answered {
		return inText
	}
	return atAnswer
}

// readAnswer is the state atAnswer: the parser has read nothing, or thinking. If a JSON call that may be the whole
// answer follows, the next state is atJSONName (inRehearsal in thinking), and the mark is before the call.
// Otherwise it is inText.
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

// readAlone reads what precedes a call without anything around it, at the start of rest. behind says whether prose
// precedes the call. If there is no such call, the verdict is NoMatch and the state inText.
func (p *parser) readAlone(rest []byte, behind bool) (next state, v markup.Verdict) {
	a, v := p.matchAlone(rest, behind)
	switch v {
	case markup.NeedMore:
		return wait, v
	case markup.NoMatch:
		return inText, v
	}
	if p.text.thinkingTag != "" {
		p.beginNextCall(a.tag())
		p.call.alone = !behind
		return inRehearsal, v
	}
	return p.beginAlone(a), v
}

// beginAlone begins a call without anything around it.
func (p *parser) beginAlone(a aloneStart) state {
	p.beginNextCall(a.tag())
	p.openWrapper(a.tag())
	p.call.MustBeWhole, p.call.Bare, p.call.alone = true, true, true
	if a.spelling == namedCalls {
		return p.readNamed()
	}
	if bytes.Contains(p.in.Rest()[:a.len], completion.Fence) {
		p.call.Fence = string(completion.Fence)
	}
	p.takeList(a.len, a.listEnd)
	return atJSONName
}

// aloneStart is the text before the first call.
type aloneStart struct {
	len      int // in bytes, up to the { of the call
	spelling *markup.Spelling
	listEnd  string
}

// tag returns the wrapper that the call would have: a closing tag of this name closes it.
func (a aloneStart) tag() markup.Tag {
	return markup.Tag{Spelling: a.spelling, Full: []byte("tool_call")}
}

// matchAlone matches the text before the first call, in the ways of [format.Format.alone].
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

// matchAloneAfter is matchAlone from i on, for one of these ways.
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

// matchOrphan matches the beginning of a call that counts only before a closing tag: an object with the name of an
// offered tool as its first member.
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

// beginsAlone reports whether text at the start of a line may begin a call without anything around it.
func (p *parser) beginsAlone(text []byte) bool {
	if !p.aloneStarts.Has(text[0]) {
		return false
	}
	_, v := p.matchAlone(text, true)
	return v != markup.NoMatch
}

// matchAloneEnd checks the text after a call without anything around it, at the start of rest. More such calls and
// the end of the text may follow, or a tag of calls.
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
	case p.call.Spelling == namedCalls:
		if _, _, v = p.matchNamed(rest[i:]); v != markup.NoMatch {
			return v
		}
	case rest[i] == ',' || rest[i] == ';' || rest[i] == '{', closers == "" && p.call.Spelling == aloneCalls && (rest[i] == '`' || rest[i] == '['):
		return p.matchOnlyCalls(rest[i:], closers)
	}
	return p.matchAfterAll(rest, i, closers)
}

// matchAfterAll matches what may follow calls that are the whole answer, at rest[i:]. That is the end token, a tag
// of calls or, after begunCalls, a sentence. closers are the brackets that are still open.
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
				v = markup.VerdictOf(n == len(rest) || rest[n] == '<') // the model goes on with another turn
			}
		}
		return v
	}
	if closers != "" || !p.BeginsTag(rest[0]) {
		return markup.NoMatch
	}
	t, v := p.matchOpener(rest)
	if v != markup.Match {
		return v
	}
	if t.Closing { // it closes nothing, if nothing follows it
		i, v := p.in.MatchBlanks(rest, t.Len, completion.MaxGap)
		if v == markup.Match && i == len(rest) || v == markup.NeedMore && !t.IsWrapper() && !t.Is("invoke") {
			return v
		}
	}
	if t.IsWrapper() && !t.Closing { // a word after the tag makes it text of a sentence
		switch p.matchWord(rest[t.Len:]) {
		case markup.NeedMore:
			return markup.NeedMore
		case markup.Match:
			return markup.NoMatch
		}
	}
	return markup.VerdictOf(t.IsWrapper() || t.Is("invoke"))
}

// matchWord matches a blank and a lower-case word that is no tool's name.
func (p *parser) matchWord(rest []byte) markup.Verdict {
	switch {
	case len(rest) < len(" a"):
		return p.in.NeedMore()
	case rest[0] != ' ' || rest[1] < 'a' || rest[1] > 'z':
		return markup.NoMatch
	}
	word := rest[1:min(len(rest), format.MaxToolName)]
	n := bytes.IndexAny(word, " \t\r\n<{[.,")
	if n < 0 && len(rest) < format.MaxToolName && !p.in.EOF {
		return markup.NeedMore
	}
	return markup.VerdictOf(n < 0 || p.tools.Named(string(word[:n])) == nil)
}

// endsLine reports whether the white space at the end of text has a newline.
func endsLine(text []byte) bool {
	return bytes.IndexByte(text[len(bytes.TrimRight(text, " \t\r\n")):], '\n') >= 0
}

// matchOrphanEnd matches the closing tag of a wrapper. The line must end after the tag: otherwise it is prose about
// tags.
func (p *parser) matchOrphanEnd(rest []byte) markup.Verdict {
	if len(rest) == 0 || !p.BeginsTag(rest[0]) {
		return markup.NoMatch
	}
	t, v := p.matchOpener(rest)
	switch {
	case v != markup.Match:
		return v
	case !t.Closing || t.Escaped || !t.IsWrapper(): // in the prompt, nothing escapes a tag that the client has escaped
		return markup.NoMatch
	case len(rest) == t.Len && p.in.EOF:
		return markup.Match
	}
	return p.in.MatchLineEnd(rest[t.Len:])
}
