package fidelity

import (
	"fmt"
	"slices"
	"strings"
)

// This file damages names, adds and repeats parameters, and writes values that contain names of parameters.

// repeatOne writes a parameter a second time, with another value.
func (d *draft) repeatOne() bool {
	i := d.anyIndex(rParamClose)
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	at := slices.IndexFunc(d.pieces, func(q piece) bool { return q.role == rParamOpen && q.call == p.call && q.name == p.name })
	if d.pieces[at+2].role != rParamClose || slices.ContainsFunc(d.pieces[at+3:], func(q piece) bool { return q.call == p.call && q.name == p.name }) {
		return false // the parameter is already there twice
	}
	if d.group == inLegacy && strings.Contains(d.pieces[at+1].text, "<"+tagOf(p.name)) {
		return false // the second one could be an element of the first
	}
	last := at
	for j, q := range d.pieces {
		if q.role == rParamClose && q.call == p.call {
			last = j
		}
	}
	if last == at+2 || d.holdsHalfACall() || d.group == inLegacy && isReserved(p.name) {
		return false // two in a row would be text of one value, or a list
	}
	again := []piece{d.pieces[at], d.pieces[at+1], d.pieces[at+2]}
	again[1].text = "other"
	d.pieces = slices.Insert(d.pieces, last+1, again...)
	return true
}

// rename changes the name of the tool of a call, where the call has it. It returns false if the name is not
// certain to be there.
func (d *draft) rename(call int, change func(string) string) bool {
	name := d.inst.Calls[call].Name
	for i := range d.pieces {
		p := &d.pieces[i]
		if p.call == call && (p.role == rName || p.role == rInvokeOpen && d.group != inLegacy) {
			at := strings.LastIndex(p.text, name)
			p.text = p.text[:at] + change(name) + p.text[at+len(name):]
		} else if p.call == call && p.role == rJSONCall && d.form.call[0] == "" {
			p.text = strings.Replace(p.text, name, change(name), 1)
		}
	}
	return !d.swapped && change(name) != name
}

// upperNames writes names of tools in capitals.
func (d *draft) upperNames() bool {
	changed := false
	for i := range d.inst.Calls {
		changed = d.rename(i, strings.ToUpper) || changed
	}
	return changed
}

// otherCase writes the name of one parameter in capitals.
func (d *draft) otherCase() bool {
	i := d.anyIndex(rParamOpen)
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	upper := strings.ToUpper(p.name)
	root := d.inst.Calls[p.call].tool.root
	if !d.isPlainString(d.pieces[i+1]) || !isElementName(p.name) || upper == p.name || root.more != nil || root.declares(upper) {
		return false
	}
	d.pieces[i].text, d.pieces[i+2].text = d.tags(upper, true)
	d.asWritten = slices.Clone(d.inst.Calls)
	members := slices.Clone(d.asWritten[p.call].Input.Members)
	members[slices.IndexFunc(members, func(m Member) bool { return m.Name == p.name })].Name = upper
	d.asWritten[p.call].Input.Members = members
	return true
}

// otherTool makes a call to a tool that the request does not offer, with only strings as parameters.
func (d *draft) otherTool() bool {
	if d.asked != d.form.name {
		return false // its tag may belong to a format with a wrapper, and without the wrapper the call is text
	}
	call := d.pieces[d.anyIndex(rInvokeOpen)].call
	for _, p := range d.pieces {
		if p.call == call && (p.role == rJSON || p.role == rValue && !d.isPlainString(p)) {
			return false
		}
	}
	d.asWritten = slices.Clone(d.inst.Calls)
	d.asWritten[call].Name = "never_offered"
	return d.rename(call, func(string) string { return "never_offered" })
}

// renameAssigned writes <function name="f"> instead of <function=f>: before is the text before the name.
func (d *draft) renameAssigned(before string) bool {
	return d.replaceEach(func(t string) string {
		tag, after, _ := strings.Cut(t, "=")
		name, rest, _ := strings.Cut(after, ">")
		return tag + before + name + `">` + rest
	}, rInvokeOpen, rParamOpen)
}

