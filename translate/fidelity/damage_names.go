package fidelity

import (
	"fmt"
	"slices"
	"strings"
)

// This file writes calls that are hard to read although nothing is missing: values that contain names of
// parameters, parameters that the schema does not declare, and parameters named like our tags.

// ownElements replaces the value of a parameter with a document. The document has elements with the
// parameter's name.
func (d *draft) ownElements() bool {
	i := d.anyPlainString()
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	own := p.name
	if d.Attribute && d.oneIn(4) {
		own = "parameter"
	}
	if !isElementName(p.name) || isReserved(p.name) {
		return false
	}
	text := document(d.chance, own)
	d.setMeant(p.call, p.name, str(text))
	if d.pieces[i].text = text; d.manner == nil || !d.manner.bare {
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
	first := rParamsOpen
	if d.Attribute {
		first = rInvokeOpen
	}
	i := d.anyIndex(first, rParamClose)
	if i < 0 {
		return false
	}
	if d.pieces[i+1].name == d.pieces[i].name && d.pieces[i].role == rParamClose {
		return false // within a list
	}
	call, name := d.pieces[i].call, pick(d.chance, undeclaredNames)
	root := d.inst.Calls[call].tool.root
	_, given := d.inst.Calls[call].Input.member(name)
	if root.more != nil || root.declares(name) || given || d.pieces[i+1].role == rJSON || d.anyValueContains("<"+name) || d.anyValueContains("</"+name) ||
		d.Attribute && d.anyValueContains("param") || d.anyValueContains("<arg_") {
		return false
	}
	open, shut := "<"+name+">", "</"+name+">"
	if d.Attribute {
		open, shut = `<parameter name="`+name+`">`, "</parameter>"
	}
	if d.manner != nil {
		open, shut = d.manner.tags(name, true)
	}
	text := pick(d.chance, undeclaredTexts)
	spaces := []string{"", " ", "\n", d.pieces[i].space}
	after := pick(d.chance, spaces)
	d.pieces[i].space = pick(d.chance, spaces)
	d.pieces = slices.Insert(d.pieces, i+1,
		piece{rParamOpen, open, "", call, name}, piece{rValue, text, "", call, name}, piece{rParamClose, shut, after, call, name})
	d.setMeant(call, name, str(text))
	return true
}

// undeclaredNames and undeclaredTexts are names and values of parameters that models add.
var (
	undeclaredNames = []string{"note", "reason", "units", "language", "x", "max_results", "verbose"}
	undeclaredTexts = []string{"Oslo", "5", "true", "null", "a b", "two\nlines", "a < b", `{"a":1}`, "x &lt; y", ""}
)

// ownNames accepts writings that have parameters named like our tags. It changes some of the values so that
// the call seems to continue inside them.
func (d *draft) ownNames() bool {
	found := false
	for i, p := range d.pieces {
		if p.role != rParamOpen || d.Attribute || !slices.Contains(ownTags, p.name) {
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
		if p.role != rParamOpen || d.Attribute || !slices.Contains(ownTags, p.name) {
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

// quotedEnum writes quotes around members of an enum that contain no quotes.
func (d *draft) quotedEnum() bool {
	quote := pick(d.chance, []string{`"`, "'"})
	done := false
	for i, p := range d.pieces {
		if p.role != rValue || d.isRepeated(p) {
			continue
		}
		v, n := d.meant(p)
		if v.Kind != '"' || n.kind != kindEnum || strings.ContainsAny(v.Text, "\"'\n") || looksLikeOther(n, v.Text) {
			continue
		}
		d.pieces[i].text = quote + v.Text + quote
		done = true
	}
	return done
}
