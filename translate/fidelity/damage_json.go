package fidelity

import (
	"regexp"
	"slices"
	"strings"

	"dragoman/translate/format"
)

// This file damages JSON and literals: values, inputs and whole calls.

// changeJSON changes JSON: a value if the format has elements, or a call or its input. If it is then no
// call, the calls before it still count.
func (d *draft) changeJSON(change func(string) string) bool {
	if d.group == inLists && d.holdsACall() {
		return false // outside of a string, a call would begin
	}
	at := d.indexes(rValue, rJSONCall)
	d.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	for _, i := range at {
		p := &d.pieces[i]
		text := strings.TrimSpace(p.text)
		if v, _ := d.meant(*p); p.role == rValue && (d.isRepeated(*p) || len(v.List)+len(v.Members) == 0 || !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{")) {
			continue
		}
		if changed := change(text); changed != text {
			if p.role == rJSONCall {
				d.asWritten = d.inst.Calls[:p.call]
			}
			p.text = changed
			return true
		}
	}
	return false
}

// rewriteInputs replaces the input of each call in JSON.
func (d *draft) rewriteInputs(input func(ToolCall) Value) bool {
	if d.group == inLists && d.holdsACall() {
		return false // as in changeJSON
	}
	for _, i := range d.indexes(rJSONCall) {
		call := d.inst.Calls[d.pieces[i].call]
		call.Input = input(call)
		d.pieces[i].text = d.callText(&call)
	}
	return true
}

// inputs replaces the parameters of every call with text.
func (d *draft) inputs(text func(ToolCall) string) bool {
	var out []piece
	done := -1
	for _, p := range d.pieces {
		switch p.role {
		case rParamOpen, rValue, rParamClose, rJSON:
			if done == p.call {
				continue
			}
			done = p.call
			if last := &out[len(out)-1]; last.space == "" && !strings.HasSuffix(last.text, ">") {
				last.space = "\n" // the newline ends the name of the tool
			}
			p = piece{role: rJSON, call: p.call, text: text(d.inst.Calls[p.call]), space: "\n"}
		}
		out = append(out, p)
	}
	d.pieces = out
	return done >= 0
}

// hermes writes whole calls as JSON, in the format's wrapper. If the format has no wrapper, hermes uses
// <tool_call>.
func (d *draft) hermes() bool {
	var out []piece
	for _, p := range d.pieces {
		switch call := d.inst.Calls[p.call]; p.role {
		case rInvokeOpen:
			text := object(Member{"name", str(call.Name)}, Member{"arguments", call.Input}).in(layout{space: true})
			if d.wrap[0] == "" {
				text = "<tool_call>\n" + text + "\n</tool_call>"
			}
			out = append(out, piece{role: rJSONCall, text: text, space: "\n", call: p.call})
		case rProse, rWrapOpen, rWrapClose:
			out = append(out, p)
		}
	}
	d.pieces = out
	return true
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
	return d.changeOutside(text, ",$0", func(mark string, before byte) bool {
		return (mark == "}" || mark == "]") && before != '{' && before != '['
	})
}

// addComment writes a comment after a comma.
func (d *draft) addComment(text string) string {
	return d.changeOutside(text, "$0 // this one\n", func(mark string, _ byte) bool { return mark == "," })
}

// changeMark changes one mark of a call: one that begins with a byte in set. $0 in to is the mark.
func (d *draft) changeMark(set, to string) bool {
	if d.between == "\n" && len(d.inst.Calls) > 1 {
		return false // in Olmo's format, a stray bracket ends the calls
	}
	return d.changeJSON(func(text string) string {
		return d.changeOutside(text, to, func(mark string, _ byte) bool { return strings.IndexByte(set, mark[0]) >= 0 })
	})
}

// changeOutside changes one mark outside of strings: one that is accepts. before is the last byte before the
// mark that is not white space. $0 in to is the mark.
func (d *draft) changeOutside(text, to string, is func(mark string, before byte) bool) string {
	var at []token
	before := byte(0)
	for _, t := range tokensOf(text) {
		mark := text[t.at:t.end]
		if !t.inString && is(mark, before) {
			at = append(at, t)
		}
		if strings.TrimSpace(mark) != "" {
			before = mark[len(mark)-1]
		}
	}
	if len(at) == 0 {
		return text
	}
	t := pick(d.chance, at)
	return text[:t.at] + strings.ReplaceAll(to, "$0", text[t.at:t.end]) + text[t.end:]
}

// token is a part of JSON or a literal: the text of a string, or a quote or another character outside of
// strings.
type token struct {
	at, end  int
	inString bool
}

// tokensOf returns the parts of JSON or a literal.
func tokensOf(text string) (list []token) {
	quote := ""
	for i := 0; i < len(text); {
		end := i + 1
		for _, q := range []string{format.GemmaQuote, format.GemmaEscape, `"`, "'"} {
			if quote == "" && strings.HasPrefix(text[i:], q) {
				quote, end = q, i+len(q)
				break
			}
		}
		list = append(list, token{i, end, false})
		if i = end; quote == "" {
			continue
		}
		for end < len(text) && !strings.HasPrefix(text[end:], quote) {
			if len(quote) == 1 && text[end] == '\\' {
				end++
			}
			end++
		}
		shut := min(end+len(quote), len(text))
		list = append(list, token{i, min(end, shut), true}, token{min(end, shut), shut, false})
		i, quote = shut, ""
	}
	return slices.DeleteFunc(list, func(t token) bool { return t.at == t.end })
}

// mapOutside changes the text outside of strings, and the text of strings.
func mapOutside(text string, outside, inside func(string) string) string {
	var b strings.Builder
	from := 0
	for _, t := range tokensOf(text) {
		if t.inString {
			b.WriteString(outside(text[from:t.at]) + inside(text[t.at:t.end]))
			from = t.end
		}
	}
	return b.String() + outside(text[from:])
}

// words are the words of JSON and of Python, where they are values.
var words = regexp.MustCompile(`\b(true|false|null|True|False|None)(\s*[],)}])`)

// otherWords writes words of Python in JSON, and the other way round.
func otherWords(text string) string {
	other := strings.NewReplacer("true", "True", "false", "False", "null", "None", "True", "true", "False", "false", "None", "null")
	return mapOutside(text, func(t string) string { return words.ReplaceAllStringFunc(t, other.Replace) }, strings.Clone)
}

// asPython returns JSON with its strings as Python writes them: in single quotes, and with single quotes
// escaped instead of double quotes.
func asPython(text string) string {
	return mapOutside(text, func(t string) string { return strings.ReplaceAll(t, `"`, "'") }, strings.NewReplacer(`\\`, `\\`, `\"`, `"`, "'", `\'`).Replace)
}

// unescape replaces one of the escapes in the strings of JSON with its plain character.
func unescape(text, escape, plain string) string {
	return strings.NewReplacer(`\\`, `\\`, escape, plain).Replace(text)
}

// singleQuotes writes JSON with single quotes.
func (d *draft) singleQuotes() bool {
	if d.isJSON() {
		return (d.group == inBlocks || !d.holdsACall()) && d.changeJSON(asPython)
	}
	return d.changeJSON(d.keepingText(func(t string) string { return strings.ReplaceAll(t, `"`, "'") }))
}

// plainQuotes writes quotes in strings without an escape.
func (d *draft) plainQuotes() bool {
	return d.changeJSON(func(text string) string {
		changed := unescape(text, `\"`, `"`)
		if _, err := ReadValue([]byte(changed)); err == nil {
			return text // it is valid JSON with another meaning, so no reader could notice
		}
		return changed
	})
}

// keepingText returns change. If the format has elements, it records that the changed text may also be read
// as a string.
func (d *draft) keepingText(change func(string) string) func(string) string {
	return func(text string) string {
		text = change(text)
		if !d.isJSON() {
			d.saysSo = func(got, meant Value) bool {
				return got.Equal(str(text)) || inSingleQuotes(got) == inSingleQuotes(meant) // as Python reads the text
			}
		}
		return text
	}
}

// inSingleQuotes returns the JSON of a value, with single quotes instead of double quotes inside its
// strings. It also removes backslashes before slashes, because Python keeps such a backslash in the string.
func inSingleQuotes(v Value) string {
	return strings.NewReplacer(`\"`, "'", `\\/`, "/").Replace(v.JSON())
}

// needsNoInput reports whether there is a call that requires no parameters in a format without an end of
// calls. Such a call may be written without its input, so it is complete after its name.
func (d *draft) needsNoInput() bool {
	return d.group == inLists && d.form.call[0] != "" && d.form.call[2] == "" && slices.ContainsFunc(d.inst.Calls, func(c ToolCall) bool {
		return !slices.ContainsFunc(c.tool.root.props, func(p prop) bool { return p.required })
	})
}

// dropInput removes the input of every call.
func (d *draft) dropInput() bool {
	d.asWritten = slices.Clone(d.inst.Calls)
	for i := range d.asWritten {
		d.asWritten[i].Input = object()
	}
	return d.drop(rJSONCall)
}

// shapeInput writes the input of the only call as the properties of a schema.
func (d *draft) shapeInput() bool {
	required := list()
	for _, m := range d.inst.Calls[0].Input.Members {
		required.List = append(required.List, str(m.Name))
	}
	shaped := object(Member{"type", str("object")}, Member{"properties", d.inst.Calls[0].Input}, Member{"required", required})
	d.asWritten = slices.Clone(d.inst.Calls)
	d.asWritten[0].Input = shaped
	if len(d.inst.Calls) > 1 {
		return false
	}
	if d.isJSON() {
		return d.rewriteInputs(func(ToolCall) Value { return shaped })
	}
	return d.inputs(func(ToolCall) string { return shaped.JSON() })
}

// flatten writes the members of each input beside the name of the tool.
func (d *draft) flatten() bool {
	for _, i := range d.indexes(rJSONCall) {
		p := &d.pieces[i]
		call := d.inst.Calls[p.call]
		if len(call.Input.Members) == 0 || slices.ContainsFunc(call.Input.Members, func(m Member) bool {
			return slices.Contains([]string{"name", "tool_name", "type", "id", "parameters", "tool_call", "result"}, m.Name)
		}) {
			return false // no reader could tell the two apart
		}
		p.text = object(append([]Member{{d.keys[0], str(call.Name)}}, call.Input.Members...)...).in(d.layout)
	}
	return true
}
