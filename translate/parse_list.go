package translate

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Calls in JSON that stand in a list, and those that are a whole answer without anything around them:
//
//	<tool_call>[{"name":…,"arguments":{…}},{"name":…,"arguments":{…}}]</tool_call>
//	{"name":…,"parameters":{…}}; {"name":…,"parameters":{…}}
//
// The second are what is left of calls where a server has erased the markers, and what models write
// that have none. They are calls only as the whole answer, or all that follows the thinking in it.

// nextText returns the state in which text is read that may be a call alone.
func (p *parser) nextText() state {
	if len(p.alone) == 0 || p.text.inThinking || p.text.thinkingTag != "" {
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
	rest := p.in.rest()
	n, v := p.matchAlone(rest)
	named := v == markup.NoMatch && slices.Contains(p.alone, aloneName)
	if named {
		_, n, v = p.matchNamed(rest)
	}
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return inText
	}
	t := markup.Tag{Spelling: aloneCalls}
	if named {
		t.Spelling = namedCalls
	}
	p.beginCall(t)
	if p.text.thinkingTag != "" {
		p.call.alone = true
		return inRehearsal
	}
	p.openWrapper(t)
	p.call.mustBeWhole, p.call.bare, p.call.alone = true, true, true
	if named {
		return p.readNamed()
	}
	p.inList = bytes.HasSuffix(bytes.TrimRight(rest[:n], " \t\r\n"), []byte("["))
	if bytes.Contains(rest[:n], fence) {
		p.call.fence = string(fence)
	}
	p.in.take(n, SpanMarkup)
	return atJSONName
}

// aloneCalls is the spelling of calls without tags, and namedCalls that of an input with the name of the
// tool before it: what is left of [TOOL_CALLS]book[ARGS]{…}.
var (
	aloneCalls = &markup.Spelling{Lists: true, Endless: true}
	namedCalls = &markup.Spelling{Endless: true, JSON: true}
)

// aloneName says in [format.alone] that the name of an offered tool may stand before an input.
const aloneName = "NAME"

// matchNamed matches the name of an offered tool and the { of its input, after white space. n is the
// index of that.
func (p *parser) matchNamed(rest []byte) (name string, n int, v markup.Verdict) {
	start, v := p.in.matchBlanks(rest, 0, maxGap)
	if v != markup.Match {
		return "", 0, v
	}
	n = start
	for n < len(rest) && n-start <= maxOfferedName && markup.IsNameByte(rest[n]) {
		n++
	}
	name = string(rest[start:n])
	switch {
	case n == len(rest) && slices.ContainsFunc(p.tools.list, func(t messages.Tool) bool { return strings.HasPrefix(t.Name, name) }):
		return "", 0, p.in.needMore()
	case n == len(rest) || rest[n] != '{' || p.tools.named(name) == nil:
		return "", 0, markup.NoMatch
	}
	return name, n, markup.Match
}

// readNamed reads the name that matchNamed has matched (inCall).
func (p *parser) readNamed() state {
	name, n, _ := p.matchNamed(p.in.rest())
	p.call.attributeForm = true
	p.in.take(n, SpanMarkup)
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return inCall
}

// fence opens and ends a Markdown code fence.
var fence = []byte("```")

// matchAlone matches what stands before the first call that may be the whole answer, up to its {.
func (p *parser) matchAlone(rest []byte) (n int, v markup.Verdict) {
	start, v := p.in.matchBlanks(rest, 0, maxGap)
	if v == markup.NeedMore {
		return 0, v
	}
	if v == markup.NoMatch || start == len(rest) {
		return 0, markup.NoMatch
	}
	v = markup.NoMatch
	for _, begin := range p.alone {
		if begin == aloneName {
			continue
		}
		n, more := p.matchAloneAfter(rest, start, begin)
		if more == markup.Match {
			return n, more
		}
		v = max(v, more)
	}
	return 0, v
}

