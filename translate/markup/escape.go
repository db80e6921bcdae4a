package markup

import (
	"bytes"
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
// same levels.
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
}

// Text escapes text of a turn or of the system prompt.
func (e *Escaper) Text(s string) string { return e.escape(s, InTurns, "") }

// Tool escapes text of a tool description.
func (e *Escaper) Tool(s string) string { return e.escape(s, InTools, "") }

// Value escapes the value of a parameter; parameter is the parameter's tag.
func (e *Escaper) Value(s, parameter string) string { return e.escape(s, InValues, parameter) }

// Keeps reports whether the policy changes nothing in text, wherever it stands. It is quick, and
// may say false of text that is kept as well.
func (e *Escaper) Keeps(text []byte) bool {
	return !e.TurnMarkers && bytes.IndexByte(text, '<') < 0 && bytes.IndexByte(text, '&') < 0
}

// escape escapes what spells one of names in s, and notes in e.Used which did.
func (e *Escaper) escape(s string, names TagSet, parameter string) string {
	names |= e.Tags | e.Used // what the model writes is unescaped for all that was escaped before
	if e.TurnMarkers {
		names |= TagTurn
	} else if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var out strings.Builder
	done := 0         // s[:done] is in out
	lt, amp := -1, -1 // the next `<` and `&`; each is looked for again once i has passed it
	for i := 0; i < len(s); {
		if !e.TurnMarkers {
			if lt < i {
				lt = indexFrom(s, '<', i)
			}
			if amp < i {
				amp = indexFrom(s, '&', i)
			}
			if i = min(lt, amp); i == len(s) {
				break
			}
		}
		level, n, tag := matchProtected(s, i, names, parameter)
		if tag == 0 {
			i++
			continue
		}
		out.WriteString(s[done:i])
		switch {
		case level > 0:
			out.WriteString("&amp;")
			done = i + 1
		case tag == TagTurn:
			out.WriteString(turnEntity(s[i]))
			done = i + 1
		default:
			out.WriteString("&lt;")
			done = i + 1
		}
		e.Used |= tag
		i += n
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
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
func matchProtected(s string, i int, names TagSet, parameter string) (level, n int, tag TagSet) {
	switch c := s[i]; {
	case c == '<':
		if tag, v := matchName(s[i+1:], names, parameter, true); v == Match && !turnInTag(s, i+1, names) {
			return 0, 1, tag
		}
	case c == '&':
		m := MatchEscape(s[i:], names, parameter, true)
		if m.Verdict == Match && (m.tag == TagTurn || !turnInTag(s, i+strings.Index(s[i:], "lt;")+len("lt;"), names)) {
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
func turnInTag(s string, i int, names TagSet) bool {
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
	_, _, tag := matchProtected(s, i, names, "")
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
