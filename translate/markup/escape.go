package markup

import (
	"bytes"
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
// "Human:" or "Assistant:" has its first letter written as an entity ("&#72;uman:"), with the
// same levels; and so has, for a format with markers in brackets, the bracket before one
// ("&#91;TOOL_CALLS]"), and for one with lists of calls in Python, the bracket before a call
// to a tool ("&#91;book(").
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

	// Calls reports whether a name is that of a tool, for [TagList]; nil for all.
	Calls func(name string) bool

	// Watch is called, unless it is nil, with each text once it has been escaped: at is where it begins
	// in the buffer that it was appended to, 0 for a string. entities are the bytes of it that are
	// written as entities, in their order; they are valid until Watch returns.
	Watch    func(at int, text string, entities []Entity)
	entities []Entity
}

// Entity is a byte of a text that is written as an entity.
type Entity struct {
	At  int // index of the byte in the text
	Len int // of the entity, in bytes
}

// Text escapes text of a turn or of the system prompt.
func (e *Escaper) Text(s string) string { return e.escape(s, InTurns, "") }

// AppendText appends what Text returns.
func (e *Escaper) AppendText(dst []byte, s string) []byte { return e.append(dst, s, InTurns, "") }

// AppendTool appends text of a tool description, escaped.
func (e *Escaper) AppendTool(dst []byte, s string) []byte { return e.append(dst, s, InTools, "") }

// AppendValue appends the value of a parameter; parameter is the parameter's tag.
func (e *Escaper) AppendValue(dst []byte, s, parameter string) []byte {
	return e.append(dst, s, InValues, parameter)
}

// Keeps reports whether the policy changes nothing in text, wherever it stands. It is quick, and
// may say false of text that is kept as well.
func (e *Escaper) Keeps(text []byte) bool {
	return !e.TurnMarkers && e.Watch == nil && bytes.IndexByte(text, '<') < 0 && bytes.IndexByte(text, '&') < 0 &&
		(!e.brackets() || bytes.IndexByte(text, '[') < 0)
}

// KeepsQuoted reports whether the policy changes nothing in a text of a turn that stands as the inside of
// a JSON string, with no escapes but those of two bytes, which stand for no `<` and no `&`. It may say
// false of a text that is kept as well, where such an escape stands in what may be a tag.
func (e *Escaper) KeepsQuoted(inside []byte) bool {
	return !e.TurnMarkers && e.keepsEach('<', inside) && e.keepsEach('&', inside) && (!e.brackets() || e.keepsEach('[', inside))
}

// brackets reports whether what begins with a bracket is protected.
func (e *Escaper) brackets() bool { return (e.Tags|e.Used)&inBrackets != 0 }

// keepsEach is KeepsQuoted for what begins with the byte c.
func (e *Escaper) keepsEach(c byte, inside []byte) bool {
	names := InTurns | e.Tags | e.Used
	at, slash := bytes.IndexByte(inside, c), -1 // slash is the next backslash
	for at >= 0 {
		if slash < at {
			if slash = bytes.IndexByte(inside[at:], '\\'); slash < 0 {
				slash = len(inside) - at
			}
			slash += at
		}
		if !isPlain(inside[at:slash], inside[slash:], names) {
			return false
		}
		next := bytes.IndexByte(inside[at+1:], c)
		if next < 0 {
			return true
		}
		at += 1 + next
	}
	return true
}

// isPlain reports whether what s begins with, a `<`, an `&` or a `[`, spells none of names. An escape of JSON
// follows s, or nothing. No name has the character in it that an escape stands for, so that a name ends
// there as it does at the end of the text; but white space may also stand before a name.
func isPlain(s, escape []byte, names TagSet) bool {
	switch and := s[0] == '&'; {
	case s[0] == '[':
		if _, _, n := listHead(s[1:]); names&TagList != 0 && n == len(s)-1 && len(escape) > 0 {
			return false
		}
		_, _, v := matchInBrackets(s[1:], names, true)
		return v == NoMatch
	case and && (len(s) == 1 || !MayBeEscape(s[1])):
		return true
	case and:
		return MatchEscape(s, names, "", !standsForBlank(escape)).Verdict == NoMatch
	case len(s) > 1 && s[1] != ' ' && s[1] != '/' && s[1] != '%' && s[1] != '|' && !IsNameByte(s[1]):
		return true
	}
	begun := len(bytes.TrimLeft(s[1:], " /")) > 0
	_, v := matchName(s[1:], names, "", begun || !standsForBlank(escape))
	return v == NoMatch
}

// standsForBlank reports whether text begins with an escape of JSON for white space.
func standsForBlank(text []byte) bool {
	return len(text) > 0 && (text[1] == 'n' || text[1] == 't' || text[1] == 'r')
}

