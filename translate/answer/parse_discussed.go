package answer

import (
	"bytes"
	"unicode"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// A call after text on its line may be made, or may only be shown: "I could write <call> here." The parser holds the
// call until it knows. matchShown decides, for all formats. TestShownCalls in package translate has its examples.

// textBefore returns the text before a call on its line: the last line of prose or, if prose is nil, of the answer's text.
// It returns nil if the call begins its line, or if tool_choice demands a call. The text is valid until more text is written.
func (p *parser) textBefore(prose []byte) []byte {
	line := p.text.code.line
	if prose != nil {
		line = bytes.TrimLeft(prose[bytes.LastIndexByte(prose, '\n')+1:], " \t\r")
	}
	if len(line) == 0 || p.req.MustCall() {
		return nil
	}
	return line
}

// quotes reports whether text at the beginning of a line says that the line quotes: it is a comment, a block quote, a
// row of a table, or a line that a search has found in a file ("a.md:14:").
func quotes(line []byte) bool {
	for _, mark := range []string{"//", "# ", "<!--", ">", "|"} {
		if markup.HasPrefix(line, mark) {
			return true
		}
	}
	file, rest, _ := bytes.Cut(line, []byte(":"))
	behind := bytes.TrimLeft(rest, "0123456789")
	return len(file) > 0 && !bytes.ContainsAny(file, " \t\r") && len(behind) < len(rest) && len(behind) > 0 && (behind[0] == ':' || behind[0] == '-')
}

// matchShown decides whether a call is shown or made. rest is the text behind the call. If the call is shown, n is the
// length of the end that the call still has in rest, such as the closing tag of its wrapper.
//
// A call without text before it on its line is made. A call in a quotation is shown. Otherwise the call is shown if
// something follows it on its line: see matchMark and matchMore for what does not count.
func (p *parser) matchShown(rest []byte) (n int, v markup.Verdict) {
	before := p.call.line
	if len(before) == 0 {
		return 0, markup.NoMatch
	}
	if n, v = p.matchOwnEnd(rest); v == markup.NeedMore {
		return n, v
	}
	switch {
	case quotes(before), opensElement(before) != "":
		return n, markup.Match
	case n == 0 && endsLine(p.in.Marked()):
		return n, markup.NoMatch
	}
	for i := n; i-n < completion.MaxGap; {
		end, v := p.in.MatchBlanks(rest, i, completion.MaxGap)
		switch {
		case endsLine(rest[i:end]) || v == markup.NoMatch || v == markup.Match && end == len(rest):
			return n, markup.NoMatch
		case v == markup.NeedMore:
			return n, v
		}
		mark, v := p.matchMark(before, rest[end:])
		switch {
		case v == markup.NeedMore:
			return n, v
		case v == markup.NoMatch && end == i && unicode.IsUpper(rune(rest[end])):
			return n, markup.NoMatch // an element in the text, with the next sentence directly behind it
		case v == markup.NoMatch:
			return n, p.matchMore(rest[end:])
		}
		i = end + mark
	}
	return n, markup.NoMatch
}

// matchOwnEnd matches the brackets and the closing tag that end a call after its input. n is 0 if nothing does.
func (p *parser) matchOwnEnd(rest []byte) (n int, v markup.Verdict) {
	for closers := p.listEnd; ; closers = closers[1:] {
		i := markup.SkipBlanks(rest, n, completion.MaxGap)
		switch {
		case i == len(rest):
			if closers == "" && !p.call.WrapperOpen {
				return n, markup.NoMatch
			}
			return n, p.in.NeedMore()
		case closers == "" || rest[i] != closers[0]:
			t, v := p.matchOpener(rest[i:])
			if v == markup.Match && t.Closing && t.IsWrapper() && (p.call.WrapperOpen || t.Spelling == format.HarmonySpelling) { // a header is no wrapper
				n = i + t.Len
			}
			return n, v
		}
		n = i + 1
	}
}

// matchMark matches a mark behind a call that says nothing about it: an end mark, the end of its fence or of bold
// type, or a tag. A closing tag says that the call is inside an element, if the element begins in the text before the call.
func (p *parser) matchMark(before, rest []byte) (n int, v markup.Verdict) {
	if n, v = held.MatchEndMark(rest, p.in.EOF); v != markup.NoMatch {
		return n, v
	}
	emphasized := bytes.IndexByte([]byte("*_"), rest[0]) >= 0 && len(bytes.Trim(before, "*_")) == 0 // all of the call is
	if emphasized || rest[0] == '`' && p.call.Fence != "" {
		return 1, markup.Match
	}
	if rest[0] != '<' {
		return 0, markup.NoMatch
	}
	t, v := p.matchOpener(rest)
	if v == markup.Match && (!t.Closing && (t.IsWrapper() || t.Is("invoke")) || t.Closing && !t.IsWrapper() && bytes.Contains(before, []byte("<"+string(t.Name)))) {
		v = markup.NoMatch
	}
	return t.Len, v
}

// matchMore matches text behind a call that shows it. Models also write some things behind calls that they make: a full
// stop, another call, thinking, and invented results.
func (p *parser) matchMore(rest []byte) markup.Verdict {
	t, v := p.matchOpener(rest)
	switch c := rest[0]; {
	case v == markup.NeedMore:
		return v
	case v == markup.Match && t.Closing:
		return markup.Match
	case v == markup.Match || c == '<':
		return markup.NoMatch
	case c == '.' && len(rest) == 1:
		return p.in.NeedMore()
	case c == '.':
		return markup.VerdictOf(!markup.IsBlank(rest[1]))
	}
	_, v = p.matchSeparator(rest)
	if v == markup.NoMatch {
		v = p.matchOrphan(rest)
	}
	if v == markup.NeedMore {
		return v
	}
	return markup.VerdictOf(v == markup.NoMatch)
}

// readLineEnd is the state atLineEnd: the parser has read a whole call after text on its line. If the call is made, its
// end follows (betweenCalls). If it is shown, the parser gives it back (inText, afterAnswer).
func (p *parser) readLineEnd() state {
	n, v := p.matchShown(p.in.Rest())
	switch v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		p.in.Take(n, completion.SpanMarkup)
		return p.leakCalls(messages.ReasonDiscussed, p.call.Tool)
	}
	p.call.line = nil
	return p.finishCall()
}

// leakCalls gives back complete calls that the model does not make. After other calls, they end the answer. tools are the
// names in the calls.
func (p *parser) leakCalls(reason messages.Reason, tools ...string) state {
	p.call.line, p.call.Certain, p.listEnd = nil, false, ""
	behind := p.calls.whole > 0
	if behind {
		p.noteAfterCall(messages.ReasonRanOn)
	}
	for _, name := range tools {
		if tool, _ := p.tools.Find(name); tool != nil {
			p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: tool.Name, Reason: reason, InText: true})
		}
	}
	if behind {
		return p.runOn()
	}
	return p.giveBack()
}