// matchAloneAfter is matchAlone from i on, for one way to begin: see [format.alone].
func (p *parser) matchAloneAfter(rest []byte, i int, begin string) (n int, v markup.Verdict) {
	word, list := strings.CutSuffix(begin, "[")
	switch {
	case markup.IsPrefixOf(rest[i:], word):
		return 0, p.in.needMore()
	case !markup.HasPrefix(rest[i:], word):
		return 0, markup.NoMatch
	}
	next := func(n int) bool { // moves past n bytes and white space
		if i, v = p.in.matchBlanks(rest, i+n, maxGap); v == markup.Match && i == len(rest) {
			v = markup.NoMatch
		}
		return v == markup.Match
	}
	if !next(len(word)) {
		return 0, v
	}
	if rest[i] == '`' {
		if n, v = p.in.matchFence(rest[i:]); v != markup.Match || !next(n) {
			return 0, v
		}
	}
	switch {
	case rest[i] == '[':
		if !next(len("[")) {
			return 0, v
		}
	case list:
		return 0, markup.NoMatch
	}
	return i, markup.VerdictOf(rest[i] == '{')
}

// callKeys are the names of members that the object of a call may begin with.
var callKeys = []string{"name", "arguments", "parameters", "input", "type", "function", "id", "tool_call_id", "tool_name"}

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
		return p.in.needMore()
	case rest[i] != '"':
		return markup.NoMatch
	}
	key := rest[i+1 : min(len(rest), i+most)]
	switch n := bytes.IndexByte(key, '"'); {
	case n >= 0:
		return markup.VerdictOf(slices.Contains(callKeys, string(key[:n])))
	case len(key) == most-1:
		return markup.NoMatch
	}
	return p.in.needMore()
}

// matchAloneEnd reports whether a call may be the whole answer by what follows it, with which rest
// begins: the end of the text, another such call, or a marker. Of models of the llama format text on
// other lines may follow, too.
func (p *parser) matchAloneEnd(rest []byte) markup.Verdict {
	i, v := p.in.matchBlanks(rest, 0, maxGap)
	closers := ""
	if p.inList {
		closers = "]"
	}
	if p.call.fence != "" {
		closers += string(fence)
	}
	for ; v == markup.Match && closers != "" && i < len(rest) && rest[i] == closers[0]; closers = closers[1:] {
		i, v = p.in.matchBlanks(rest, i+1, maxGap)
	}
	switch {
	case v != markup.Match:
		return v
	case i == len(rest):
		return markup.VerdictOf(!p.cutShort || closers == "")
	case rest[i] == ',':
		return markup.VerdictOf(p.inList && closers[0] == ']')
	case rest[i] == ';' || rest[i] == '{':
		return markup.Match
	case p.call.spelling == namedCalls:
		if _, _, v = p.matchNamed(rest[i:]); v != markup.NoMatch {
			return v
		}
	}
	switch {
	case rest[i] == '<' && i+1 == len(rest):
		return p.in.needMore()
	case rest[i] == '<' && rest[i+1] == '|':
		return markup.Match
	case closers == "" && p.beginsTag(rest[i]):
		_, v = p.matchOpener(rest[i:])
		return v
	}
	return markup.VerdictOf(closers == "" && p.call.fence == "" && p.format.name == FormatLlama && bytes.IndexByte(rest[:i], '\n') >= 0)
}

// matchList matches the bracket that begins a list of calls in a wrapper.
func (p *parser) matchList(rest []byte) markup.Verdict {
	if rest[0] != '[' || p.inList {
		return markup.NoMatch
	}
	i, v := p.in.matchBlanks(rest, 1, maxGap)
	if v == markup.Match {
		v = markup.VerdictOf(i < len(rest) && rest[i] == '{')
	}
	return v
}

// matchSeparator matches what stands after a call in JSON in a wrapper: a comma or a semicolon before
// the next one, or the end of their list.
func (p *parser) matchSeparator(rest []byte) (n int, v markup.Verdict) {
	switch c := rest[0]; {
	case c == ']':
		return 1, markup.VerdictOf(p.inList)
	case c != ',' && c != ';':
		return 0, markup.NoMatch
	}
	i, v := p.in.matchBlanks(rest, 1, maxGap)
	if v == markup.Match {
		v = markup.VerdictOf(i == len(rest) || rest[i] == '{' || rest[i] == ']' && p.inList || p.beginsTag(rest[i]))
	}
	return 1, v
}
