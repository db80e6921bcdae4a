package answer

import (
	"bytes"

	"dragoman/translate/markup"
)

// code follows Markdown code in text, since a tag in code is quoted and not meant. A fenced block
// begins with a line of three back-ticks or tildes or more, and ends with a line of as many; a code span
// ends with its line at the latest. Text that is indented is no code: models indent the calls that they
// mean, and the paragraphs of a list. The zero value stands at the start of a line, outside of code.
type code struct {
	fence   int  // how many marks opened the fenced block, 0 outside of one
	mark    byte // back-ticks or tildes
	info    bool // this is still the line that opened it
	closes  bool // this line ends it, if nothing but blanks follows
	inline  int  // how many back-ticks opened the code span, 0 outside of one
	run     int  // how many marks the text ends in: more may come
	runOf   byte // back-ticks or tildes
	first   bool // they are the first on their line
	midLine bool // there is more than blanks on this line

	head  [4]byte // the first bytes on this line, without the blanks before them
	heads int     // how many of them there are
}

// isComment reports whether the line begins with the mark of a comment, or of a quotation.
func (c *code) isComment() bool {
	head := c.head[:c.heads]
	return bytes.HasPrefix(head, []byte("//")) || bytes.HasPrefix(head, []byte("# ")) || bytes.HasPrefix(head, []byte("<!--")) || bytes.HasPrefix(head, []byte(">"))
}

// noteHead records the first bytes of the line, which goes on with s.
func (c *code) noteHead(s []byte) {
	if c.heads == 0 {
		s = bytes.TrimLeft(s, " \t\r\n")
	}
	if c.heads < len(c.head) {
		c.heads += copy(c.head[c.heads:], s)
	}
}

// isOpen reports whether the text ends in code.
func (c *code) isOpen() bool {
	c.settle()
	return c.fence > 0 || c.inline > 0
}

// advance reads the next text.
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

// reset forgets all that has been seen.
func (c *code) reset() { *c = code{} }

// newline begins the next line.
func (c *code) newline() {
	if c.closes {
		c.fence = 0
	}
	c.inline, c.info, c.closes, c.midLine, c.head, c.heads = 0, false, false, false, [4]byte{}, 0
}

// settle decides what the marks at the end of the text mean, now that no more of them follow.
func (c *code) settle() {
	run := c.run
	if run == 0 {
		return
	}
	c.run = 0
	switch {
	case c.fence > 0 && c.runOf != c.mark:
		c.closes = false
	case c.fence > 0 && c.info: // ```code``` on one line: that was a code span
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
