package fidelity

import (
	"slices"
	"strings"
)

// This file damages the tags of calls and parameters.

// doubleInvoke writes each <invoke> twice.
func (d *draft) doubleInvoke() bool {
	return d.replaceEach(func(t string) string { return t + "\n" + t }, rInvokeOpen)
}

// mayBeTwo reports whether a call without parameters has its name in <invoke>. If its <invoke> is written
// twice, it could be two calls, the first of them unclosed.
func (d *draft) mayBeTwo() bool {
	return d.group != inLegacy && d.haveNone()
}

// dropInvokeClose removes the closing tag of a call. It does nothing if the result would look like one call
// with its <invoke> written twice.
func (d *draft) dropInvokeClose() bool {
	i := d.anyIndex(rInvokeClose)
	call := d.pieces[i].call
	if calls := d.inst.Calls; d.group != inLegacy && len(calls[call].Input.Members) == 0 && call+1 < len(calls) && calls[call+1].Name == calls[call].Name {
		return false
	}
	d.pieces[i].text = ""
	return true
}

// closedBy closes a value with another tag. The function tag returns it for the value's own closing tag.
func (d *draft) closedBy(tag func(closer piece) string) bool {
	i := d.anyIndex(rParamClose)
	if i < 0 || d.seemsClosed(i) || d.holdsHalfACall() {
		return false
	}
	before := d.pieces[i].text
	d.pieces[i].text = tag(d.pieces[i])
	return d.pieces[i].text != before
}

// openOne removes the closing tag of one value.
func (d *draft) openOne() bool {
	i := d.anyIndex(rParamClose)
	if i < 0 || d.endIsLost(i) || d.holdsHalfACall() {
		return false
	}
	d.pieces[i].text = ""
	return true
}

// openAll removes the closing tags of all values.
func (d *draft) openAll() bool {
	return !slices.ContainsFunc(d.indexes(rParamClose), d.endIsLost) && !d.holdsHalfACall() && d.drop(rParamClose)
}

// holdsHalfACall reports whether a value may contain only one tag of a pair of call tags. If the call also
// lacks a tag, the two halves can form one complete value:
//
//	<parameter name="a">1
//	<parameter name="b"></parameter></parameter>
func (d *draft) holdsHalfACall() bool {
	if slices.ContainsFunc(append(d.closers(), "parameter"), func(name string) bool { return d.anyValueContains("</" + name) }) {
		return true
	}
	return slices.ContainsFunc(openers, d.anyValueContains)
}

// holdsACall reports whether a value or an input contains the start of a call or of a parameter, in any
// format. If the call around it becomes text, this start begins a call.
func (d *draft) holdsACall() bool {
	return slices.ContainsFunc(d.pieces, func(p piece) bool {
		return (p.role == rValue || p.role == rJSON || p.role == rJSONCall) &&
			slices.ContainsFunc(openers, func(o string) bool { return strings.Contains(p.text, o) })
	})
}

// openers are the starts of calls, wrappers and parameters in all formats with tags or markers.
var openers = func() []string {
	list := []string{"<invoke", "<parameter", "<function_calls"}
	for _, name := range formats {
		for _, f := range forms[name] {
			if f.group&makers != 0 {
				list = append(list, f.opener())
			}
			if wrapper := strings.TrimSpace(f.wrap[0]); f.group&makers != 0 && wrapper != "" {
				list = append(list, wrapper)
			}
		}
	}
	return list
}()

