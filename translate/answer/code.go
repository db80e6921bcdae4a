package answer

import (
	"bytes"

	"dragoman/translate/markup"
)

// code tracks Markdown code in text, because a tag in code is a quotation and no call. A fenced block begins with a
// line of three or more back-ticks or tildes, and ends with a line of at least as many. A line that opens <pre> or
// <code> begins one, too: it ends with the line that closes the element. A code span ends with its line at the latest.
// Indented text does not count as code: models indent calls that they mean, and the paragraphs of a list. The zero
// value is at the start of a line, outside code.
type code struct {
	fence   int  // length of the marks that opened the fenced block; 0 outside a block
	mark    byte // the mark of the fenced block: a back-tick, a tilde, or the < of an element
	info    bool // the current line opened the fenced block
	closes  bool // the current line closes the fenced block, if only blanks follow
	inline  int  // length of the back-ticks that opened the code span; 0 outside a span
	run     int  // how many marks the text ends with; more may follow
	runOf   byte // the mark of that run: a back-tick or a tilde
	first   bool // the run is the first text on its line
	midLine bool // the line has text other than blanks

	line    []byte // the line so far, without leading blanks: maxLine bytes at most
	element string // the name of the element that is a fenced block, if mark is '<'
}

// maxLine limits how much of a line is kept, in bytes.
const maxLine = 1 << 10

// noteLine records s, the next text of the line.
func (c *code) noteLine(s []byte) {
	if len(c.line) == 0 {
		s = bytes.TrimLeft(s, " \t\r")
	}
	c.line = append(c.line, s[:min(len(s), maxLine-len(c.line))]...)
}

// codeElements are the elements that show code in HTML. If a line opens one and does not close it, a fenced block begins.
var codeElements = []string{"pre", "code"}

// opensElement returns the first of codeElements that is open at the end of the line, "" if none is.
func opensElement(line []byte) string {
	for _, name := range codeElements {
		opened := max(bytes.LastIndex(line, []byte("<"+name+">")), bytes.LastIndex(line, []byte("<"+name+" ")))
		if opened > bytes.LastIndex(line, []byte("</"+name+">")) {
			return name
		}
	}
	return ""
}

// isOpen reports whether the text ends inside code.
func (c *code) isOpen() bool {
	c.settle()
	return c.fence > 0 || c.inline > 0
}

// advance reads s, the next text.
func (c *code) advance(s []byte) {
	for len(s) > 0 {
		line, rest, ends := bytes.Cut(s, []byte("\n"))
		c.advanceLine(line)
		if ends {
			c.settle()
			c.newline()
		}
		s = rest
	}
}

// advanceLine reads s, the next text of the line.
func (c *code) advanceLine(s []byte) {
	c.noteLine(s)
	if c.run == 0 && bytes.IndexByte(s, '`') < 0 && bytes.IndexByte(s, '~') < 0 {
		if markup.SkipBlanks(s, 0, len(s)) < len(s) {
			c.midLine, c.closes = true, false
		}
		return
	}
	for _, b := range s {
		if c.run > 0 && b == c.runOf {
			c.run++
			continue
		}
		c.settle()
		if b == '`' || b == '~' {
			c.run, c.runOf, c.first, c.midLine = 1, b, !c.midLine, true
			continue
		}
		if !markup.IsBlank(b) {
			c.midLine, c.closes = true, false
		}
	}
}

// reset returns to the start of a text.
func (c *code) reset() { *c = code{} }

// newline begins the next line.
func (c *code) newline() {
	switch element := opensElement(c.line); {
	case c.closes, c.mark == '<' && bytes.Contains(c.line, []byte("</"+c.element+">")):
		c.fence, c.mark = 0, 0
	case element != "" && c.fence == 0 && bytes.HasPrefix(c.line, []byte("<")) && len(c.line) < maxLine:
		c.fence, c.mark, c.element = 1, '<', element
	}
	c.inline, c.info, c.closes, c.midLine, c.line = 0, false, false, false, c.line[:0]
}

// settle interprets the marks at the end of the text, when no more marks follow.
func (c *code) settle() {
	run := c.run
	if run == 0 {
		return
	}
	c.run = 0
	switch {
	case c.fence > 0 && c.runOf != c.mark:
		c.closes = false
	case c.fence > 0 && c.info: // ```code``` on one line is a code span
		if c.mark == '`' {
			c.fence, c.info = 0, false
		}
	case c.fence > 0:
		c.closes = c.first && run >= c.fence
	case c.first && run >= 3:
		c.fence, c.mark, c.info = run, c.runOf, true
	case c.runOf == '~':
	case c.inline == 0:
		c.inline = run
	case c.inline == run:
		c.inline = 0
	}
}
