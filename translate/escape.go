package translate

import (
	"strings"
	"unicode/utf8"
)

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

// tagSet is a set of names that the policy protects.
type tagSet uint32

const (
	tagFunctionCalls tagSet = 1 << iota
	tagFunctionResults
	tagInvoke
	tagToolName
	tagParameters
	tagParameter
	tagResult
	tagStdout
	tagError
	tagTools
	tagToolDescription
	tagSystem
	tagDocument
	tagSearchResult
	tagDescription
	tagName
	tagType
	tagRequired
	tagEnum
	tagDefault
	tagSchema
	tagDefinitions
	tagCDATA // "![CDATA[", which begins a quoted value
	tagOwn   // the name of the parameter whose value the text is
	tagTurn  // a turn marker
)

// Text of a turn may not spell the elements that stand in turns; text of a tool
// description may not spell those of a description either; a value may not quote itself.
const (
	turnTags  = tagDescription - 1
	toolTags  = tagCDATA - 1
	valueTags = turnTags | tagCDATA | tagOwn
)

var tagNames = [...]struct {
	name string
	tag  tagSet
}{
	{"function_calls", tagFunctionCalls},
	{"function_results", tagFunctionResults},
	{"invoke", tagInvoke},
	{"tool_name", tagToolName},
	{"parameters", tagParameters},
	{"parameter", tagParameter},
	{"result", tagResult},
	{"stdout", tagStdout},
	{"error", tagError},
	{"tools", tagTools},
	{"tool_description", tagToolDescription},
	{"system", tagSystem},
	{"document", tagDocument},
	{"search_result", tagSearchResult},
	{"description", tagDescription},
	{"name", tagName},
	{"type", tagType},
	{"required", tagRequired},
	{"enum", tagEnum},
	{"default", tagDefault},
	{"schema", tagSchema},
	{"definitions", tagDefinitions},
}

// escaper applies the policy to the texts of one prompt.
type escaper struct {
	used        tagSet // what the policy had to act on so far
	turnMarkers bool   // the prompt will be one text with turn markers
}

// text escapes text of a turn or of the system prompt.
func (e *escaper) text(s string) string { return e.escape(s, turnTags, "") }

// tool escapes text of a tool description.
func (e *escaper) tool(s string) string { return e.escape(s, toolTags, "") }

// value escapes the value of the parameter with the given tag.
func (e *escaper) value(s, own string) string { return e.escape(s, valueTags, own) }

