package markup

import (
	"slices"
	"strings"
)

// This file escapes the client's text. The text stands between tags of ours, so it must not be
// able to spell one. Where it would, its `<` is written as an entity; where it spells
// the entity already, one more level is added:
//
//	written by the client       shown to the model
//	</function_calls>           &lt;/function_calls>
//	&lt;/function_calls>        &amp;lt;/function_calls>
//	&amp;lt;/function_calls>    &amp;amp;lt;/function_calls>
//
// Everything else is shown as it is: `a < b`, `<div>` and `&lt;div&gt;` stay. A name counts as
// one of ours in any case of its letters, with or without a slash, white space or a namespace
// before it. If the prompt will be one text with turn markers, a line that begins with
// "Human:", "User:" or "Assistant:" has its first letter written as an entity ("&#72;uman:"), with the
// same levels. So has what else begins a call in a format in which the answer is read, its
// [Openers]: "&#91;TOOL_CALLS]", and, where a tool is called book, "&#91;book(" and "&#99;all:book{". So have the
// special tokens of the model, if its server reads them out of texts: "&lt;|im_start|>".
//
// Escaping adds one level everywhere and [Unescape] takes one off, so unescaping gives back
// any text. What the model writes is unescaped only for names that the policy escaped in its
// prompt (Escaper.Used): the model copied those. An entity that the model wrote of its own
// accord is never decoded.

// Escaper applies the policy to the texts of one prompt.
type Escaper struct {
	Used        TagSet // the names that had to be escaped so far
	TurnMarkers bool   // the prompt will be one text with turn markers
	Tags        TagSet // the names to protect besides those of every format

	// Openers are what else to protect. Calls reports whether a name behind the text of one is that of a tool;
	// nil for all.
	Openers *Openers
	Calls   func(before, name string) bool

	// Labels has each [Buffer] say where its text is from.
	Labels   bool
	entities []entity // of the text that was escaped last, in their order; noted for labels
	words    []int    // of the Openers that are no tags, the index of the next in the text
}

// Escapes are the escapes that an [Escaper] has written.
type Escapes struct {
	Tags    TagSet
	Openers *Openers // of those, if Tags has [TagOpener]
}

// Escapes returns the escapes that have been written so far.
func (e *Escaper) Escapes() Escapes { return Escapes{e.Used, e.Openers} }

// entity is a byte of a text that is written as an entity.
type entity struct {
	at  int // index of the byte in the text
	len int // of the entity, in bytes
}

// Text escapes text of a turn or of the system prompt.
func (e *Escaper) Text(s string) string { return e.escape(s, InTurns, "") }

// AppendText appends what Text returns.
func (e *Escaper) AppendText(dst []byte, s string) []byte { return e.append(dst, s, InTurns, "") }

// AppendTool appends text of a tool description, escaped.
func (e *Escaper) AppendTool(dst []byte, s string) []byte { return e.append(dst, s, InTools, "") }

// Spells reports whether Text would escape something in s.
func (e *Escaper) Spells(s string) bool {
	if strings.IndexFunc(s, func(r rune) bool { return r < 0x80 && !IsNameByte(byte(r)) }) < 0 {
		return false
	}
	probe := Escaper{Tags: e.Tags, Openers: e.Openers, Calls: e.Calls}
	return probe.Text(s) != s
}

// names returns what text must not spell, with names besides those that are always protected: all that was
// escaped before, too, for which what the model writes is unescaped.
func (e *Escaper) names(names TagSet) Escapes {
	names |= e.Tags | e.Used
	if e.TurnMarkers {
		names |= TagTurn
	}
	if e.Openers != nil {
		names |= TagOpener
	}
	return Escapes{names, e.Openers}
}

// brackets reports whether something is among them that begins with a bracket.
func (e Escapes) brackets() bool {
	return e.Tags&TagBracket != 0 || e.Openers != nil && e.Openers.brackets
}

