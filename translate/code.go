package translate

import (
	"bytes"

	"dragoman/translate/markup"
)

// code follows Markdown code in text: markup that stands in it is quoted, not meant.
// A fence is a line that begins with three back-ticks or more, to the next such
// line; a code span ends at the latest with its line. The zero value stands at
// the start of a line.
type code struct {
	fence   int  // back-ticks of the open fence
	info    bool // still on the line that opened it
	closes  bool // back-ticks that end the fence, if nothing but blanks follows them
	inline  int  // back-ticks of the open code span
	run     int  // back-ticks just read
	midLine bool // other than blanks stood on this line
}

// isOpen reports whether what follows is quoted.
func (c *code) isOpen() bool {
	c.settle()
	return c.fence > 0 || c.inline > 0
}

// advance reads text.
func (c *code) advance(s []byte) {
	if c.run == 0 && bytes.IndexByte(s, '`') < 0 {
		if i := bytes.LastIndexByte(s, '\n'); i >= 0 {
			c.closes = c.closes && isBlankLine(s)
			c.newline()
			s = s[i+1:]
		}
		if markup.SkipBlanks(s, 0, len(s)) < len(s) {
			c.midLine, c.closes = true, false
		}
		return
	}
	for _, b := range s {
		if b == '`' {
			c.run++
			continue
		}
		c.settle()
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

func (c *code) newline() {
	if c.closes {
		c.fence = 0
	}
	c.inline, c.info, c.closes, c.midLine = 0, false, false, false
}

// settle decides on back-ticks that have ended.
func (c *code) settle() {
	run := c.run
	if run == 0 {
		return
	}
	c.run = 0
	switch {
	case c.fence > 0 && c.info: // ```code``` on one line is a code span
		c.fence, c.info = 0, false
	case c.fence > 0:
		c.closes = !c.midLine && run >= c.fence
	case !c.midLine && run >= 3:
		c.fence, c.info = run, true
	case c.inline == 0:
		c.inline = run
	case c.inline == run:
		c.inline = 0
	}
	c.midLine = true
}
