package markup

import (
	"slices"
	"strings"
)

// This file escapes the client's text, so that it cannot spell a tag of the prompt around it. If
// the text spells a tag, its `<` is written as an entity. If the text already has that entity, it
// gets one more level:
//
//	the client writes           the model sees
//	</function_calls>           &lt;/function_calls>
//	&lt;/function_calls>        &amp;lt;/function_calls>
//	&amp;lt;/function_calls>    &amp;amp;lt;/function_calls>
//
// The model sees everything else unchanged: `a < b`, `<div>` and `&lt;div&gt;`. Names are protected
// in any case, with or without a slash, white space or a namespace before them.
//
// Other texts are protected in the same way, with the same levels; their first byte becomes an
// entity:
//
//   - If the prompt will be one text with turn markers: a line that begins with "Human:", "User:" or
//     "Assistant:" ("&#72;uman:").
//   - The start of a call in a format that the parser reads, see [Openers]: "&#91;TOOL_CALLS]" or, if
//     a tool is called book, "&#91;book(" and "&#99;all:book{".
//   - The special tokens of the model, if its server reads them in texts: "&lt;|im_start|>".
//
// Escaping adds one level everywhere and [Unescape] removes one, so unescaping restores any text.
// Dragoman unescapes the model's text only for names that it escaped in the prompt (Escaper.Used),
// because the model copied those. It never decodes entities that the model wrote on its own.

// Escaper applies the policy to the texts of one prompt.
type Escaper struct {
	Used        TagSet // names that had to be escaped so far
	TurnMarkers bool   // the prompt will be one text with turn markers
	Tags        TagSet // names to protect in addition to those of every format
	Spared      TagSet // names that the text may spell plainly, because it is the model's own

	// Openers are the other texts to protect. Calls reports whether the name after an opener's text
	// is the name of a tool; nil: it always is.
	Openers *Openers
	Calls   func(before, name string) bool

	// Labels: each [Buffer] labels where its text is from.
	Labels   bool
	entities []entity // entities in the last escaped text, in order; only with Labels
	words    []int    // for each opener that is not a tag, the index of the next one in the text
}

// Escapes are the escapes that an [Escaper] has written.
type Escapes struct {
	Tags    TagSet
	Openers *Openers // if Tags has [TagOpener]
}

// Escapes returns the escapes that the escaper has written so far.
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
	probe := Escaper{Tags: e.Tags, Spared: e.Spared, Openers: e.Openers, Calls: e.Calls}
	return probe.Text(s) != s
}

// names returns what text must not spell: the names that are always protected, the given names, and
// everything that was escaped before, because the model's text is unescaped for it.
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

// brackets reports whether some protected text begins with a bracket.
func (e Escapes) brackets() bool {
	return e.Tags&TagBracket != 0 || e.Openers != nil && e.Openers.brackets
}

// escape escapes s where it spells one of names, and adds these names to e.Used. If nothing needs
// escaping, it returns s itself.
func (e *Escaper) escape(s string, names TagSet, parameter string) string {
	out, done := e.appendChanged(nil, s, names, parameter)
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

// append does what escape does, for a buffer.
func (e *Escaper) append(dst []byte, s string, names TagSet, parameter string) []byte {
	dst, done := e.appendChanged(dst, s, names, parameter)
	return append(dst, s[done:]...)
}

// appendChanged appends s up to the last escape: s[:done]. The rest of s needs no escaping.
func (e *Escaper) appendChanged(dst []byte, s string, names TagSet, parameter string) (out []byte, done int) {
	e.entities = e.entities[:0]
	protected := e.names(names)
	// The next `<`, `&`, `[`, turn marker and other opener. Each is searched again after i has passed it.
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

// firstWord returns the index of the first byte in s that may begin an opener other than a tag, or
// len(s).
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

// nextWord does what firstWord does, from i on.
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

// turnFrom returns the index of the first turn marker in s from i on, anywhere in a line, or
// len(s). It searches for colons, because they are rarer than letters.
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

// escapeFrom returns the index of the first `&` in s from i on that may begin an escape, or len(s).
func escapeFrom(s string, i int) int {
	for at := indexFrom(s, '&', i); at < len(s); at = indexFrom(s, '&', at+1) {
		if at+1 < len(s) && MayBeEscape(s[at+1]) {
			return at
		}
	}
	return len(s)
}

// indexFrom returns the index of the first c in s from i on, or len(s).
func indexFrom(s string, c byte, i int) int {
	if n := strings.IndexByte(s[i:], c); n >= 0 {
		return i + n
	}
	return len(s)
}

// Unescape removes one level of escaping from s wherever s has one of escapes. parameter is the tag
// of the parameter that has the value s; "" for other text. It matters if escapes has
// [TagOwnParameter].
func Unescape(s string, escapes Escapes, parameter string) string {
	if strings.IndexByte(s, '&') < 0 || escapes.Tags == 0 {
		return s
	}
	var out strings.Builder
	done := 0 // out has s[:done]
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

// matchProtected reports whether s[i:] spells one of names: plainly (level 0) or escaped level
// times. n is the length of the text before a name, or of a whole opener. If nothing is spelled,
// tag is 0.
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
		if tag, v := matchName(s[i+1:], names.Tags&^e.Spared, parameter, true); v == Match {
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

// matchWhole returns the length of the opener at s[i:], or 0 if there is none or it names no tool.
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

// takesTag reports whether the text after the `<` before s[i], where a tag has its name, is itself
// escaped: a turn marker ("</\nHuman:result>"), or an opener that is not a tag. Its escape hides
// the name, so the tag must not be escaped too: nothing would undo that escape.
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

// atLineStart reports whether the line has only white space before s[i].
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
