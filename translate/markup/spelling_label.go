package markup

import (
	"bytes"
	"slices"
)

// This file reads labels that are not attributes: <function=book>, <tool_call>book.

// maxLabel is the most bytes in a label with the white space around it.
const maxLabel = 512

// assigned reads the label that begins at s[i], after a `=`. If the tag does not end on its line, a
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
	if again := t.Spelling.opener(tag); len(tag.Then) > 1 { // the model wrote the tag twice
		switch v := matchOneOf(first, []string{again}, more); v {
		case NeedMore:
			return t, v
		case Match:
			first = first[len(again):]
		}
	}
	if tag.Word != "" {
		for _, opens := range [...]string{tag.Word + tag.Then[0], tag.Then[0]} {
			n, v := t.Spelling.matchPrefix(first, opens, more)
			if v == NeedMore {
				return t, v
			}
			if v == NoMatch {
				continue
			}
			behind := first[n:]
			switch i := SkipBlanks(behind, 0, len(behind)); {
			case i == len(behind):
				return t, more
			case behind[i] != '{': // directly before an input, the word is a tool's name
				return t.onLine(tag, behind, t.Len+len(head)-len(behind), more)
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
	if t.label = bytes.TrimSpace(first[:n]); tag.Text != "" && string(t.label) == tag.Text {
		return t, NoMatch
	}
	if more = NeedMore; eof { // the limit does not include the text after the label
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

// indexLabelEnd returns the index of the end of a label, or -1 if it is not known yet. If a closing
// tag ends the next line, the label continues up to that tag, because the tag before the first
// parameter's name is missing.
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

// labelEnds are bytes that no label contains.
const labelEnds = "<>[{\"\n"

// skipID returns the index after the id of a call that may begin at s[i].
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

// behindLabel reads the texts after a label, from s[i] on: see [Spelled.Then].
func (t Tag) behindLabel(tag *Spelled, s []byte, i int, more Verdict) (Tag, Verdict) {
	n, v := t.Spelling.matchPrefix(s[i:], tag.Then[0], more)
	switch {
	case v == NoMatch && i < len(s) && (s[i] == '{' || s[i] == '`' && tag.Word != "") && t.Spelling.JSON: // the first of Then is missing
		t.Len = i
		return t, Match
	case v == NoMatch && len(tag.Then) > 1: // it is missing before the next of Then
		t.Len = i + len(tag.Then[1])
		return t, matchOneOf(s[i:], tag.Then[1:], more)
	case v != Match:
		return t, v
	}
	t.Len = i + n
	if len(tag.Then) == 1 {
		return t, Match
	}
	closer, then, again := tag.Then[0], tag.Then[1], t.Spelling.opener(tag)
	at := SkipBlanks(s, t.Len, maxLabel)
	switch v := matchOneOf(s[at:], []string{closer}, more); v { // the model wrote it twice
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
	default: // it is missing, and the label may end with its line
		t.Unopened = true
		if t.Len < len(s) && s[t.Len] == '\n' {
			t.Len++
		}
	}
	return t, Match
}

// MatchLone matches the label of a parameter without value at the start of s. The next label
// follows directly: <arg_key>note</arg_key><arg_key>count</arg_key>. n is the index of the next
// label.
func (g *Spelling) MatchLone(s []byte) (label string, n int, ok bool) {
	tag, _, v := g.listed(s, 1, true)
	if v != Match || len(tag.Then) < 2 || !HasPrefix(s, g.opener(tag)) {
		return "", 0, false
	}
	again := g.opener(tag)
	head := s[len(again):min(len(s), len(again)+maxLabel)]
	end := bytes.IndexAny(head, labelEnds)
	if end <= 0 || !HasPrefix(head[end:], tag.Then[0]) {
		return "", 0, false
	}
	n = SkipBlanks(s, len(again)+end+len(tag.Then[0]), maxLabel)
	return string(bytes.TrimSpace(head[:end])), n, HasPrefix(s[n:], again)
}

// opener returns the opening tag without a label.
func (g *Spelling) opener(tag *Spelled) string { return g.begins(false)[0] + tag.Name + g.end() }

// onLine reads a label that ends with the line, or with texts that may be on the same line. rest is
// the text after the tag, and at is its index in the whole text. The first of Then may follow the
// label.
func (t Tag) onLine(tag *Spelled, rest []byte, at int, more Verdict) (Tag, Verdict) {
	n := bytes.IndexAny(rest, "\n<{`")
	if n < 0 {
		return t, more
	}
	t.label = bytes.TrimSpace(rest[:n])
	again, v := t.Spelling.matchPrefix(rest[n:], tag.Then[0], more)
	if v == NeedMore {
		return t, v
	}
	t.Len = at + n + again
	return t, VerdictOf(len(t.label) > 0)
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
