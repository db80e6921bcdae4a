package answer

import (
	"bytes"
	"unicode/utf8"
)

// What an opening tag of a parameter is by where it stands in a value. Models leave out the closing tag
// of a value, and the tag of the next parameter then ends it. But the files that they write tell of such
// tags, in a sentence, in quotes, in code. So the tag is that of a parameter only where the next one would
// stand. Elements in the place of parameters have names that text has, too: they are followed as tags of
// the value.

// stance is what the opening tag of another parameter is in a value, if nothing else tells.
type stance uint8

const (
	isNext   stance = iota // that of the next parameter: the closing tag before it is missing
	isEither               // that, or text: nobody can tell
	isQuoted               // text
)

// stanceOf returns the stance of t in the value that the reading is in. With b declared and zz not:
//
//	<parameter=a>⏎1⏎<parameter=b>         isNext, isEither for zz, and for b if that was given before
//	<parameter=a>⏎with <parameter=b> set   isEither, isQuoted for zz: the next parameter would begin a line
//	<parameter=a>1<parameter=b>           isNext; for zz as above, isEither if all parameters stand on one line
//	<parameter=a>as `<parameter=b>`        isQuoted
//
// A value whose type tells where it ends needs none of that.
func (r *reading) stanceOf(t *valueTag, c *callShape) stance {
	v, fresh := &r.value, r.isFresh(t, c)
	switch {
	case v.element, !t.closedAs(parameterName), v.typed(), v.hasEnded():
		return isNext
	case t.isInQuotes():
		return isQuoted
	case t.property == v.property, t.nameless: // it may be meant as the closing tag
		return isNext
	case t.edge.beginsLine(), !v.first && v.from == t.after && t.gap != gapText: // or the value
	case (c.lines || t.edge.blank || t.edge.isOpener() || t.unopened) && !fresh:
		return isQuoted
	case t.edge.isOpener(), t.edge.isQuote(), c.lines && (c.padded || t.edge.blank || !t.edge.isWord()):
		return isEither
	}
	if fresh && !t.unopened {
		return isNext
	}
	return isEither
}

// isFresh reports whether t opens a parameter that the tool declares, and that was not given before.
func (r *reading) isFresh(t *valueTag, c *callShape) bool {
	return (t.declared || c.anyName) && !r.isGiven(t)
}

// costInProse returns what it costs that t opens a parameter behind prose, if that goes on to the tag.
func costInProse(t *valueTag) int {
	switch {
	case t.gap != gapText || !t.closedAs(parameterName):
	case t.isInQuotes():
		return costStrayCloser
	case !t.edge.beginsLine():
		return costProse
	}
	return 0
}

// isInQuotes reports whether t stands in quotes, or in brackets.
func (t *valueTag) isInQuotes() bool {
	switch {
	case t.edge.blank:
		return false
	case t.edge.isQuote():
		return t.behind == t.edge.last
	}
	return t.behind != 0 && (t.edge.last == '(' && t.behind == ')' || t.edge.last == '[' && t.behind == ']' || t.edge.last == '{' && t.behind == '}')
}

// edge is what counts of a text for what stands behind it.
type edge struct {
	last   byte  // the last byte that is not a blank; 0 for none
	blank  bool  // blanks stand behind it
	ticks  uint8 // how many back-ticks it ends with, 4 at most
	fenced bool  // a code fence is open: three back-ticks, and no other three
}

// edgeOf returns the edge of a text that had the edge before, and to which s was added.
func edgeOf(before edge, s []byte) edge {
	before.countTicks(s)
	n := len(s)
	for n > 0 && (s[n-1] == ' ' || s[n-1] == '\t') {
		n--
	}
	if n > 0 {
		before.last, before.blank = s[n-1], false
	}
	before.blank = before.blank || n < len(s)
	return before
}

// countTicks counts the back-ticks in s, which is added to the text.
func (e *edge) countTicks(s []byte) {
	for len(s) > 0 {
		n := bytes.IndexByte(s, '`')
		if n != 0 {
			e.ticks = 0
		}
		if n < 0 {
			return
		}
		if e.ticks = min(e.ticks+1, 4); e.ticks == 3 {
			e.fenced = !e.fenced
		}
		s = s[n+1:]
	}
}

// beginsLine reports whether what stands behind the text is the first thing on a line, or in it.
func (e edge) beginsLine() bool { return e.last == 0 || e.last == '\n' }

// isQuote reports whether the text ends in a quotation mark, or in what else has the same on both sides.
func (e edge) isQuote() bool {
	return !e.blank && bytes.IndexByte(quotes, e.last) >= 0
}

// quotes are such marks and, of those that open a quotation beyond ASCII (“ „ ‘ « 「 『), the last bytes.
var quotes = []byte("`\"'*|\x9c\x9e\x98\xab\x8c\x8e")

// isWord reports whether the text ends in a word, a sentence, or the path of a file.
func (e edge) isWord() bool {
	c := e.last | 0x20
	return 'a' <= c && c <= 'z' || '0' <= e.last && e.last <= '9' || e.last >= utf8.RuneSelf || e.last == '.' || e.last == '/' || e.last == ')'
}

// isOpener reports whether the text ends in what does not end a text.
func (e edge) isOpener() bool {
	return e.last == '(' || e.last == '[' || e.last == '{' || e.last == '='
}
