package answer

import (
	"bytes"

	"dragoman/translate/markup"
)

// code tracks Markdown code in text, because a tag in code is a quotation and no call. A fenced block begins with a
// line of three or more back-ticks or tildes, and ends with a line of at least as many. A code span ends with its
// line at the latest. Indented text does not count as code: models indent calls that they mean, and the paragraphs
// of a list. The zero value is at the start of a line, outside code.
type code struct {
	fence   int  // length of the marks that opened the fenced block; 0 outside a block
	mark    byte // the mark of the fenced block: a back-tick or a tilde
	info    bool // the current line opened the fenced block
	closes  bool // the current line closes the fenced block, if only blanks follow
	inline  int  // length of the back-ticks that opened the code span; 0 outside a span
	run     int  // how many marks the text ends with; more may follow
	runOf   byte // the mark of that run: a back-tick or a tilde
	first   bool // the run is the first text on its line
	midLine bool // the line has text other than blanks

	head  [4]byte // the first bytes of the line, without leading blanks
	heads int     // how many bytes head holds
}

// isComment reports whether the line begins with a comment mark or a quotation mark: //, #, <!-- or >.
func (c *code) isComment() bool {
	head := c.head[:c.heads]
	return bytes.HasPrefix(head, []byte("//")) || bytes.HasPrefix(head, []byte("# ")) || bytes.HasPrefix(head, []byte("<!--")) || bytes.HasPrefix(head, []byte(">"))
}

// noteHead records the first bytes of the line; s is the next text of the line.
func (c *code) noteHead(s []byte) {
	if c.heads == 0 {
		s = bytes.TrimLeft(s, " \t\r\n")
	}
	if c.heads < len(c.head) {
		c.heads += copy(c.head[c.heads:], s)
	}
}

// isOpen reports whether the text ends inside code.
func (c *code) isOpen() bool {
	c.settle()
	return c.fence > 0 || c.inline > 0
}

// advance reads s, the next text.
func (c *code) advance(s []byte) {
	if c.run == 0 && bytes.IndexByte(s, '`') < 0 && bytes.IndexByte(s, '~') < 0 {
		if i := bytes.LastIndexByte(s, '\n'); i >= 0 {
			c.closes = c.closes && isBlankLine(s)
			c.newline()
			s = s[i+1:]
		}
		c.noteHead(s)
		if markup.SkipBlanks(s, 0, len(s)) < len(s) {
			c.midLine, c.closes = true, false
		}
		return
	}
	for i, b := range s {
		if b != '\n' && c.heads < len(c.head) {
			c.noteHead(s[i : i+1])
		}
		if c.run > 0 && b == c.runOf {
			c.run++
			continue
		}
		c.settle()
		if b == '`' || b == '~' {
			c.run, c.runOf, c.first, c.midLine = 1, b, !c.midLine, true
			continue
		}
		if b == '\n' {
			c.newline()
		} else if !markup.IsBlank(b) {
			c.midLine, c.closes = true, false
		}
	}
}

// isBlankLine reports whether the first line of s is blank.
func isBlankLine(s []byte) bool {
	line, _, _ := bytes.Cut(s, []byte("\n"))
	return markup.SkipBlanks(line, 0, len(line)) == len(line)
}

// reset returns to the start of a text.
func (c *code) reset() { *c = code{} }

// newline begins the next line.
func (c *code) newline() {
	if c.closes {
		c.fence = 0
	}
	c.inline, c.info, c.closes, c.midLine, c.head, c.heads = 0, false, false, false, [4]byte{}, 0
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
