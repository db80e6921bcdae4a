package markup

import (
	"bytes"
	"slices"
)

// This file reads the labels of tags that are no attributes: <function=book>, <tool_call>book.

// maxLabel bounds a label with the white space around it, in bytes.
const maxLabel = 512

// assigned reads the label that begins at s[i], behind a `=`. Where the tag is not ended on its line, a
// second `=` ends it: <parameter=command=create</parameter>.
func (t Tag) assigned(s []byte, i int, eof bool) (Tag, Verdict) {
	head := s[i:min(len(s), i+maxLabel)]
	n := bytes.IndexAny(head, "<>\n")
	switch {
	case n < 0 && len(head) < maxLabel && !eof:
		return t, NeedMore
	case n < 0:
		return t, NoMatch
	case head[n] != '>' && t.Closing:
		return t, NoMatch
	case head[n] != '>':
		if n = bytes.IndexByte(head[:n], '='); n < 0 {
			return t, NoMatch
		}
	}
	label := head[:n]
	if !t.Closing && t.Is("invoke") {
		label, t.Empty = bytes.CutSuffix(label, []byte("/"))
	}
	t.label = bytes.Trim(label, " \t\"'")
	t.Len = i + n + 1
	return t, VerdictOf(len(t.label) > 0)
}

// labelled reads the label that follows the tag.
func (t Tag) labelled(tag *Spelled, s []byte, eof bool) (Tag, Verdict) {
	head := s[t.Len:min(len(s), t.Len+maxLabel)]
	more := NeedMore
	if eof || len(head) == maxLabel {
		more = NoMatch
	}
	first := head[SkipBlanks(head, 0, len(head)):]
	if again := t.Spelling.opener(tag); len(tag.Then) > 1 { // the tag stands twice
		switch v := matchOneOf(first, []string{again}, more); v {
		case NeedMore:
			return t, v
		case Match:
			first = first[len(again):]
		}
	}
	if tag.Word != "" {
		switch v := matchOneOf(first, []string{tag.Word}, more); v {
		case NeedMore:
			return t, v
		case Match:
			behind := first[len(tag.Word):]
			switch i := SkipBlanks(behind, 0, len(behind)); {
			case i == len(behind):
				return t, more
			case behind[i] != '{': // before the input, it is a tool of that name
				return t.onLine(behind, t.Len+len(head)-len(behind), more)
			}
		}
	}
	n := indexLabelEnd(first, tag.Before != nil)
	switch {
	case n < 0:
		return t, more
	case n == 0 && tag.Wraps && (first[0] == '[' || first[0] == '{'):
		t.Name = Wrapper.name()
		return t, Match
	case n == 0 || first[n] == '>' || first[n] == '"' || first[n] == '{' && !t.Spelling.JSON && !slices.Contains(tag.Before, "{"):
		return t, NoMatch
	}
	t.label = bytes.TrimSpace(first[:n])
	if more = NeedMore; eof { // what stands behind the label is not bounded with it
		more = NoMatch
	}
	end := t.Len + len(head) - len(first) + n
	behind := SkipBlanks(s, end, maxLabel)
	i, v := tag.skipID(s, behind, more)
	switch {
	case v != Match:
		return t, v
	case len(tag.Then) == 0:
		if t.Len = end; i > behind {
			t.Len = i
		}
		return t, matchOneOf(s[SkipBlanks(s, i, maxLabel):], tag.Before, more)
	}
	return t.behindLabel(tag, s, i, more)
}

// indexLabelEnd returns the index of what ends a label, or -1 if that is not known. Where a closing tag ends the next line, the
// label goes on to that: the tag before the first parameter's name is missing.
func indexLabelEnd(s []byte, goesOn bool) int {
	n := bytes.IndexAny(s, labelEnds)
	if n <= 0 || s[n] != '\n' || !goesOn {
		return n
	}
	switch m := bytes.IndexAny(s[n+1:], labelEnds); {
	case m < 0:
		return m
	case m > 0 && n+2+m == len(s) && s[n+1+m] == '<':
		return -1
	case m > 0 && HasPrefix(s[n+1+m:], "</"):
		return n + 1 + m
	}
	return n
}

// labelEnds are the bytes of which none is part of a label.
const labelEnds = "<>[{\"\n"

// skipID returns the index behind the id of a call that may stand at s[i].
func (tag *Spelled) skipID(s []byte, i int, more Verdict) (after int, v Verdict) {
	switch matchOneOf(s[i:], tag.ID, more) {
	case NeedMore:
		return i, NeedMore
	case NoMatch:
		return i, Match
	}
	at := i + len(tag.ID[0])
	id := s[at:min(len(s), at+maxLabel)]
	n := bytes.IndexAny(id, "<[{\"\n")
	switch {
	case n < 0 && len(id) < maxLabel:
		return i, more
	case n < 0:
		return i, NoMatch
	}
	return at + n, Match
}

// behindLabel reads what has to stand behind a label, and what may: see [Spelled.Then]. It stands at s[i].
func (t Tag) behindLabel(tag *Spelled, s []byte, i int, more Verdict) (Tag, Verdict) {
	switch v := matchOneOf(s[i:], tag.Then[:1], more); {
	case v == NoMatch && i < len(s) && s[i] == '{' && t.Spelling.JSON: // it is missing
		t.Len = i
		return t, Match
	case v == NoMatch && len(tag.Then) > 1: // it is missing before what follows it
		t.Len = i + len(tag.Then[1])
		return t, matchOneOf(s[i:], tag.Then[1:], more)
	case v != Match:
		return t, v
	}
	t.Len = i + len(tag.Then[0])
	if len(tag.Then) == 1 {
		return t, Match
	}
	closer, then, again := tag.Then[0], tag.Then[1], t.Spelling.opener(tag)
	at := SkipBlanks(s, t.Len, maxLabel)
	switch v := matchOneOf(s[at:], []string{closer}, more); v { // it stands twice
	case NeedMore:
		return t, v
	case Match:
		t.Len = at + len(closer)
		at = SkipBlanks(s, t.Len, maxLabel)
	}
	switch v := matchOneOf(s[at:], []string{then, then[1:], again}, more); {
	case v == NeedMore:
		return t, v
	case v == Match && HasPrefix(s[at:], again): // the next label: this one has no value
		return t, NoMatch
	case v == Match && s[at] == '<':
		t.Len = at + len(then)
	case v == Match: // it has lost its bracket
		t.Len = at + len(then) - 1
	default: // it is missing, and its line may have ended before
		if t.Len < len(s) && s[t.Len] == '\n' {
			t.Len++
		}
	}
	return t, Match
}

// opener returns the opening tag without a label.
func (g *Spelling) opener(tag *Spelled) string { return g.begins(false)[0] + tag.Name + g.end() }

// onLine reads a label that ends with the line, or with what may stand on it: rest is the text after the
// tag, which begins at an index of the whole.
func (t Tag) onLine(rest []byte, at int, more Verdict) (Tag, Verdict) {
	n := bytes.IndexAny(rest, "\n<{`")
	if n < 0 {
		return t, more
	}
	t.label = bytes.TrimSpace(rest[:n])
	t.Len = at + n
	return t, VerdictOf(len(t.label) > 0)
}

// matchOneOf reports whether s begins with one of list. more is the verdict if it may go on to.
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