// endIsLost reports whether the end of a value is unclear without its closing tag, which is piece i: the
// value seems closed without it, or ends with white space of its own.
func (d *draft) endIsLost(i int) bool {
	text := d.pieces[i-1].text
	if strings.TrimLeft(text, "\r\n") != text && !d.spelling().Bare { // the value is on lines of its own
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return d.seemsClosed(i) || strings.TrimRight(text, " \t\r\n") != text
}

// seemsClosed reports whether a value contains text that would end it if its closing tag, piece i, was
// missing. There are two cases. The text is a copy of the closing tag. Or the value ends with another
// closing tag, with a newline before the closing tag of the call, or with an opening tag (ours or a
// parameter's) that the closing tag of the call would close.
func (d *draft) seemsClosed(i int) bool {
	text, closer := d.pieces[i-1].text, strings.TrimSuffix(strings.TrimSpace(d.pieces[i].text), ">")
	if strings.TrimLeft(text, "\r\n") == text && strings.TrimRight(text, "\r\n") != text || strings.Contains(text, closer) {
		return true
	}
	if strings.HasSuffix(strings.TrimRight(text, " \t\r\n"), "-->") { // a comment may come between parameters
		text = text[:max(strings.LastIndex(text, "<!--"), 0)]
	}
	text = strings.TrimRight(text, " \t\r\n>")
	at := strings.LastIndexByte(text, '<')
	return at > strings.LastIndexByte(text, '>') && (strings.HasPrefix(text[at:], "</") || d.group == inTags || slices.Contains(reserved, strings.ToLower(text[at+1:])) || d.opensParameter(text[at+1:], d.pieces[i].call))
}

// opensParameter reports whether a tag belongs to a parameter that the call has, or that its tool declares.
func (d *draft) opensParameter(tag string, call int) bool {
	c := d.inst.Calls[call]
	return slices.ContainsFunc(c.Input.Members, func(m Member) bool { return tagOf(m.Name) == tag }) ||
		slices.ContainsFunc(c.tool.root.props, func(p prop) bool { return tagOf(p.name) == tag })
}

// swapClosers swaps the closing tags of two values in one call.
func (d *draft) swapClosers() bool {
	at := d.indexes(rParamClose)
	if len(at) < 2 || d.anyValueContains("<") {
		return false
	}
	i := d.IntN(len(at) - 1)
	a, b := &d.pieces[at[i]], &d.pieces[at[i+1]]
	a.text, b.text = b.text, a.text
	return a.text != b.text && a.call == b.call
}

// areDeclared reports whether all parameters that are elements are declared. If a closing tag is missing or
// wrong, the tag of an undeclared parameter may be markup in the value before it.
func (d *draft) areDeclared() bool {
	return d.group != inLegacy || !slices.ContainsFunc(d.pieces, func(p piece) bool {
		return p.role == rParamOpen && !d.inst.Calls[p.call].tool.root.declares(p.name)
	})
}

// haveOthers reports whether there are undeclared parameters, and all of them have names other than our
// tags. With such names, no reader could tell their tags from the tags of the call.
func (d *draft) haveOthers() bool {
	return !d.areDeclared() && !slices.ContainsFunc(d.pieces, func(p piece) bool {
		return p.role == rParamOpen && slices.Contains(reserved, strings.ToLower(p.name)) && !d.inst.Calls[p.call].tool.root.declares(p.name)
	})
}

// haveNone reports whether a call has no parameters.
func (d *draft) haveNone() bool {
	return slices.ContainsFunc(d.inst.Calls, func(c ToolCall) bool { return len(c.Input.Members) == 0 })
}

// mixForms writes the parameters of the legacy form inside a call of the attribute form, or the other way
// round.
func (d *draft) mixForms() bool {
	if d.anyValueContains("</") || d.anyValueContains("<parameter") {
		return false // in the other form, these tags end a value
	}
	if slices.ContainsFunc(d.pieces, func(p piece) bool { return isReserved(p.name) && !d.inst.Calls[p.call].tool.root.declares(p.name) }) {
		return false // as elements, they would be tags of the call
	}
	first := d.indexes(rParamOpen)
	if d.group == inTags {
		if len(first) == 0 || d.holdsACall() || d.asked != d.form.name {
			return false // without its own tags, the call may be text, or in a format that has layout and no CDATA sections
		}
		d.asWritten = d.inst.Calls[:d.pieces[first[0]].call] // without a tag after its name, the text is no call
	}
	for i, p := range d.pieces {
		tag := tagOf(p.name)
		switch {
		case p.role == rParamOpen && d.group != inLegacy:
			d.pieces[i].text = "<" + tag + ">"
		case p.role == rParamOpen:
			d.pieces[i].text = `<parameter name="` + tag + `">`
		case p.role == rParamClose && d.group != inLegacy:
			d.pieces[i].text = "</" + tag + ">"
		case p.role == rParamClose:
			d.pieces[i].text = "</parameter>"
		}
	}
	return len(first) > 0
}

// nameAsTag writes <name>…</name> instead of <invoke>.
func (d *draft) nameAsTag() bool {
	for i, p := range d.pieces {
		name := d.inst.Calls[p.call].Name
		switch p.role {
		case rInvokeOpen:
			d.pieces[i].text = "<" + name + ">"
		case rInvokeClose:
			d.pieces[i].text = "</" + name + ">"
		case rNameOpen, rName, rNameClose:
			d.pieces[i].text, d.pieces[i].space = "", ""
		}
	}
	return true
}

// nameFirst writes the tool's name before <invoke>.
func (d *draft) nameFirst() bool {
	for _, i := range d.indexes(rInvokeOpen) {
		open := d.pieces[i]
		copy(d.pieces[i:], d.pieces[i+1:i+4])
		d.pieces[i+3] = open
	}
	return true
}

// singular writes the wrapper as <function_call>, either once around all calls or once around each.
func (d *draft) singular() bool {
	const open, shut = "<function_call>", "</function_call>"
	if d.oneIn(2) {
		return d.replaceEach(func(string) string { return open }, rWrapOpen) && d.replaceEach(func(string) string { return shut }, rWrapClose)
	}
	d.drop(rWrapOpen, rWrapClose)
	return d.replaceEach(func(t string) string { return open + "\n" + t }, rInvokeOpen) && d.replaceEach(func(t string) string { return t + "\n" + shut }, rInvokeClose)
}

// inNamespace returns a tag with a namespace before its name.
func inNamespace(tag string) string {
	if name, ok := strings.CutPrefix(tag, "</"); ok {
		return "</" + namespace + name
	}
	return "<" + namespace + tag[1:]
}

// namespace is a namespace that models write before the names of tags.
const namespace = "antml:"

// hasOwnNames reports whether a parameter, declared or written, has the name of a tag of the format. In a
// damaged call, no reader could tell the two apart.
func (d *draft) hasOwnNames() bool {
	isOwn := func(name string) bool {
		return slices.ContainsFunc(d.closers(), func(own string) bool { return strings.EqualFold(name, own) })
	}
	return slices.ContainsFunc(d.inst.Calls, func(c ToolCall) bool {
		return slices.ContainsFunc(c.tool.root.props, func(p prop) bool { return isOwn(p.name) }) ||
			slices.ContainsFunc(c.Input.Members, func(m Member) bool { return isOwn(m.Name) })
	})
}

// swapEnds swaps the closing tags of the last call and of its wrapper.
func (d *draft) swapEnds() bool {
	calls, wraps := d.indexes(rInvokeClose), d.indexes(rWrapClose)
	a, b := &d.pieces[calls[len(calls)-1]], &d.pieces[wraps[len(wraps)-1]]
	a.text, b.text = b.text, a.text
	return true
}

// swapLast swaps the closing tags of a call and of its last value.
func (d *draft) swapLast() bool {
	i := d.anyIndex(rInvokeClose)
	a, b := &d.pieces[i-1], &d.pieces[i]
	if a.role != rParamClose || d.endIsLost(i-1) || d.holdsHalfACall() {
		return false
	}
	a.text, b.text = b.text, a.text
	d.saysSo = func(got, _ Value) bool {
		return strings.Contains(got.JSON(), strings.TrimSpace(a.text))
	}
	return true
}

// dropValueOpen removes the opening tag of a value, in formats where values have tags of their own.
func (d *draft) dropValueOpen() bool {
	i := d.anyIndex(rParamOpen)
	if i < 0 || strings.TrimLeft(d.pieces[i+1].text, " \t\r\n") != d.pieces[i+1].text || d.holdsHalfACall() {
		return false // the white space around the tag would mix with the white space of the value
	}
	d.pieces[i].text = d.pieces[i].text[:strings.LastIndexByte(d.pieces[i].text, '<')]
	d.saysSo = startsPadded
	return true
}