func (e *escaper) escape(s string, names tagSet, own string) string {
	if e.turnMarkers {
		names |= tagTurn
	} else if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); {
		level, n, tag := spelled(s, i, names, own)
		if tag == 0 {
			i++
			continue
		}
		out.WriteString(s[done:i])
		switch {
		case level > 0:
			out.WriteString("&amp;")
			done = i + 1
		case tag == tagTurn:
			out.WriteString(turnEntity(s[i]))
			done = i + 1
		default:
			out.WriteString("&lt;")
			done = i + 1
		}
		e.used |= tag
		i += n
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// unescape takes one level off what the policy put on s, for the given names.
func unescape(s string, names tagSet, own string) string {
	if strings.IndexByte(s, '&') < 0 || names == 0 {
		return s
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); {
		if s[i] != '&' {
			i++
			continue
		}
		m := matchEscape(s[i:], names, own, true)
		if m.verdict != matchYes {
			i++
			continue
		}
		out.WriteString(s[done:i])
		out.WriteString(m.plain)
		i += m.n
		done = i
	}
	out.WriteString(s[done:])
	return out.String()
}

// spelled tells whether s[i:] spells a protected name, plain (level 0) or
// escaped already, and how many bytes of it are the part before the name.
func spelled(s string, i int, names tagSet, own string) (level, n int, tag tagSet) {
	switch c := s[i]; {
	case c == '<':
		if tag, v := matchName(s[i+1:], names, own, true); v == matchYes {
			return 0, 1, tag
		}
	case c == '&':
		if m := matchEscape(s[i:], names, own, true); m.verdict == matchYes {
			return m.level, m.n, m.tag
		}
	case names&tagTurn != 0 && c|0x20 == 'h' && atLineStart(s, i) && hasPrefixFold(s[i+1:], "uman:"),
		names&tagTurn != 0 && c|0x20 == 'a' && atLineStart(s, i) && hasPrefixFold(s[i+1:], "ssistant:"):
		return 0, 1, tagTurn
	}
	return 0, 0, 0
}

// verdict is what a matcher says of text that may go on.
type verdict uint8

const (
	matchNo   verdict = iota
	matchMore         // undecided: more text is needed
	matchYes
)

// escapeMatch is what matchEscape found: plain stands for the first n bytes,
// one level down.
type escapeMatch struct {
	verdict verdict
	tag     tagSet
	level   int
	n       int
	plain   string
}

// matchEscape matches `&` `amp;`* and then `lt;` before a protected name or a
// turn marker with an entity. It reports how to take one level off: of the
// entities only the first `amp;` or the last entity changes. At the end of the
// text (eof) there is no matchMore.
func matchEscape[S text](s S, names tagSet, own string, eof bool) escapeMatch {
	more := escapeMatch{verdict: matchMore}
	if eof {
		more.verdict = matchNo
	}
	i, level := 1, 1
	for hasPrefix(s[i:], "amp;") {
		i, level = i+4, level+1
	}
	rest := s[i:]
	plain, tag, v := "", tagSet(0), matchNo
	switch {
	case hasPrefix(rest, "lt;"):
		plain, i = "<", i+3
		tag, v = matchName(s[i:], names, own, eof)
	case names&tagTurn != 0 && isTurnEntity(rest, "#72;", "uman:"):
		plain, i, tag, v = "H", i+4, tagTurn, matchYes
	case names&tagTurn != 0 && isTurnEntity(rest, "#104;", "uman:"):
		plain, i, tag, v = "h", i+5, tagTurn, matchYes
	case names&tagTurn != 0 && isTurnEntity(rest, "#65;", "ssistant:"):
		plain, i, tag, v = "A", i+4, tagTurn, matchYes
	case names&tagTurn != 0 && isTurnEntity(rest, "#97;", "ssistant:"):
		plain, i, tag, v = "a", i+4, tagTurn, matchYes
	case !eof && mayBegin(rest, names):
		return more
	}
	if v == matchMore {
		return more
	}
	if v == matchNo {
		return escapeMatch{}
	}
	if level > 1 {
		return escapeMatch{verdict: matchYes, tag: tag, level: level, n: 5, plain: "&"}
	}
	return escapeMatch{verdict: matchYes, tag: tag, level: level, n: i, plain: plain}
}

// mayBegin tells whether text after `&amp;…` may yet become an escape.
func mayBegin[S text](rest S, names tagSet) bool {
	if isPrefixOf(rest, "amp;") || isPrefixOf(rest, "lt;") {
		return true
	}
	return names&tagTurn != 0 && (isPrefixFoldOf(rest, "#72;uman:") || isPrefixFoldOf(rest, "#104;uman:") ||
		isPrefixFoldOf(rest, "#65;ssistant:") || isPrefixFoldOf(rest, "#97;ssistant:"))
}

func isTurnEntity[S text](s S, entity, rest string) bool {
	return hasPrefix(s, entity) && hasPrefixFold(s[len(entity):], rest)
}

func turnEntity(letter byte) string {
	switch letter {
	case 'H':
		return "&#72;"
	case 'h':
		return "&#104;"
	case 'A':
		return "&#65;"
	default:
		return "&#97;"
	}
}

// Bounds on what may stand between `<` and the name: they bound the look-ahead.
const (
	maxTagBlanks = 8
	maxNamespace = 32
)

// matchName matches what follows a `<`: blanks, a slash, blanks, a namespace,
// and one of the names with nothing after it that would make it another name.
func matchName[S text](s S, names tagSet, own string, eof bool) (tagSet, verdict) {
	i := skipBlanks(s, 0, maxTagBlanks)
	if i < len(s) && s[i] == '/' {
		i = skipBlanks(s, i+1, maxTagBlanks)
	}
	best := matchNo
	for range 2 {
		tag, v := matchBareName(s[i:], names, own, eof)
		if v == matchYes {
			return tag, v
		}
		best = max(best, v)
		ns := i
		for ns < len(s) && ns-i < maxNamespace && isNameByte(s[ns]) && s[ns] != ':' {
			ns++
		}
		if ns == len(s) && !eof {
			return 0, matchMore
		}
		if ns == i || ns == len(s) || s[ns] != ':' {
			break
		}
		i = ns + 1
	}
	return 0, best
}

func matchBareName[S text](s S, names tagSet, own string, eof bool) (tagSet, verdict) {
	if len(s) == 0 {
		if eof {
			return 0, matchNo
		}
		return 0, matchMore
	}
	best := matchNo
	for i := range tagNames {
		if t := &tagNames[i]; names&t.tag != 0 && t.name[0] == s[0]|0x20 {
			v := matchWhole(s, t.name, eof)
			if v == matchYes {
				return t.tag, v
			}
			best = max(best, v)
		}
	}
	if names&tagCDATA != 0 && s[0] == '!' {
		if hasPrefix(s, "![CDATA[") {
			return tagCDATA, matchYes
		}
		if !eof && isPrefixOf(s, "![CDATA[") {
			best = matchMore
		}
	}
	if names&tagOwn != 0 && own != "" {
		v := matchWhole(s, own, eof)
		if v == matchYes {
			return tagOwn, v
		}
		best = max(best, v)
	}
	return 0, best
}

// matchWhole matches name, in any case, followed by the end or a byte that no name holds.
func matchWhole[S text](s S, name string, eof bool) verdict {
	switch {
	case len(s) < len(name):
		if !eof && isPrefixFoldOf(s, name) {
			return matchMore
		}
		return matchNo
	case !hasPrefixFold(s, name):
		return matchNo
	case len(s) == len(name):
		if eof {
			return matchYes
		}
		return matchMore
	case isNameByte(s[len(name)]), s[len(name)] == '%': // paramTag escapes with %
		return matchNo
	}
	return matchYes
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

// reservedParams are names that mean something else inside <parameters>.
var reservedParams = []string{"parameters", "invoke", "function_calls", "function_results", "parameter", "tool_name"}

// paramTag returns the tag under which a property is offered to the model: its
// name, with what could not stand in a tag as %XX. [paramName] is the inverse.
func paramTag(name string) string {
	if name == "" {
		return "%"
	}
	reserved := isReserved(name)
	if !reserved && strings.IndexFunc(name, breaksTag) < 0 && utf8.ValidString(name) {
		return name
	}
	const hex = "0123456789ABCDEF"
	var tag strings.Builder
	for i, r := range name {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError && !strings.HasPrefix(name[i:], "\uFFFD") {
			size = 1 // no character: one byte
		}
		piece := name[i : i+size]
		if !breaksTag(r) && r != ':' && len(piece) == utf8.RuneLen(r) && !(reserved && i == 0) {
			tag.WriteString(piece)
			continue
		}
		for _, c := range []byte(piece) {
			tag.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return tag.String()
}

// isReserved tells whether a name is reserved, alone or before a character that
// names of ours do not hold: after a namespace, every name of ours is.
func isReserved(name string) bool {
	if colon := strings.LastIndexByte(name, ':'); colon >= 0 {
		for i := range tagNames {
			if matchWhole(name[colon+1:], tagNames[i].name, true) == matchYes {
				return true
			}
		}
		return false
	}
	for _, r := range reservedParams {
		if matchWhole(name, r, true) == matchYes {
			return true
		}
	}
	return false
}

// breaksTag tells which characters cannot stand in a tag as they are: those that
// end it, and line breaks of any kind.
func breaksTag(r rune) bool {
	switch r {
	case 0x7f, 0x85, 0x2028, 0x2029:
		return true
	}
	return r <= ' ' || r < 0x80 && strings.IndexByte(`<>/"'=&%!?[]`, byte(r)) >= 0
}

// paramName returns the property that a tag of the model's stands for.
func paramName(tag string) string {
	if tag == "%" {
		return ""
	}
	if strings.IndexByte(tag, '%') < 0 {
		return tag
	}
	var name strings.Builder
	for i := 0; i < len(tag); i++ {
		if tag[i] == '%' && i+2 < len(tag) && hexDigit(tag[i+1]) < 16 && hexDigit(tag[i+2]) < 16 {
			name.WriteByte(hexDigit(tag[i+1])<<4 | hexDigit(tag[i+2]))
			i += 2
		} else {
			name.WriteByte(tag[i])
		}
	}
	return name.String()
}

func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}
