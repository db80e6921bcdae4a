package fidelity

import (
	"slices"
	"strings"
)

// This file changes single pieces of a draft. The kinds of damage are put together from these changes.

// indexes returns the indexes of the pieces that have one of roles.
func (d *draft) indexes(roles ...role) (at []int) {
	for i, p := range d.pieces {
		if slices.Contains(roles, p.role) {
			at = append(at, i)
		}
	}
	return at
}

// anyIndex returns one of those indexes, or -1.
func (d *draft) anyIndex(roles ...role) int {
	at := d.indexes(roles...)
	if len(at) == 0 {
		return -1
	}
	return pick(d.chance, at)
}

// drop drops the text of the pieces that have one of roles, but not the white space after them. Like
// the other methods here, it reports whether anything changed.
func (d *draft) drop(roles ...role) bool {
	at := d.indexes(roles...)
	for _, i := range at {
		d.pieces[i].text = ""
	}
	return len(at) > 0
}

// dropOne drops the text of one such piece.
func (d *draft) dropOne(roles ...role) bool {
	i := d.anyIndex(roles...)
	if i < 0 {
		return false
	}
	d.pieces[i].text = ""
	return true
}

// insertAfter writes text after one such piece.
func (d *draft) insertAfter(text string, roles ...role) bool {
	i := d.anyIndex(roles...)
	if i < 0 {
		return false
	}
	d.pieces[i].space += text
	return true
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

// start returns the index of the piece with which the calls begin.
func (d *draft) start() int {
	return slices.IndexFunc(d.pieces, func(p piece) bool { return p.role != rProse })
}

// tags are the roles of all tags.
var tags = []role{rWrapOpen, rInvokeOpen, rNameOpen, rNameClose, rParamsOpen, rParamOpen, rParamClose, rParamsClose, rInvokeClose, rWrapClose}

// skeleton are the roles of all tags that are not parameters'.
var skeleton = []role{rWrapOpen, rInvokeOpen, rNameOpen, rNameClose, rParamsOpen, rParamsClose, rInvokeClose, rWrapClose}

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

// setWritten notes the value that the text of a parameter spells now.
func (d *draft) setWritten(call int, name string, value Value) {
	if d.asWritten == nil {
		d.asWritten = slices.Clone(d.inst.Calls)
	}
	setMember(&d.asWritten[call], name, value)
}

// setMeant changes the value that was meant for a parameter, or adds the parameter: the text of the
// draft says so, too.
func (d *draft) setMeant(call int, name string, value Value) {
	setMember(&d.inst.Calls[call], name, value)
}

// setMember changes a member of the input of a call, or adds one.
func setMember(call *Call, name string, value Value) {
	members := slices.Clone(call.Input.Members)
	if i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name }); i >= 0 {
		members[i].Value = value
	} else {
		members = append(members, Member{name, value})
	}
	call.Input.Members = members
}

// meant returns the value of a parameter as it was meant, and its schema.
func (d *draft) meant(p piece) (Value, *node) {
	call := d.inst.Calls[p.call]
	v, _ := call.Input.member(p.name)
	return v, call.tool.root.memberNode(p.name)
}

// isPlainString reports whether a piece is a string that is written as it is.
func (d *draft) isPlainString(p piece) bool {
	_, n := d.meant(p)
	return p.role == rValue && n.kind == kindString && n.nullable == "" && !strings.HasPrefix(p.text, "<![CDATA[")
}

// isRepeated reports whether a piece is one of several parameters of one name.
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
	var at []int
	for i, p := range d.pieces {
		if p.role == rValue && d.isPlainString(p) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return -1
	}
	return pick(d.chance, at)
}

// inSingleQuotes returns the JSON of a value with single quotes in its strings in place of others, and
// without the backslash before a slash, which Python leaves there.
func inSingleQuotes(v Value) string {
	return strings.NewReplacer(`\"`, "'", `\\/`, "/").Replace(v.JSON())
}

// asPython returns JSON with its strings as Python writes them: in single quotes, which are escaped in them
// in place of the others.
func asPython(text string) string {
	var b strings.Builder
	for i, inString := 0, false; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
			b.WriteByte('\'')
		case inString && c == '\'':
			b.WriteString(`\'`)
		case inString && c == '\\':
			if i++; text[i] != '"' {
				b.WriteByte(c)
			}
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// keepingText returns change, and notes that a changed text may be kept as a string.
func (d *draft) keepingText(change func(string) string) func(string) string {
	return func(text string) string {
		text = change(text)
		d.saysSo = func(got, meant Value) bool {
			return got.Equal(str(text)) || inSingleQuotes(got) == inSingleQuotes(meant) // as Python reads it
		}
		return text
	}
}

// anyValueContains reports whether a value contains text. Markup in a value may not be told from
// that of the call once the call is damaged.
func (d *draft) anyValueContains(text string) bool {
	return slices.ContainsFunc(d.pieces, func(p piece) bool { return p.role == rValue && strings.Contains(p.text, text) })
}
