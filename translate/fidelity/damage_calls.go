package fidelity

import (
	"fmt"
	"slices"
	"strings"

	"dragoman/translate"
)

// This file damages whole calls: their names, their parameters and their form.

// twice writes a parameter a second time, with another value.
func (d *draft) twice() bool {
	i := d.anyIndex(rParamClose)
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	at := slices.IndexFunc(d.pieces, func(q piece) bool { return q.role == rParamOpen && q.call == p.call && q.name == p.name })
	if d.pieces[at+2].role != rParamClose || slices.ContainsFunc(d.pieces[at+3:], func(q piece) bool { return q.call == p.call && q.name == p.name }) {
		return false // the parameter is already there twice
	}
	if !d.Attribute && strings.Contains(d.pieces[at+1].text, "<"+tagOf(p.name)) {
		return false // the second one could be an element of the first
	}
	last := at
	for j, q := range d.pieces {
		if q.role == rParamClose && q.call == p.call {
			last = j
		}
	}
	if last == at+2 {
		return false // two in a row would be text of one value, or a list
	}
	again := []piece{d.pieces[at], d.pieces[at+1], d.pieces[at+2]}
	again[1].text = "other"
	d.pieces = slices.Insert(d.pieces, last+1, again...)
	return true
}

// cutName splits a parameter's tag around the name.
func cutName(tag, name string) (before, found, after string) {
	i := strings.LastIndex(tag, name)
	if i < 0 {
		return tag, "", ""
	}
	return tag[:i], name, tag[i+len(name):]
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
	if d.manner != nil {
		d.pieces[i].text, _ = d.manner.tags(upper, true)
	} else {
		for _, j := range []int{i, i + 2} {
			if j > i && d.Attribute {
				break // the closing tag has no name
			}
			open, name, shut := cutName(d.pieces[j].text, p.name)
			d.pieces[j].text = open + strings.ToUpper(name) + shut
		}
	}
	d.asWritten = slices.Clone(d.inst.Calls)
	members := slices.Clone(d.asWritten[p.call].Input.Members)
	for j := range members {
		if members[j].Name == p.name {
			members[j].Name = upper
		}
	}
	d.asWritten[p.call].Input.Members = members
	return true
}

// otherTool makes a call to a tool that the request does not offer, with only strings as parameters.
func (d *draft) otherTool() bool {
	if d.manner != nil && d.asked != d.manner.format {
		return false // its tag may belong to a format with a wrapper, and without the wrapper the call is text
	}
	i := d.anyIndex(rInvokeOpen)
	call := d.pieces[i].call
	for _, p := range d.pieces {
		if p.call == call && (p.role == rJSON || p.role == rValue && !d.isPlainString(p)) {
			return false
		}
	}
	for j, p := range d.pieces {
		if p.call == call && (p.role == rInvokeOpen || p.role == rName) {
			if before, name, after := cutName(p.text, d.inst.Calls[call].Name); name != "" {
				d.pieces[j].text = before + "never_offered" + after
			}
		}
	}
	d.asWritten = slices.Clone(d.inst.Calls)
	d.asWritten[call].Name = "never_offered"
	return true
}

// inputs replaces the parameters of every call with text.
func (d *draft) inputs(text func(Call) string) bool {
	var out []piece
	done := -1
	for _, p := range d.pieces {
		switch p.role {
		case rParamOpen, rValue, rParamClose, rJSON:
			if done != p.call {
				done = p.call
				if last := &out[len(out)-1]; last.space == "" && !strings.HasSuffix(last.text, ">") {
					last.space = "\n" // the newline ends the name of the tool
				}
				out = append(out, piece{role: rJSON, call: p.call, text: text(d.inst.Calls[p.call]), space: "\n"})
			}
		default:
			out = append(out, p)
		}
	}
	d.pieces = out
	return done >= 0
}

// jsonInput writes the parameters as JSON.
func (d *draft) jsonInput() bool {
	return d.inputs(func(c Call) string { return string(c.Input.append(nil, layout{space: true, slash: d.oneIn(2)}, 0)) })
}

// fencedInput writes the parameters as JSON in a code fence.
func (d *draft) fencedInput() bool {
	return d.inputs(func(c Call) string { return "```json\n" + c.Input.JSON() + "\n```" })
}

// jsonCall writes whole calls as JSON, in the wrapper.
func (d *draft) jsonCall() bool {
	first := d.indexes(rWrapOpen)[0]
	var b strings.Builder
	for _, c := range d.inst.Calls {
		fmt.Fprintf(&b, `{"name": "%s", "arguments": %s}`+"\n", c.Name, c.Input.JSON())
	}
	d.pieces = append(d.pieces[:first+1:first+1], piece{text: b.String()}, piece{text: translate.CallsEnd})
	return true
}
