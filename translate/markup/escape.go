package markup

import "strings"

// The escape policy. Untrusted text stands between elements of ours, so it must
// not be able to spell one. Where it would, the `<` is written as an entity:
//
//	written by the client       shown to the model
//	</function_calls>           &lt;/function_calls>
//	&lt;/function_calls>        &amp;lt;/function_calls>
//	&amp;lt;/function_calls>    &amp;amp;lt;/function_calls>
//
// and so on, one level up each time; everything else is shown as it is: `a < b`,
// `<div>`, `&lt;div&gt;` stay. A name counts as one of ours in any case of its
// letters, with or without a slash, some blanks or a namespace prefix before it.
// Where a prompt becomes one text with turn markers, a line that begins with
// "Human:" or "Assistant:" has its first letter written as an entity ("&#72;uman:"),
// with the same levels.
//
// Each step is one level up, so the step down ([unescape]) gives the text back,
// whatever it was. Text that comes back from the model takes that step only for
// names that the policy had to act on in its prompt ([Prompt] notes them):
// entities that the model wrote of its own accord are never decoded.

// escaper applies the policy to the texts of one prompt.
type Escaper struct {
	Used        TagSet // what the policy had to act on so far
	TurnMarkers bool   // the prompt will be one text with turn markers
	Tags        TagSet // of the format, beside those of all
}

// text escapes text of a turn or of the system prompt.
func (e *Escaper) Text(s string) string { return e.escape(s, InTurns, "") }

// tool escapes text of a tool description.
func (e *Escaper) Tool(s string) string { return e.escape(s, InTools, "") }

// value escapes the value of the parameter with the given tag.
func (e *Escaper) Value(s, own string) string { return e.escape(s, InValues, own) }

func (e *Escaper) escape(s string, names TagSet, own string) string {
	names |= e.Tags
	if e.TurnMarkers {
		names |= TagTurn
	} else if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var out strings.Builder
	done := 0
	lt, amp := -1, -1 // the next of each, looked for once it is passed
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
		level, n, tag := matchProtected(s, i, names, own)
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

// indexFrom returns where c next stands in s from i on, or the length of s.
func indexFrom(s string, c byte, i int) int {
	if n := strings.IndexByte(s[i:], c); n >= 0 {
		return i + n
	}
	return len(s)
}

// unescape takes one level off what the policy put on s, for the given names.
func Unescape(s string, names TagSet, own string) string {
	if strings.IndexByte(s, '&') < 0 || names == 0 {
		return s
	}
	var out strings.Builder
	done := 0
	for i := indexFrom(s, '&', 0); i < len(s); i = indexFrom(s, '&', i) {
		m := MatchEscape(s[i:], names, own, true)
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

// spelled tells whether s[i:] spells a protected name, plain (level 0) or
// escaped already, and how many bytes of it are the part before the name.
func matchProtected(s string, i int, names TagSet, own string) (level, n int, tag TagSet) {
	switch c := s[i]; {
	case c == '<':
		if tag, v := matchName(s[i+1:], names, own, true); v == Match {
			return 0, 1, tag
		}
	case c == '&':
		if m := MatchEscape(s[i:], names, own, true); m.Verdict == Match {
			return m.level, m.Len, m.tag
		}
	case names&TagTurn != 0 && c|0x20 == 'h' && atLineStart(s, i) && hasPrefixFold(s[i+1:], "uman:"),
		names&TagTurn != 0 && c|0x20 == 'a' && atLineStart(s, i) && hasPrefixFold(s[i+1:], "ssistant:"):
		return 0, 1, TagTurn
	}
	return 0, 0, 0
}

// atLineStart tells whether only blanks stand between the start of the line and s[i].
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
