package fidelity

import (
	"strings"
)

// This file damages the tags of calls and parameters.

// closedBy closes a value with another tag.
func (d *draft) closedBy(tag string) bool {
	i := d.anyIndex(rParamClose)
	if i < 0 || d.pieces[i].text == tag || d.seemsClosed(i) {
		return false
	}
	d.pieces[i].text = tag
	return true
}

// seemsClosed reports whether the value before a closing tag ends in something that would end it if
// the real tag were missing, so that nobody could tell: a closing tag, or a newline, which would then
// stand before the closing tag of the call.
func (d *draft) seemsClosed(i int) bool {
	text := d.pieces[i-1].text
	if strings.TrimLeft(text, "\r\n") == text && strings.TrimRight(text, "\r\n") != text {
		return true
	}
	text = strings.TrimRight(text, " \t\r\n>")
	return strings.LastIndex(text, "</") > strings.LastIndex(text, ">")
}

// swapClosers swaps the closing tags of two values.
func (d *draft) swapClosers() bool {
	at := d.indexes(rParamClose)
	if d.Attribute || len(at) < 2 || d.anyValueContains("<") {
		return false
	}
	i := d.IntN(len(at) - 1)
	a, b := &d.pieces[at[i]], &d.pieces[at[i+1]]
	a.text, b.text = b.text, a.text
	return a.text != b.text
}

// mixForms writes the parameters of one form inside the call of the other.
func (d *draft) mixForms() bool {
	if d.anyValueContains("</") {
		return false // in the other form, other closing tags end a value
	}
	for i, p := range d.pieces {
		tag := tagOf(p.name)
		switch {
		case p.role == rParamOpen && d.Attribute:
			d.pieces[i].text = "<" + tag + ">"
		case p.role == rParamOpen:
			d.pieces[i].text = `<parameter name="` + tag + `">`
		case p.role == rParamClose && d.Attribute:
			d.pieces[i].text = "</" + tag + ">"
		case p.role == rParamClose:
			d.pieces[i].text = "</parameter>"
		}
	}
	return len(d.indexes(rParamOpen)) > 0
}

// nameAsTag writes <name>…</name> in place of <invoke>.
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

// nameFirst writes the name of the tool before <invoke>.
func (d *draft) nameFirst() bool {
	if d.Attribute {
		return false
	}
	for _, i := range d.indexes(rInvokeOpen) {
		open := d.pieces[i]
		copy(d.pieces[i:], d.pieces[i+1:i+4])
		d.pieces[i+3] = open
	}
	return true
}

// inNamespace returns a tag with a namespace before its name.
func inNamespace(tag string) string {
	if name, ok := strings.CutPrefix(tag, "</"); ok {
		return "</" + namespace + name
	}
	return "<" + namespace + tag[1:]
}

// namespace is one that models write before the names of tags.
const namespace = "antml:" // a namespace that models write before the names of tags

// parameterTags returns the roles of parameters' tags if their names are the format's own.
func (d *draft) parameterTags() []role {
	if d.Attribute {
		return []role{rParamOpen, rParamClose}
	}
	return nil
}
