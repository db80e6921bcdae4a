package translate

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
	tagFunctionCall // what stands around calls in other formats, ours and those of other makers:
	tagToolCall     // they are read whatever the model was asked in
	tagToolCalls
	tagUseTool
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

	// Of some formats alone.
	tagFunctions
	tagFunction
	tagToolResponse
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
	{"function_call", tagFunctionCall},
	{"tool_call", tagToolCall},
	{"tool_calls", tagToolCalls},
	{"use_tool", tagUseTool},
	{"description", tagDescription},
	{"name", tagName},
	{"type", tagType},
	{"required", tagRequired},
	{"enum", tagEnum},
	{"default", tagDefault},
	{"schema", tagSchema},
	{"definitions", tagDefinitions},
	{"functions", tagFunctions},
	{"function", tagFunction},
	{"tool_response", tagToolResponse},
}

// escaper applies the policy to the texts of one prompt.
type escaper struct {
	used        tagSet // what the policy had to act on so far
	turnMarkers bool   // the prompt will be one text with turn markers
	tags        tagSet // of the format, beside those of all
}

// text escapes text of a turn or of the system prompt.
func (e *escaper) text(s string) string { return e.escape(s, turnTags, "") }

// tool escapes text of a tool description.
func (e *escaper) tool(s string) string { return e.escape(s, toolTags, "") }

// value escapes the value of the parameter with the given tag.
func (e *escaper) value(s, own string) string { return e.escape(s, valueTags, own) }

func (e *escaper) escape(s string, names tagSet, own string) string {
	names |= e.tags
	if e.turnMarkers {
		names |= tagTurn
	} else if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var out strings.Builder
	done := 0
	lt, amp := -1, -1 // the next of each, looked for once it is passed
	for i := 0; i < len(s); {
		if !e.turnMarkers {
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

// indexFrom returns where c next stands in s from i on, or the length of s.
func indexFrom(s string, c byte, i int) int {
	if n := strings.IndexByte(s[i:], c); n >= 0 {
		return i + n
	}
	return len(s)
}

// unescape takes one level off what the policy put on s, for the given names.
func unescape(s string, names tagSet, own string) string {
	if strings.IndexByte(s, '&') < 0 || names == 0 {
		return s
	}
	var out strings.Builder
	done := 0
	for i := indexFrom(s, '&', 0); i < len(s); i = indexFrom(s, '&', i) {
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