// escape escapes what spells one of names in s, and notes in e.Used which did. It returns s itself
// where nothing does.
func (e *Escaper) escape(s string, names TagSet, parameter string) string {
	out, done := e.appendChanged(nil, s, names, parameter)
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

// append is escape for a buffer.
func (e *Escaper) append(dst []byte, s string, names TagSet, parameter string) []byte {
	dst, done := e.appendChanged(dst, s, names, parameter)
	return append(dst, s[done:]...)
}

// appendChanged appends s up to the last place that is escaped. That is s[:done]; the rest stays as it
// is.
func (e *Escaper) appendChanged(dst []byte, s string, names TagSet, parameter string) (out []byte, done int) {
	e.entities = e.entities[:0]
	protected := e.names(names)
	// The next `<`, `&`, `[`, turn marker and other opener; each is looked for again once i has passed it.
	lt, amp, bracket, turn, word := indexFrom(s, '<', 0), escapeFrom(s, 0), len(s), len(s), e.firstWord(s)
	if protected.brackets() {
		bracket = indexFrom(s, '[', 0)
	}
	if e.TurnMarkers {
		turn = turnFrom(s, 0)
	}
	for {
		i := min(lt, amp, bracket, turn, word)
		if i == len(s) {
			return dst, done
		}
		level, n, tag := e.matchProtected(s, i, &protected, parameter)
		if tag == 0 {
			n = 1
		} else {
			if done == 0 {
				dst = slices.Grow(dst, len(s)+len(s)/8+16)
			}
			dst = append(dst, s[done:i]...)
			from := len(dst)
			if level > 0 {
				dst = append(dst, "&amp;"...)
			} else {
				dst = appendEntity(dst, s[i])
			}
			done = i + 1
			e.Used |= tag
			if e.Labels {
				e.entities = append(e.entities, entity{i, len(dst) - from})
			}
		}
		i += n
		if lt < i {
			lt = indexFrom(s, '<', i)
		}
		if amp < i {
			amp = escapeFrom(s, i)
		}
		if bracket < i {
			bracket = indexFrom(s, '[', i)
		}
		if turn < i {
			turn = turnFrom(s, i)
		}
		if word < i {
			word = e.nextWord(s, i)
		}
	}
}

// firstWord returns the index of the first byte in s that may begin an opener which is no tag, or the length of s.
func (e *Escaper) firstWord(s string) int {
	if e.Openers == nil {
		return len(s)
	}
	e.words = e.words[:0]
	for range e.Openers.others {
		e.words = append(e.words, -1)
	}
	return e.nextWord(s, 0)
}

// nextWord is firstWord from i on.
func (e *Escaper) nextWord(s string, i int) int {
	first := len(s)
	for k := range e.words {
		x := &e.Openers.others[k]
		if x.isTag() {
			continue
		}
		if e.words[k] < i {
			e.words[k] = x.next(s, i)
		}
		first = min(first, e.words[k])
	}
	return first
}

// turnFrom returns the index of the first turn marker in s from i on, wherever it stands in its line,
// or the length of s. It looks for the colons, which are rarer than the letters.
func turnFrom(s string, i int) int {
	for at := indexFrom(s, ':', i); at < len(s); at = indexFrom(s, ':', at+1) {
		for _, marker := range [...]string{"human:", "assistant:", "user:"} {
			if first := at + 1 - len(marker); first >= i && equalFold(s[first:at+1], marker) {
				return first
			}
		}
	}
	return len(s)
}

// escapeFrom returns the index of the first `&` in s from i on that may begin an escape, or the length of s.
func escapeFrom(s string, i int) int {
	for at := indexFrom(s, '&', i); at < len(s); at = indexFrom(s, '&', at+1) {
		if at+1 < len(s) && MayBeEscape(s[at+1]) {
			return at
		}
	}
	return len(s)
}

// indexFrom returns the index of the first c in s from i on, or the length of s.
func indexFrom(s string, c byte, i int) int {
	if n := strings.IndexByte(s[i:], c); n >= 0 {
		return i + n
	}
	return len(s)
}

// Unescape takes one level of escaping off s wherever one of escapes was written. parameter is
// the tag of the parameter whose value s is, "" for none; it counts if they have
// [TagOwnParameter].
func Unescape(s string, escapes Escapes, parameter string) string {
	if strings.IndexByte(s, '&') < 0 || escapes.Tags == 0 {
		return s
	}
	var out strings.Builder
	done := 0 // s[:done] is in out
	for i := indexFrom(s, '&', 0); i < len(s); i = indexFrom(s, '&', i) {
		m := MatchEscape(s[i:], escapes, parameter, true)
		if m.Verdict != Match {
			i++
			continue
		}
		out.WriteString(s[done:i])
		out.WriteString(m.Plain)
		i += m.Len
		done = i
	}
	out.WriteString(s[done:])
	return out.String()
}

// matchProtected reports whether s[i:] spells one of names, plainly (level 0) or escaped level
// times. n is the length of the part before a name, or of all of an opener; tag is 0 if nothing is spelled.
func (e *Escaper) matchProtected(s string, i int, names *Escapes, parameter string) (level, n int, tag TagSet) {
	c := s[i]
	if c == '&' {
		m := MatchEscape(s[i:], *names, parameter, true)
		if m.Verdict == Match && !(m.inTag > 0 && e.takesTag(s, i+m.inTag, names)) {
			return m.level, max(m.Len, m.end), m.tag
		}
		return 0, 0, 0
	}
	if c == '<' {
		if e.takesTag(s, i+1, names) {
			return 0, 0, 0
		}
		if tag, v := matchName(s[i+1:], names.Tags, parameter, true); v == Match {
			return 0, 1, tag
		}
	}
	if c == '[' && names.Tags&TagBracket != 0 && matchBracketed(s[i+1:], true) == Match {
		return 0, 1, TagBracket
	}
	if names.Tags&TagTurn != 0 && turnMarker(c, s[i+1:], true) == Match && atLineStart(s, i) {
		return 0, 1, TagTurn
	}
	if n := e.matchWhole(s, i); n > 0 {
		return 0, n, TagOpener
	}
	return 0, 0, 0
}

// matchWhole returns the length of the opener that s[i:] begins with, 0 if there is none, or if it names no tool.
func (e *Escaper) matchWhole(s string, i int) int {
	if !e.Openers.mayBegin(s, i) || isMidName(s, i) {
		return 0
	}
	m, v := matchOpener(e.Openers, s[i], s[i+1:], true)
	if v != Match || m.from < m.to && e.Calls != nil && !e.Calls(m.before, s[i+1+m.from:i+1+m.to]) {
		return 0
	}
	return 1 + m.end
}

// takesTag reports whether what stands behind the `<` before s[i], where a tag has its name, is escaped itself: a turn
// marker ("</\nHuman:result>"), or an opener that is no tag. Its escape takes the name away, so that the tag must not
// be escaped as well: nothing would undo that.
func (e *Escaper) takesTag(s string, i int, names *Escapes) bool {
	if names.Tags&TagTurn == 0 && names.Openers == nil {
		return false
	}
	i = SkipBlanks(s, i, MaxTagBlanks)
	if i < len(s) && s[i] == '/' {
		i = SkipBlanks(s, i+1, MaxTagBlanks)
	}
	if i == len(s) || s[i] == '<' || s[i] == '&' || s[i] == '[' {
		return false
	}
	_, _, tag := e.matchProtected(s, i, names, "")
	return tag != 0
}

// atLineStart reports whether only white space stands between the start of the line and s[i].
func atLineStart(s string, i int) bool {
	line := strings.TrimRight(s[:i], " \t\u00a0\u200b\ufeff")
	if line == "" {
		return true
	}
	for _, br := range []string{"\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"} {
		if strings.HasSuffix(line, br) {
			return true
		}
	}
	return false
}
