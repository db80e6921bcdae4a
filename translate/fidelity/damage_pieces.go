package fidelity

import (
	"slices"
	"strings"
)

// This file changes single pieces of a draft. The kinds of damage are combinations of these changes.

// indexes returns the indexes of the pieces with one of the roles.
func (d *draft) indexes(roles ...role) (at []int) {
	for i, p := range d.pieces {
		if slices.Contains(roles, p.role) {
			at = append(at, i)
		}
	}
	return at
}

// anyIndex returns a random index of such a piece, or -1.
func (d *draft) anyIndex(roles ...role) int { return d.anyOf(d.indexes(roles...)) }

// anyOf returns one of the indexes, or -1.
func (d *draft) anyOf(at []int) int {
	if len(at) == 0 {
		return -1
	}
	return pick(d.chance, at)
}

// drop removes the text of the pieces with one of the roles, but keeps the white space after them. Like the
// other methods here, it reports whether anything changed.
func (d *draft) drop(roles ...role) bool {
	at := d.indexes(roles...)
	for _, i := range at {
		d.pieces[i].text = ""
	}
	return len(at) > 0
}

// dropOne removes the text of one random piece with one of the roles.
func (d *draft) dropOne(roles ...role) bool {
	i := d.anyIndex(roles...)
	if i >= 0 {
		d.pieces[i].text = ""
	}
	return i >= 0
}

// insertAfter writes text after one such piece.
func (d *draft) insertAfter(text string, roles ...role) bool {
	i := d.anyIndex(roles...)
	if i >= 0 {
		d.pieces[i].space += text
	}
	return i >= 0
}

// replaceEach changes the text of all such pieces.
func (d *draft) replaceEach(change func(string) string, roles ...role) bool {
	changed := false
	for _, i := range d.indexes(roles...) {
		text := change(d.pieces[i].text)
		changed = changed || text != d.pieces[i].text
		d.pieces[i].text = text
	}
	return changed
}

// start returns the index of the first piece of the calls.
func (d *draft) start() int {
	return slices.IndexFunc(d.pieces, func(p piece) bool { return p.role != rProse })
}

// tags are the roles of all tags.
var tags = []role{rWrapOpen, rInvokeOpen, rNameOpen, rNameClose, rParamsOpen, rParamOpen, rParamClose, rParamsClose, rInvokeClose, rWrapClose}

// skeleton are the roles of all tags except those of parameters.
var skeleton = []role{rWrapOpen, rInvokeOpen, rNameOpen, rNameClose, rParamsOpen, rParamsClose, rInvokeClose, rWrapClose}

// betweenTags are the roles of the tags that white space may follow.
var betweenTags = []role{rWrapOpen, rInvokeOpen, rNameClose, rParamsOpen, rParamClose, rParamsClose, rInvokeClose}

// surround writes text directly before and after the calls.
func (d *draft) surround(before, after string) bool {
	i := d.start()
	d.pieces[i].text = before + d.pieces[i].text
	last := &d.pieces[len(d.pieces)-1]
	last.space += after
	return true
}

// prefixLines writes prefix at the start of each line of the calls.
func (d *draft) prefixLines(prefix string) bool {
	first := d.start()
	text := joined(d.pieces[first:])
	d.pieces = append(d.pieces[:first:first], piece{role: rProse, text: prefix + strings.ReplaceAll(text, "\n", "\n"+prefix)})
	return true
}

// setWritten records the value that the damaged text of a parameter spells.
func (d *draft) setWritten(call int, name string, value Value) {
	if d.asWritten == nil {
		d.asWritten = slices.Clone(d.inst.Calls)
	}
	setMember(&d.asWritten[call], name, value)
}

// setMeant changes the meant value of a parameter, or adds the parameter. The caller changes the text to
// match.
func (d *draft) setMeant(call int, name string, value Value) {
	setMember(&d.inst.Calls[call], name, value)
}

// setMember changes a member of the input of a call, or adds one.
func setMember(call *ToolCall, name string, value Value) {
	members := slices.Clone(call.Input.Members)
	if i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name }); i >= 0 {
		members[i].Value = value
	} else {
		members = append(members, Member{name, value})
	}
	call.Input.Members = members
}

// meant returns the meant value of a parameter, and its schema.
func (d *draft) meant(p piece) (Value, *node) {
	call := d.inst.Calls[p.call]
	v, _ := call.Input.member(p.name)
	return v, call.tool.root.memberNode(p.name)
}

// isPlainString reports whether a piece is a string that is written without any change.
func (d *draft) isPlainString(p piece) bool {
	_, n := d.meant(p)
	return p.role == rValue && n.isPlainString() && !strings.HasPrefix(p.text, "<![CDATA[")
}

// isRepeated reports whether a call has several parameters with the name of this piece.
func (d *draft) isRepeated(p piece) bool {
	n := 0
	for _, q := range d.pieces {
		if q.role == rValue && q.call == p.call && q.name == p.name {
			n++
		}
	}
	return n > 1
}

// anyPlainString returns the index of a value that is a plain string, or -1.
func (d *draft) anyPlainString() int {
	return d.anyOf(slices.DeleteFunc(d.indexes(rValue), func(i int) bool { return !d.isPlainString(d.pieces[i]) }))
}

// anyValueContains reports whether a value, or an input in JSON, contains text. In a damaged call, a reader may
// not be able to tell markup in a value from the markup of the call.
func (d *draft) anyValueContains(text string) bool {
	return slices.ContainsFunc(d.pieces, func(p piece) bool { return (p.role == rValue || p.role == rJSON) && strings.Contains(p.text, text) })
}
