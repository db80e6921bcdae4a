package tagged

import (
	"bytes"

	"dragoman/translate/markup"
)

// This file separates a value from the layout around it. A value may stand on lines of its own. Then neither the
// newline after its opening tag nor the newline before its closing tag is part of the value. If the closing tag is
// missing, the value ends with the text that models write between two tags: a newline, and the indentation of the
// next tag.

// layout describes the white space around the tags of a value.
type layout struct {
	padded bool // a newline follows the opening tag, and was dropped as layout
	lines  bool // the opening tag begins a line
	indent bool // the opening tag is indented on that line
}

// maxIndent limits the indentation of a tag, in bytes.
const maxIndent = 64

// tailAt returns the index in text where white space begins that may be layout. text is the value so far, or the
// end of it. start: text is the value so far.
func (l layout) tailAt(text []byte, start bool) int {
	i := len(text)
	if l.indent {
		j := i
		for j > 0 && i-j < maxIndent && (text[j-1] == ' ' || text[j-1] == '\t') {
			j--
		}
		switch {
		case j == 0 && start && l.padded:
			return 0
		case j > 0 && newlineAt(text[:j]) < j:
			i = j
		}
	}
	newline := newlineAt(text[:i])
	if newline == i {
		return len(text)
	}
	if l.padded && l.lines {
		newline = newlineAt(text[:newline])
	}
	return newline
}

// newlineAt returns the index of the newline at the end of text. If there is no newline, it returns len(text).
func newlineAt(text []byte) int {
	n := len(text)
	switch {
	case n > 1 && text[n-2] == '\r' && text[n-1] == '\n':
		return n - 2
	case n > 0 && (text[n-1] == '\n' || text[n-1] == '\r'):
		return n - 1
	}
	return n
}

// trim removes the layout from tail, which tailAt has found. A lone \r is not layout.
func (l layout) trim(tail []byte, unclosed bool) []byte {
	if !unclosed {
		if l.padded {
			return trimNewline(tail)
		}
		return tail
	}
	if l.indent {
		tail = bytes.TrimRight(tail, " \t")
	}
	rest := trimNewline(tail)
	if l.padded && l.lines && len(rest) < len(tail) {
		rest = trimNewline(rest)
	}
	return rest
}

// trimNewline removes one newline from the end of text, but not a lone \r.
func trimNewline(text []byte) []byte {
	rest := text[:newlineAt(text)]
	if bytes.HasSuffix(text, []byte("\r")) {
		return text
	}
	return rest
}

// trimText does what trim does, for the text of a whole value.
func (l layout) trimText(text string, unclosed bool) string {
	at := l.tailAt([]byte(text), true)
	return text[:at+len(l.trim([]byte(text[at:]), unclosed))]
}

// writeStringValue writes text of a string value. It keeps back white space at the end that may be layout. It is
// called for each piece of a string, and must not allocate.
func (r *Reader) writeStringValue(s []byte) {
	v := &r.value
	if len(v.tail) > 0 || v.atStart {
		if markup.SkipBlanks(s, 0, len(s)) == len(s) && len(s) <= maxIndent {
			v.tail = append(v.tail, s...)
			n := v.layout.tailAt(v.tail, v.atStart)
			if n > 0 {
				v.endsBlank, v.atStart = true, false
				r.out.WriteEscaped(v.tail[:n])
				v.tail = v.tail[:copy(v.tail, v.tail[n:])]
			}
			return
		}
		r.writeTail(v.tail)
		v.tail = v.tail[:0]
	}
	n := v.layout.tailAt(s, false)
	if n < len(s) {
		v.tail = append(v.tail, s[n:]...)
	}
	if s = s[:n]; n > 0 {
		v.atStart = false
		v.endsBlank = markup.IsBlank(s[n-1])
		r.out.WriteEscaped(s)
	}
}

// writeTail writes white space that turned out to be part of the string.
func (r *Reader) writeTail(tail []byte) {
	if len(tail) > 0 {
		r.value.endsBlank, r.value.atStart = true, false
		r.out.WriteEscaped(tail)
	}
}

// note records white space before a tag. The white space may arrive in pieces.
func (l *layout) note(blank []byte) {
	if i := bytes.LastIndexByte(blank, '\n'); i >= 0 {
		l.lines, l.indent = true, false
		blank = blank[i+1:]
	}
	l.indent = l.indent || l.lines && len(blank) > 0
}
