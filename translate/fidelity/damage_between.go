package fidelity

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// This file damages the text between two calls.

// damageBetweenCalls are the kinds of damage between a call and the next one. The later calls must be read, or an outcome
// must say that they are not.
var damageBetweenCalls = []damage{
	{"end of a call misspelt before another call", "The next call ends it.", elements, hasEnd, func(d *draft) bool {
		return d.endBetween(false, func(closer string) string { return pick(d.chance, misspelled)(closer) })
	}},
	{"another closing tag before another call", "The next call ends it.", elements, hasEnd, func(d *draft) bool {
		return d.endBetween(false, func(string) string { return pick(d.chance, otherClosers) })
	}},
	{"a word for the end of a call before another call", "The next call ends it, or it is not whole.", elements, hasEnd, func(d *draft) bool {
		return d.endBetween(false, func(string) string { return pick(d.chance, endWords) })
	}},
	{"a value and its call not closed before another call", "The next call ends both.", elements, nil, func(d *draft) bool {
		return d.endBetween(true, func(string) string { return "" })
	}},
	{"another closing tag for a value and its call before another call", "The next call ends both.", elements, nil, func(d *draft) bool {
		return d.endBetween(true, func(string) string { return pick(d.chance, otherClosers) })
	}},
}

// misspelled are the ways in which models misspell a closing tag.
var misspelled = []func(closer string) string{
	func(t string) string { return strings.Replace(t, ">", "s>", 1) },
	func(t string) string { return strings.Replace(t, "</", `<\/`, 1) },
	func(t string) string { return strings.Replace(t, "</", "<", 1) },
	func(t string) string { return strings.Replace(t, "_", "", 1) },
	func(t string) string { return strings.Replace(t, ">", "", 1) },
	func(t string) string { // without its end
		n := len(t) * 2 / 3
		for !utf8.RuneStart(t[n]) {
			n--
		}
		return t[:n]
	},
}

// otherClosers are closing tags that no format, or another format, has.
var otherClosers = []string{"</x>", "</function>", "</tool_cal>", "</tool_calls>", "</invoke>", "</tool_call>", "</function_call>", "</_call>", "</call>"}

// endWords are texts in place of a closing tag.
var endWords = []string{"ok", "}", "Done.", "]", "END"}

// endBetween replaces the text between a call and the next one: the end of the call, of its parameters and of their
// wrapper. values: and the closing tag of its last value. The function end returns the text for the end of the call.
func (d *draft) endBetween(values bool, end func(closer string) string) bool {
	calls := len(d.inst.Calls)
	if calls < 2 || d.holdsHalfACall() || d.holdsACall() {
		return false
	}
	k := d.IntN(calls - 1)
	at := slices.DeleteFunc(d.indexes(rParamsClose, rInvokeClose, rListClose, rWrapClose), func(i int) bool { return d.pieces[i].call != k })
	if values {
		i := 0
		if len(at) > 0 {
			i = at[0] - 1
		}
		if d.pieces[i].role != rParamClose || d.endIsLost(i) || !d.areDeclared() {
			return false
		}
		at = append([]int{i}, at...)
	}
	if len(at) == 0 || len(d.inst.Calls[k].Input.Members) == 0 { // the name of a tool alone may be text
		return false
	}
	closer := strings.TrimSpace(d.pieces[at[len(at)-1]].text)
	text := end(closer)
	if text == closer {
		return false
	}
	for _, i := range at {
		d.pieces[i].text, d.pieces[i].space = "", ""
	}
	first, last := &d.pieces[at[0]], &d.pieces[at[len(at)-1]]
	if first.text = text; values || d.oneIn(2) {
		last.space = "\n"
	}
	d.lostNamed = true
	return true
}