// escape escapes what spells one of names in s, and notes in e.Used which did. It returns s itself
// where nothing does.
func (e *Escaper) escape(s string, names TagSet, parameter string) string {
	out, done := e.appendChanged(nil, s, names, parameter)
	if e.Watch != nil {
		e.Watch(0, s, e.entities)
	}
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

// append is escape for a buffer.
func (e *Escaper) append(dst []byte, s string, names TagSet, parameter string) []byte {
	at := len(dst)
	dst, done := e.appendChanged(dst, s, names, parameter)
	if e.Watch != nil {
		e.Watch(at, s, e.entities)
	}
	return append(dst, s[done:]...)
}

// appendChanged appends s up to the last place that is escaped. That is s[:done]; the rest stays as it
// is.
func (e *Escaper) appendChanged(dst []byte, s string, names TagSet, parameter string) (out []byte, done int) {
	e.entities = e.entities[:0]
	names |= e.Tags | e.Used // what the model writes is unescaped for all that was escaped before
	if e.TurnMarkers {
		names |= TagTurn
	}
	// The next `<`, `&`, `[` and turn marker; each is looked for again once i has passed it.
	lt, amp, bracket, turn := indexFrom(s, '<', 0), indexFrom(s, '&', 0), len(s), len(s)
	if names&inBrackets != 0 {
		bracket = indexFrom(s, '[', 0)
	}
	if e.TurnMarkers {
		turn = turnFrom(s, 0)
	}
	for {
		i := min(lt, amp, bracket, turn)
		if i == len(s) {
			return dst, done
		}
		level, n, tag := e.matchProtected(s, i, names, parameter)
		if tag == 0 {
			n = 1
		} else {
			if done == 0 {
				dst = slices.Grow(dst, len(s)+len(s)/8+16)
			}
			dst = append(dst, s[done:i]...)
			from := len(dst)
			switch {
			case level > 0:
				dst = append(dst, "&amp;"...)
			case tag == TagTurn:
				dst = append(dst, turnEntity(s[i])...)
			case tag&inBrackets != 0:
				dst = append(dst, bracketEntity...)
			default:
				dst = append(dst, "&lt;"...)
			}
			done = i + 1
			e.Used |= tag
			if e.Watch != nil {
				e.entities = append(e.entities, Entity{i, len(dst) - from})
			}
		}
		i += n
		if lt < i {
			lt = indexFrom(s, '<', i)
		}
		if amp < i {
			amp = indexFrom(s, '&', i)
		}
		if bracket < i {
			bracket = indexFrom(s, '[', i)
		}
		if turn < i {
			turn = turnFrom(s, i)
		}
	}
}

// turnFrom returns the index of the first turn marker in s from i on, wherever it stands in its line,
// or the length of s. It looks for the colons, which are rarer than the letters.
func turnFrom(s string, i int) int {
	for at := indexFrom(s, ':', i); at < len(s); at = indexFrom(s, ':', at+1) {
		for _, marker := range [...]string{"human:", "assistant:"} {
			if first := at + 1 - len(marker); first >= i && equalFold(s[first:at+1], marker) {
				return first
			}
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

// Unescape takes one level of escaping off s wherever one of names was escaped. parameter is
// the tag of the parameter whose value s is, "" for none; it counts if names has
// [TagOwnParameter].
func Unescape(s string, names TagSet, parameter string) string {
	if strings.IndexByte(s, '&') < 0 || names == 0 {
		return s
	}
	var out strings.Builder
	done := 0 // s[:done] is in out
	for i := indexFrom(s, '&', 0); i < len(s); i = indexFrom(s, '&', i) {
		m := MatchEscape(s[i:], names, parameter, true)
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
// times. n is the length of the part before the name; tag is 0 if nothing is spelled.
func (e *Escaper) matchProtected(s string, i int, names TagSet, parameter string) (level, n int, tag TagSet) {
	switch c := s[i]; {
	case c == '<':
		if tag, v := matchName(s[i+1:], names, parameter, true); v == Match && !e.turnInTag(s, i+1, names) {
			return 0, 1, tag
		}
	case c == '[':
		if tag, call, v := matchInBrackets(s[i+1:], names, true); v == Match && (tag != TagList || e.Calls == nil || e.Calls(call)) {
			return 0, 1, tag
		}
	case c == '&':
		m := MatchEscape(s[i:], names, parameter, true)
		if m.Verdict == Match && (m.tag&(TagTurn|inBrackets) != 0 || !e.turnInTag(s, i+strings.Index(s[i:], "lt;")+len("lt;"), names)) {
			return m.level, m.Len, m.tag
		}
	case names&TagTurn != 0 && c|0x20 == 'h' && atLineStart(s, i) && hasPrefixFold(s[i+1:], "uman:"),
		names&TagTurn != 0 && c|0x20 == 'a' && atLineStart(s, i) && hasPrefixFold(s[i+1:], "ssistant:"):
		return 0, 1, TagTurn
	}
	return 0, 0, 0
}

// turnInTag reports whether the namespace of the tag whose `<` stands before s[i] is a turn
// marker: "</\nHuman:result>". The marker's escape takes the name away, so that the tag must not
// be escaped as well: nothing would undo that.
func (e *Escaper) turnInTag(s string, i int, names TagSet) bool {
	if names&TagTurn == 0 {
		return false
	}
	i = SkipBlanks(s, i, MaxTagBlanks)
	if i < len(s) && s[i] == '/' {
		i = SkipBlanks(s, i+1, MaxTagBlanks)
	}
	if i == len(s) || s[i] == '<' || s[i] == '&' {
		return false
	}
	_, _, tag := e.matchProtected(s, i, names, "")
	return tag == TagTurn
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
