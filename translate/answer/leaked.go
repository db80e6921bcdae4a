package answer

import (
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Tags of calls that a server has left in the text, beside calls that it has read itself:
//
//	[call] "\n</tool_call>\n<tool_call>\n" [call] ">\n</tool_call>"
//
// They are no text of the answer, and the parser would take them for the beginning of a call. leaks holds back such
// tags until it is known what follows them. It drops them if they stand alone between calls, or at the edge of the
// text beside a call. A tag within text, and each tag of an answer without calls from the server, is text.
type leaks struct {
	looks  bool   // the server may read calls
	held   string // tags and white space, from the first tag on; the last tag may be unfinished
	called bool   // the server has read a call
	// The text before held, back to the last call of the server.
	text bool // it has more than white space
	line bool // it ends a line
	last byte // its last byte that is not white space
}

// maxLeaked is the most bytes of tags that are held back.
const maxLeaked = 1 << 10

// read reads a piece of the text. It passes on text as soon as it is known to be text. busy reports whether a call is
// open in the text that was passed on: the tags of that call are its own.
func (l *leaks) read(s string, pass func(text string, leaked bool), busy func() bool) {
	if !l.looks {
		pass(s, false)
		return
	}
	s, l.held = l.held+s, ""
	i, from := 0, 0 // s[:i] was looked at, s[:from] was passed on
	flush := func() {
		if from < i {
			pass(s[from:i], false)
		}
		from = i
	}
	skip := func(n int) {
		l.note(s[i : i+n])
		i += n
	}
	for {
		skip(l.next(s[i:]))
		if i == len(s) {
			break
		}
		n, open := l.match(s[i:])
		if n == 0 {
			skip(1)
			continue
		}
		if flush(); busy() {
			skip(1)
			continue
		}
		if open {
			l.held = s[i:]
			return
		}
		if closed := closedLines(s[i : i+n]); closed > 0 && l.called && !l.text {
			pass(s[i:i+closed], true)
			i, from, n = i+closed, i+closed, n-closed
		}
		skip(n)
	}
	flush()
}

// take returns the text that is held, and whether it is leaked tags. called: a call from the server follows it;
// otherwise the answer ends here.
func (l *leaks) take(called bool) (text string, leaked bool) {
	n, open := l.match(l.held)
	leaked = n > 0 && open && strings.HasSuffix(strings.TrimRight(l.held, blanks), ">") && (called || l.called) &&
		(!l.text || l.line || strings.IndexByte(sentenceEnds, l.last) >= 0)
	text, l.held = l.held, ""
	if called {
		l.looks, l.called = true, true
		l.text, l.line, l.last = false, false, 0
	} else if !leaked {
		l.note(text)
	}
	return text, leaked
}

const blanks = " \t\r\n"

// sentenceEnds are the bytes behind which a tag is not part of a sentence.
const sentenceEnds = ".:!?)"

// note records text that was passed on.
func (l *leaks) note(s string) {
	end := strings.TrimRight(s, blanks)
	l.line = strings.IndexByte(s[len(end):], '\n') >= 0 || l.line && end == ""
	if end != "" {
		l.text, l.last = true, end[len(end)-1]
	}
}

// next returns the index of the first byte that may begin a leaked tag, or the length of the text.
func (l *leaks) next(s string) int {
	if rest := strings.TrimLeft(s, blanks); !l.text && strings.HasPrefix(rest, ">") { // the end of a tag
		return len(s) - len(rest)
	}
	if i := strings.IndexByte(s, '<'); i >= 0 {
		return i
	}
	return len(s)
}

// match returns the length of the tags at the start of s, with the white space behind each. open: they go to the
// end of s, where the last may be unfinished.
func (l *leaks) match(s string) (n int, open bool) {
	tags := format.CallTags()
	i := len(s) - len(strings.TrimLeft(strings.TrimPrefix(s, ">"), blanks))
	for i < len(s) && i < maxLeaked {
		n, v := tags.Match(s[i:])
		switch v {
		case markup.NoMatch:
			return i, false
		case markup.NeedMore:
			return min(len(s), maxLeaked), len(s) <= maxLeaked
		}
		i += n
		i = len(s) - len(strings.TrimLeft(s[i:], blanks))
	}
	return min(i, maxLeaked), i <= maxLeaked
}

// closedLines returns the length of leading tags up to the last line that ends with a closing tag.
func closedLines(tags string) int {
	i := strings.LastIndex(tags, "</")
	if i < 0 {
		return 0
	}
	_, rest, closed := strings.Cut(tags[i:], ">")
	line := strings.IndexByte(rest, '\n')
	if !closed || line < 0 || strings.TrimLeft(rest[:line], blanks) != "" {
		return 0
	}
	return len(tags) - len(rest) + line + 1
}