// otherID writes the id of each call in another form that models have used.
func (d *draft) otherID() bool {
	form := pick(d.chance, []string{"NAME:0", " functions.NAME:0 ", "functions_NAME_0", "functionsNAME0", "NAME"})
	for _, i := range d.indexes(rInvokeOpen) {
		p := &d.pieces[i]
		before, rest, _ := strings.Cut(p.text, ">")
		_, after, _ := strings.Cut(rest, "<")
		p.text = before + ">" + strings.Replace(form, "NAME", d.inst.Calls[p.call].Name, 1) + "<" + after
	}
	return true
}

// ownElements replaces the value of a parameter with a document. The document has elements with the
// parameter's name.
func (d *draft) ownElements() bool {
	i := d.anyPlainString()
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	own := p.name
	if d.group != inLegacy && d.oneIn(4) {
		own = "parameter"
	}
	if !isElementName(p.name) || isReserved(p.name) {
		return false
	}
	text := document(d.chance, own)
	d.setMeant(p.call, p.name, str(text))
	if d.pieces[i].text = text; !d.spelling().Bare {
		d.pieces[i].text = lines(d.chance, text)
	}
	return true
}

// document makes markup with one or more elements named own, nested and side by side. All elements are
// closed.
func document(c chance, own string) string {
	var b strings.Builder
	b.WriteString(pick(c, []string{"", "", "See: ", "<!DOCTYPE html>\n"}))
	writeElement(c, &b, pick(c, []string{own, "html", "div"}), own, 0)
	for c.oneIn(3) {
		b.WriteString(pick(c, betweenElements))
		writeElement(c, &b, own, own, 0)
	}
	b.WriteString(pick(c, []string{"", "", "\n", " That is all."}))
	return b.String()
}

// betweenElements are texts between the elements of a document.
var betweenElements = []string{"", "", " ", "\n", "\n  ", "\n\n", "x", " and ", "a < b", "<br/>", "5"}

// writeElement writes an element of a document. depth is the number of elements around it. The outermost
// element contains an element named own.
func writeElement(c chance, b *strings.Builder, name, own string, depth int) {
	b.WriteString("<" + name + pick(c, []string{"", "", "", ` class="x"`}) + ">")
	n := c.IntN(4)
	forced := -1
	if depth == 0 {
		n++
		forced = c.IntN(n)
	}
	for i := range n {
		b.WriteString(pick(c, betweenElements))
		child := pick(c, []string{own, own, "p", "title", "body", "li"})
		if i == forced {
			child = own
		}
		switch {
		case depth >= 3 || c.oneIn(4):
			b.WriteString(pick(c, []string{"<" + own + "/>", "<" + child + "></" + child + ">", "<" + child + ">x</" + child + ">"}))
		default:
			writeElement(c, b, child, own, depth+1)
		}
	}
	b.WriteString(pick(c, betweenElements) + "</" + name + ">")
}

// undeclared adds parameters that no schema declares. It adds them only to calls of tools whose schema
// neither allows nor forbids more parameters.
func (d *draft) undeclared() bool {
	done := false
	for range 1 + d.IntN(3) {
		done = d.undeclaredOne() || done
	}
	return done
}

// undeclaredOne adds one such parameter anywhere, on the line of its neighbours or on its own line.
func (d *draft) undeclaredOne() bool {
	first := rInvokeOpen
	if d.group == inLegacy {
		first = rParamsOpen
	}
	i := d.anyIndex(first, rParamClose)
	if i < 0 {
		return false
	}
	if d.pieces[i+1].name == d.pieces[i].name && d.pieces[i].role == rParamClose {
		return false // within a list
	}
	call, name := d.pieces[i].call, pick(d.chance, addedNames)
	root := d.inst.Calls[call].tool.root
	_, given := d.inst.Calls[call].Input.member(name)
	if root.more != nil || root.declares(name) || given || d.pieces[i+1].role == rJSON || d.anyValueContains("<"+name) || d.anyValueContains("</"+name) ||
		d.group != inLegacy && d.anyValueContains("param") || d.anyValueContains("<arg_") {
		return false
	}
	open, shut := d.tags(name, true)
	text := pick(d.chance, addedTexts)
	spaces := []string{"", " ", "\n", d.pieces[i].space}
	after := pick(d.chance, spaces)
	d.pieces[i].space = pick(d.chance, spaces)
	d.pieces = slices.Insert(d.pieces, i+1,
		piece{rParamOpen, open, "", call, name}, piece{rValue, text, "", call, name}, piece{rParamClose, shut, after, call, name})
	d.setMeant(call, name, str(text))
	return true
}

