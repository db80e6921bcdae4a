package translate

import (
	"bytes"
	"dragoman/translate/markup"
)

// quote follows Markdown code in text: what stands in it is quoted, not meant.
// A fence is a line that begins with three back-ticks or more, to the next such
// line; a code span ends at the latest with its line. The zero value stands at
// the start of a line.
type quote struct {
	fence   int  // back-ticks of the open fence
	info    bool // still on the line that opened it
	closes  bool // back-ticks that end the fence, if nothing but blanks follows them
	inline  int  // back-ticks of the open code span
	run     int  // back-ticks just read
	midLine bool // other than blanks stood on this line
}

// inside tells whether what follows is quoted.
func (q *quote) inside() bool {
	q.settle()
	return q.fence > 0 || q.inline > 0
}

// advance reads text.
func (q *quote) advance(s []byte) {
	if q.run == 0 && bytes.IndexByte(s, '`') < 0 {
		if i := bytes.LastIndexByte(s, '\n'); i >= 0 {
			q.closes = q.closes && isBlankLine(s)
			q.newline()
			s = s[i+1:]
		}
		if markup.SkipBlanks(s, 0, len(s)) < len(s) {
			q.midLine, q.closes = true, false
		}
		return
	}
	for _, c := range s {
		if c == '`' {
			q.run++
			continue
		}
		q.settle()
		if c == '\n' {
			q.newline()
		} else if !markup.IsBlank(c) {
			q.midLine, q.closes = true, false
		}
	}
}

// isBlankLine tells whether the first line of s is blank.
func isBlankLine(s []byte) bool {
	line, _, _ := bytes.Cut(s, []byte("\n"))
	return markup.SkipBlanks(line, 0, len(line)) == len(line)
}

func (q *quote) newline() {
	if q.closes {
		q.fence = 0
	}
	q.inline, q.info, q.closes, q.midLine = 0, false, false, false
}

// settle decides on back-ticks that have ended.
func (q *quote) settle() {
	run := q.run
	if run == 0 {
		return
	}
	q.run = 0
	switch {
	case q.fence > 0 && q.info: // ```code``` on one line is a code span
		q.fence, q.info = 0, false
	case q.fence > 0:
		q.closes = !q.midLine && run >= q.fence
	case !q.midLine && run >= 3:
		q.fence, q.info = run, true
	case q.inline == 0:
		q.inline = run
	case q.inline == run:
		q.inline = 0
	}
	q.midLine = true
}
