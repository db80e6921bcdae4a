package markup

import (
	"bytes"
	"strings"
)

// This file reads what follows the name of a tag: its end, its attributes and its label.

// Form is how a tag is written.
type Form struct {
	Name  string     // in this exact case
	Means Meaning    // the same tag in the attribute format
	Label LabelPlace // the attribute with the label of an opening tag: the name of its tool or parameter
	// Attribute is the attribute with the label; & and " in it are escaped. "" means name.
	Attribute string
	// After is what follows an opening tag: texts and parts such as [Label], with white space
	// between them. It is part of the tag.
	After []string
	// Ahead are texts that may follow. One of them must follow, but it is not part of the tag. Not
	// are texts that must not follow.
	Ahead, Not []string
	// Text is a label that marks something else than a call; "" if there is none.
	Text string
	// Closing: it is a closing tag, although it begins like an opening tag.
	Closing bool
}

// The parts of [Form.After] that are not texts.
const (
	Label     = "\x00label"    // a label up to one of labelEnds
	LineLabel = "\x00line"     // a label up to the end of its line, a tag, an object or a code fence
	Lines     = "\x00lines"    // a label that may have newlines in it
	CallID    = "\x00id"       // an id of the call; it may be empty
	Newline   = "\x00newline?" // a newline, if there is one
)

// labelEnds are bytes that end a label.
const labelEnds = "<>[{\"\n"

// maxLabel is the most bytes in a label with the white space around it.
const maxLabel = 512

// readTail reads the tag t in the form f, after the name.
func (m matcher) readTail(f *Form, t Tag) (Tag, Verdict) {
	if f.Label == LabelAssigned {
		switch at, v := m.assignment(t.nameEnd); v {
		case NeedMore:
			return t, v
		case Match:
			return m.readAssigned(t, at)
		}
	}
	n, v := m.end(t.nameEnd)
	if v != Match {
		return t, v
	}
	t.Attributes = bytes.TrimSpace(m.s[t.nameEnd:n])
	t.Len = n + len(m.spelling.end())
	switch {
	case t.Closing:
		return t, VerdictOf(len(t.Attributes) == 0)
	case f.Label == LabelAssigned || f.Label == LabelAttribute:
		if rest, ok := bytes.CutSuffix(t.Attributes, []byte("/")); ok {
			t.Attributes, t.Empty = bytes.TrimSpace(rest), true
		}
		if f.Attribute != "" {
			label, _ := t.Attribute(f.Attribute)
			t.label = []byte(attributeText.Replace(label))
		}
		_, ok := t.NameAttribute()
		return t, VerdictOf(ok)
	case f.After != nil || f.Ahead != nil:
		return m.readAfter(f, t)
	}
	return t, VerdictOf(len(t.Attributes) == 0 || f.Means == Parameters)
}

// attributeText undoes the escapes in attributes.
var attributeText = strings.NewReplacer("&quot;", `"`, "&amp;", "&")

// end returns the index of the end of a tag, from i on.
func (m matcher) end(i int) (n int, v Verdict) {
	s, end := m.s, m.spelling.end()
	if i < len(s) && !IsBlank(s[i]) && s[i] != '/' && !HasPrefix(s[i:], end) && !IsPrefixOf(s[i:], end) {
		return 0, NoMatch
	}
	var quoted byte
	for ; i < len(s) && i < MaxTagLen; i++ {
		switch c := s[i]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case HasPrefix(s[i:], end):
			return i, Match
		case IsPrefixOf(s[i:], end) && !m.eof:
			return 0, NeedMore
		case c == '<':
			return 0, NoMatch
		case c == '"' || c == '\'':
			quoted = c
		}
	}
	if i >= MaxTagLen {
		return 0, NoMatch
	}
	return 0, m.more()
}

// assignment returns the index after the `=` that may follow a name at s[i].
func (m matcher) assignment(i int) (after int, v Verdict) {
	switch at := SkipBlanks(m.s, i, MaxTagBlanks); {
	case at == len(m.s) && at-i < MaxTagBlanks:
		return 0, m.more()
	case at < len(m.s) && m.s[at] == '=':
		return at + 1, Match
	}
	return 0, NoMatch
}

// readAssigned reads the label at s[i], after a `=`. The tag must end on its line.
func (m matcher) readAssigned(t Tag, i int) (Tag, Verdict) {
	n, v := m.label(i, i, "<>\n")
	if v != Match {
		return t, v
	}
	label := m.s[i : i+n]
	if !t.Closing && t.Is("invoke") {
		label, t.Empty = bytes.CutSuffix(label, []byte("/"))
	}
	t.label = bytes.Trim(label, " \t\"'")
	t.Len = i + n + 1
	return t, VerdictOf(m.s[i+n] == '>' && len(t.label) > 0)
}

// readAfter reads what follows the tag: see [Form.After].
func (m matcher) readAfter(f *Form, t Tag) (Tag, Verdict) {
	i := t.Len
	for _, part := range f.After {
		if part != Newline {
			i = SkipBlanks(m.s, i, maxLabel)
		}
		n, v := m.part(part, i, t.Len)
		if v != Match {
			return t, v
		}
		if part == Label || part == LineLabel || part == Lines {
			t.label = bytes.TrimSpace(m.s[i : i+n])
		}
		i += n
	}
	if f.Text != "" && string(t.label) == f.Text {
		return t, NoMatch
	}
	t.Len = i
	rest := m.s[SkipBlanks(m.s, i, maxLabel):]
	switch v := matchOneOf(rest, f.Not, m.more()); {
	case v == NeedMore:
		return t, v
	case v == Match:
		return t, NoMatch
	case f.Ahead == nil:
		return t, Match
	}
	return t, matchOneOf(rest, f.Ahead, m.more())
}

// part returns the length of a part of [Form.After] at s[i]. The tag itself ends at begun.
func (m matcher) part(part string, i, begun int) (n int, v Verdict) {
	switch part {
	case Newline:
		if HasPrefix(m.s[i:], "\n") {
			n = 1
		}
		return n, Match
	case CallID:
		return m.label(i, i, labelEnds)
	case Label, LineLabel, Lines:
		ends := labelEnds
		switch part {
		case LineLabel:
			ends = "\n<{`"
		case Lines:
			ends = strings.TrimSuffix(labelEnds, "\n")
		}
		if n, v = m.label(i, begun, ends); v == Match {
			v = VerdictOf(n > 0)
		}
		return n, v
	}
	return m.prefix(i, part)
}

// label returns the length of the text at s[i] up to one of ends, which must be at most maxLabel
// bytes after s[begun].
func (m matcher) label(i, begun int, ends string) (n int, v Verdict) {
	head := m.s[i:max(i, min(len(m.s), begun+maxLabel))]
	switch n = bytes.IndexAny(head, ends); {
	case n >= 0:
		return n, Match
	case i+len(head) >= begun+maxLabel:
		return 0, NoMatch
	}
	return 0, m.more()
}

// matchOneOf reports whether s begins with one of list. more is the verdict if s may still become
// one.
func matchOneOf(s []byte, list []string, more Verdict) (v Verdict) {
	for _, text := range list {
		switch {
		case HasPrefix(s, text):
			return Match
		case IsPrefixOf(s, text):
			v = max(v, more)
		}
	}
	return v
}
