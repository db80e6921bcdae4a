package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// This file damages calls in the json format.

// jsonDamage are the kinds of damage for calls in JSON.
var jsonDamage = []damage{
	{"call in JSON: not damaged", "Read.", func(*draft) bool { return true }},
	{"call in JSON: a comma too many", "Read.", func(d *draft) bool { return d.changeJSON(d.addComma) }},
	{"call in JSON: the last brace missing", "Read.", func(d *draft) bool {
		return d.changeJSON(func(t string) string { return strings.TrimRight(t[:len(t)-1], " \n") })
	}},
	{"call in JSON: single quotes", "Read.", func(d *draft) bool { return d.changeJSON(asPython) }},
	{"call in JSON: words of Python", "Read.", func(d *draft) bool {
		return d.changeJSON(func(t string) string {
			return bareWords(t, strings.NewReplacer("true", "True", "false", "False", "null", "None"))
		})
	}},
	{"call in JSON: newlines in strings", "Read.", func(d *draft) bool {
		return d.changeJSON(func(t string) string { return unescape(t, 'n', "\n") })
	}},
	{"call in JSON: quotes in strings", "Read, unless one could end a string: text, or the call is not whole.", func(d *draft) bool {
		return d.changeJSON(func(t string) string {
			changed := unescape(t, '"', `"`)
			if _, err := ReadValue([]byte(changed)); err == nil {
				return t // it is valid JSON with another meaning, so no reader could notice
			}
			return changed
		})
	}},
	{"call in JSON: arguments in a JSON string", "Read.", func(d *draft) bool {
		return d.rewriteJSON(func(c Call) string { return callMember("arguments", str(c.Input.JSON()).JSON()) })
	}},
	{"call in JSON: another word for the arguments", "`parameters` and `input` are read.", func(d *draft) bool {
		word := pick(d.chance, []string{"parameters", "input"})
		return d.rewriteJSON(func(c Call) string { return callMember(word, c.Input.JSON()) })
	}},
	{"call in JSON: comments", "Text, or the call is not whole.", func(d *draft) bool {
		return d.changeJSON(d.addComment)
	}},
	{"call in JSON: a key given twice", "Text, or the call is not whole.", (*draft).sameKey},
	{"call in JSON: name of the tool in another case", "Takes the offered spelling, if there is one such tool.", func(d *draft) bool {
		return d.replaceEach(func(t string) string {
			for _, tool := range d.inst.Tools {
				t = strings.Replace(t, `"`+tool.Name+`"`, `"`+strings.ToUpper(tool.Name)+`"`, 1)
			}
			return t
		}, rJSONCall)
	}},
	{"call in JSON: a code fence in the wrapper", "Read.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return "```json\n" + t + "\n```" }, rJSONCall)
	}},
	{"call in JSON: no wrapper", "Text.", func(d *draft) bool { return d.drop(rWrapOpen, rWrapClose) }},
	{"call in JSON: wrapper not closed", "The end of the answer or the next call closes it.", func(d *draft) bool { return d.dropOne(rWrapClose) }},
	{"call in JSON: wrapper of another name", "Read like ours.", func(d *draft) bool {
		name := pick(d.chance, []string{"tool_calls", "function_call", "function_calls", "use_tool"})
		return d.replaceEach(func(t string) string { return strings.Replace(t, "tool_call", name, 1) }, rWrapOpen, rWrapClose)
	}},
	{"call in JSON: all calls in one wrapper", "Read.", func(d *draft) bool { return d.joinJSON("", "\n", "") }},
	{"call in JSON: all calls in one list", "Text.", func(d *draft) bool { return d.joinJSON("[", ",\n", "]") }},
	{"call in JSON: prose in the wrapper", "Text; the answer ends with the calls before it.", func(d *draft) bool {
		i := d.anyIndex(rWrapOpen)
		d.pieces[i].space += "The call:\n"
		d.asWritten = d.inst.Calls[:d.pieces[i].call]
		return true
	}},
	{"call in JSON: prose between calls", "Read, as text between the calls.", func(d *draft) bool {
		at := d.indexes(rWrapClose)
		if len(at) < 2 {
			return false
		}
		d.pieces[at[0]].space = "\nAnd the next one:\n"
		d.asWritten = d.inst.Calls[:1]
		return true
	}},
	{"call in JSON: cut by the token limit", "`max_tokens`; calls before the cut stand.", func(d *draft) bool { return d.truncate(messages.StopMaxTokens, "") }},
	{"call in JSON: cut, and said to be ended", "A call that was not read to its end is not whole: `max_tokens`.", func(d *draft) bool { return d.truncate(messages.StopEndTurn, "") }},
}