// addedNames and addedTexts are names and values of parameters that models add.
var (
	addedNames = []string{"note", "reason", "units", "language", "x", "max_results", "verbose"}
	addedTexts = []string{"Oslo", "5", "true", "null", "a b", "two\nlines", "a < b", `{"a":1}`, "x &lt; y", ""}
)

// ownNames accepts writings that have parameters named like our tags. It changes some of the values so that
// the call seems to continue inside them.
func (d *draft) ownNames() bool {
	found := false
	for i, p := range d.pieces {
		if p.role != rParamOpen || !slices.Contains(ownTags, p.name) {
			continue
		}
		found = true
		if d.isPlainString(d.pieces[i+1]) && d.oneIn(3) {
			text := pick(d.chance, []string{"", "<b>bold</b>", `{"a":1}`, "<tool_name>x</tool_name>", "<invoke>x</invoke>", "<result>x</result>", "x"})
			d.pieces[i+1].text = text
			d.setMeant(p.call, p.name, str(text))
		}
	}
	return found
}

// percentNames writes parameters that are named like our tags with %XX in their names. Earlier prompts
// showed them so.
func (d *draft) percentNames() bool {
	done := false
	for i, p := range d.pieces {
		if p.role != rParamOpen || !slices.Contains(ownTags, p.name) {
			continue
		}
		tag := fmt.Sprintf("%%%02X%s", p.name[0], p.name[1:])
		d.pieces[i].text, d.pieces[i+2].text = "<"+tag+">", "</"+tag+">"
		done = true
	}
	return done
}

// ownTags are names of properties that are also names of our tags.
var ownTags = []string{"parameters", "parameter", "invoke", "function_calls", "function_results", "tool_name", "tool_call", "result", "stdout", "error", "name"}

// inAttributes writes the parameters of a call as attributes of its tag.
func (d *draft) inAttributes() bool {
	open := &d.pieces[d.anyIndex(rInvokeOpen)]
	attributes := ""
	for i := range d.pieces {
		p := &d.pieces[i]
		if p.call != open.call || p.role != rParamOpen && p.role != rValue && p.role != rParamClose && p.role != rJSON {
			continue
		}
		if p.role == rJSON || !isElementName(p.name) || p.name == "name" || p.name == "id" || p.role == rValue && (p.text == "" || p.text == d.inst.Calls[p.call].Name) || p.role == rValue && (!d.isPlainString(*p) || d.isRepeated(*p) || strings.ContainsAny(p.text, "\"<>&\r\n")) {
			return false
		}
		if p.role == rValue {
			attributes += " " + p.name + `="` + p.text + `"`
		}
		p.text, p.space = "", ""
	}
	open.text = strings.TrimSuffix(open.text, ">") + attributes + ">"
	return attributes != ""
}

// namesFirst writes all names of parameters before all values, in formats where values have tags of their own.
func (d *draft) namesFirst() bool {
	at := d.indexes(rParamOpen)
	if len(at) < 2 {
		return false
	}
	call, names := d.pieces[at[0]].call, ""
	for _, i := range at {
		p := &d.pieces[i]
		value := strings.LastIndexByte(p.text, '<')
		if p.call != call || d.isRepeated(d.pieces[i+1]) || !d.inst.Calls[call].tool.root.declares(p.name) {
			return false
		}
		names += p.text[:value]
		p.text = p.text[value:]
	}
	d.pieces[at[0]].text = names + d.pieces[at[0]].text
	return !d.holdsHalfACall()
}
