package held

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"strings"
)

// LiteralScan follows calls in a syntax far enough to know where they end: it counts brackets, and knows
// what is in a string. It never takes a part of what it cannot decide on yet.
type LiteralScan struct {
	Syntax format.LiteralSyntax
	Depth  int       // how many brackets are open
	Quote  string    // what began the string that is open; "" outside of one
	Opened int       // how many brackets were open where the last string began
	atName bool      // the name of a member may be next, or is open
	after  valuePart // of which the last byte but white space is
}

// maxBlanks is how much white space the end of a string, or of a call, may have behind it.
const maxBlanks = 256

// valuePart is what a byte is part of, outside of strings.
type valuePart uint8

const (
	noValue   valuePart = iota
	wordValue           // of a value without quotes: an apostrophe begins no string, and a delimiter of Gemma's ends one
	pastValue           // a string has ended, and nothing separates it from what is next
)

// Scan reads s, which goes on with a call, and returns how many bytes of s belong to it. The verdict is
// Match at the end of its last bracket, and NoMatch at a `<` that begins no string, where a tag shows
// that the end of the call is missing.
func (l *LiteralScan) Scan(s []byte, eof bool) (n int, v markup.Verdict) {
	for n < len(s) {
		if l.Quote != "" {
			end, v := l.skipString(s[n:], eof)
			if n += end; v == markup.NeedMore {
				return n, v
			}
			l.Quote, l.after = "", pastValue
			continue
		}
		quote, v := l.matchQuote(s[n:], eof)
		switch {
		case v == markup.NeedMore:
			return n, v
		case v == markup.Match && l.after == wordValue && quote[0] == '<': // what is before it lacks its own
			l.after = pastValue
			n += len(quote)
			continue
		case v == markup.Match:
			l.Quote, l.Opened = quote, l.Depth
			n += len(quote)
			continue
		case s[n] == '<':
			return n, markup.NoMatch
		}
		if l.step(s[n]); l.Depth == 0 && bytes.IndexByte([]byte(")]}"), s[n]) >= 0 {
			return n + 1, markup.Match
		}
		n++
	}
	return n, markup.NeedMore
}

// step reads one byte outside of strings.
func (l *LiteralScan) step(c byte) {
	switch c {
	case '(', '[', '{':
		l.Depth++
	case ')', ']', '}':
		l.Depth--
	}
	switch {
	case bytes.IndexByte([]byte("([{,:="), c) >= 0:
		l.after, l.atName = noValue, c == '(' || c == '{' || c == ','
	case !markup.IsBlank(c) && l.after == noValue:
		l.after = wordValue
	}
}

// matchQuote matches what begins a string.
func (l *LiteralScan) matchQuote(s []byte, eof bool) (quote string, v markup.Verdict) {
	for _, quote := range format.QuotesOf[l.Syntax] {
		switch {
		case l.Syntax == format.GemmaLiteral && quote == "'" && l.after != noValue:
		case markup.HasPrefix(s, quote):
			return quote, markup.Match
		case markup.IsPrefixOf(s, quote) && !eof:
			return "", markup.NeedMore
		}
	}
	return "", markup.NoMatch
}

// skipString returns the index after the end of the string that is open. The verdict is NeedMore if the
// end has not come; before the index nothing ends the string.
func (l *LiteralScan) skipString(s []byte, eof bool) (n int, v markup.Verdict) {
	stops := l.Quote[:1] + `\`
	switch {
	case l.Quote[0] == '<':
		stops = "<"
	case l.Syntax == format.GemmaLiteral && l.Quote == "'":
		stops = "'<"
	case l.Syntax == format.GemmaLiteral:
		stops += "<"
	}
	for {
		i := bytes.IndexAny(s[n:], stops)
		if i < 0 {
			return len(s), markup.NeedMore
		}
		n += i
		if s[n] == '\\' {
			if n+1 == len(s) && !eof {
				return n, markup.NeedMore
			}
			n = min(n+2, len(s))
			continue
		}
		end, v := l.matchStringEnd(s[n:], eof)
		if v != markup.NoMatch {
			return n + end, v
		}
		n++
	}
}

// matchStringEnd matches the end of the string that is open, where that may stand. Behind another quote of
// Gemma's, or in its place, a delimiter may stand; an apostrophe ends a string where a value may end,
// since nothing is escaped in it.
func (l *LiteralScan) matchStringEnd(s []byte, eof bool) (n int, v markup.Verdict) {
	if l.Syntax == format.GemmaLiteral && l.Quote[0] != '<' {
		if s[0] == l.Quote[0] {
			n = 1
		}
		switch i := markup.SkipBlanks(s, n, min(len(s), n+maxBlanks)); {
		case markup.HasPrefix(s[n:], format.GemmaQuote):
			return n + len(format.GemmaQuote), markup.Match
		case !eof && (l.Quote == "'" && n > 0 && i == len(s) || markup.IsPrefixOf(s[n:], format.GemmaQuote)):
			return 0, markup.NeedMore
		case n > 0 && (l.Quote == `"` || i == len(s) || bytes.IndexByte([]byte(",}])"), s[i]) >= 0 || l.atName && (s[i] == ':' || s[i] == '=')):
			return n, markup.Match
		}
		return 0, markup.NoMatch
	}
	switch {
	case markup.HasPrefix(s, l.Quote):
		return len(l.Quote), markup.Match
	case markup.IsPrefixOf(s, l.Quote) && !eof:
		return 0, markup.NeedMore
	}
	return 0, markup.NoMatch
}

// withoutEnd returns the text of a string of Gemma's without what ends it: see matchStringEnd.
func (l *LiteralScan) withoutEnd(text string) string {
	if text, delimited := strings.CutSuffix(text, format.GemmaQuote); delimited && l.Quote[0] != '<' {
		if l.Quote == `"` && strings.HasSuffix(text, `\"`) { // it is of the string
			return text
		}
		return strings.TrimSuffix(text, l.Quote)
	}
	return strings.TrimSuffix(text, l.Quote)
}