// changeJSON changes the text of the first call that can be changed.
func (d *draft) changeJSON(change func(string) string) bool {
	for _, i := range d.indexes(rJSONCall) {
		if text := change(d.pieces[i].text); text != d.pieces[i].text {
			d.pieces[i].text = text
			return true
		}
	}
	return false
}

// rewriteJSON replaces the arguments of all calls.
func (d *draft) rewriteJSON(arguments func(Call) string) bool {
	for _, i := range d.indexes(rJSONCall) {
		call := d.inst.Calls[d.pieces[i].call]
		d.pieces[i].text = "{" + callMember("name", str(call.Name).JSON()) + ", " + arguments(call) + "}"
	}
	return true
}

// sameKey writes a member of a call's arguments a second time, with another value.
func (d *draft) sameKey() bool {
	if !slices.ContainsFunc(d.inst.Calls, func(c Call) bool { return len(c.Input.Members) > 0 }) {
		return false
	}
	return d.rewriteJSON(func(c Call) string {
		members := c.Input.Members
		if len(members) > 0 {
			members = append(members[:len(members):len(members)], Member{pick(d.chance, members).Name, str("other")})
		}
		return callMember("arguments", Value{Kind: '{', Members: members}.JSON())
	})
}

// joinJSON writes all calls in one wrapper.
func (d *draft) joinJSON(before, between, after string) bool {
	at := d.indexes(rJSONCall)
	if len(at) < 2 {
		return false
	}
	var texts []string
	for _, i := range at {
		texts = append(texts, d.pieces[i].text)
	}
	shut := d.pieces[len(d.pieces)-1]
	d.pieces = append(d.pieces[:at[0]:at[0]], piece{role: rJSONCall, text: before + strings.Join(texts, between) + after, space: "\n"}, shut)
	return true
}

// addComma writes a comma before a closing bracket, in a list or an object with content.
func (d *draft) addComma(text string) string {
	at := outsideStrings(text, func(c, before byte) bool { return (c == '}' || c == ']') && before != '{' && before != '[' })
	if len(at) == 0 {
		return text
	}
	i := pick(d.chance, at)
	return text[:i] + "," + text[i:]
}

// addComment writes a comment after a comma.
func (d *draft) addComment(text string) string {
	at := outsideStrings(text, func(c, _ byte) bool { return c == ',' })
	if len(at) == 0 {
		return text
	}
	i := pick(d.chance, at) + 1
	return text[:i] + " // this one\n" + text[i:]
}

// outsideStrings returns the indexes of bytes of JSON, outside of strings, that is accepts. before is the
// last byte before c that is not white space.
func outsideStrings(text string, is func(c, before byte) bool) (at []int) {
	inString, before := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && is(c, before):
			at = append(at, i)
		}
		if c != ' ' && c != '\n' {
			before = c
		}
	}
	return at
}

// unescape replaces one of the escapes in the strings of JSON with its plain character.
func unescape(text string, escape byte, plain string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\':
			b.WriteByte(text[i])
		case text[i+1] == escape:
			b.WriteString(plain)
			i++
		default:
			b.WriteString(text[i : i+2])
			i++
		}
	}
	return b.String()
}
