package fidelity

import (
	"slices"
	"strings"
	"unicode/utf8"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// This file damages the text around and between calls, and cuts it off.

// proseBetween writes prose between two parameters.
func (d *draft) proseBetween() bool {
	var at []int
	for _, i := range d.indexes(rParamClose) {
		if d.pieces[i+1].role == rParamOpen {
			at = append(at, i)
		}
	}
	if len(at) == 0 || d.holdsHalfACall() {
		return false
	}
	d.pieces[pick(d.chance, at)].space = "\nAnd the next one:\n"
	return true
}

// proseAtStart writes prose between the name of a tool and the first parameter.
func (d *draft) proseAtStart() bool {
	switch d.group {
	case inLegacy:
		return !d.haveNone() && d.insertAfter("Now the parameters:\n", rNameClose, rParamsOpen)
	case inAttribute:
		return !d.haveNone() && d.insertAfter("Now the parameters:\n", rInvokeOpen)
	}
	i := d.anyIndex(rInvokeOpen)
	d.pieces[i].space += "\nNow the parameters:\n"
	d.asWritten = d.inst.Calls[:d.pieces[i].call]
	return !d.haveNone() && !d.holdsACall()
}

// proseAtEnd writes prose between the last parameter of a call and the closing tag behind it.
func (d *draft) proseAtEnd() bool {
	if d.group == inLegacy {
		return d.insertAfter("That is all.\n", rParamsClose)
	}
	p := &d.pieces[d.anyIndex(rInvokeClose)-1]
	p.space = "\nThat is all.\n"
	return p.role == rParamClose && !d.holdsHalfACall()
}

// comments are comments that models write next to the parameters of a call.
var comments = []string{"<!-- the next one -->", "<!--x-->", "<!--\nchosen by the user\n-->", "<!-- a < b -- or > -->", "<!-- <b>bold</b> -->"}

// comment writes a comment between two tags, but not inside a value.
func (d *draft) comment() bool {
	i := d.anyIndex(betweenTags...)
	d.pieces[i].space += pick(d.chance, comments) + pick(d.chance, []string{"", "\n"})
	return true
}

// indent indents each line between tags.
func (d *draft) indent() bool {
	for i := range d.pieces {
		p := &d.pieces[i]
		p.space = strings.ReplaceAll(p.space, "\n", "\n    ")
	}
	return true
}

// truncate cuts off the text anywhere after the start of the wrapper.
func (d *draft) truncate(stop messages.Stop, sequence string) bool {
	if d.group == inTags && d.anyValueContains(strings.TrimSpace(d.form.call[2])) {
		return false // the tag in the value seems to end the call, and the text that shows otherwise may be cut off
	}
	text := joined(d.pieces)
	from := len(joined(d.pieces[:d.start()]))
	at := from + d.IntN(len(text)-from)
	for !utf8.RuneStart(text[at]) {
		at--
	}
	if stop == messages.StopEndTurn && d.form.name == format.Gemma && strings.HasSuffix(strings.TrimSpace(text[:at]), "}") {
		return false // the call may be whole, without the end of its last string
	}
	d.answer = &Answer{text[:at], stop, sequence}
	d.asWritten = []ToolCall{}
	for i, p := range d.pieces {
		if end := len(joined(d.pieces[:i])) + len(p.text); p.role == rParamClose && stop == messages.StopEndTurn && end <= at && strings.TrimSpace(text[end:at]) == "" {
			d.asWritten = d.callsUpTo(i) // no reader could know that more text was to come
		}
		if (p.role == rInvokeClose || p.role == rParamsClose || p.role == rJSONCall) && len(joined(d.pieces[:i]))+len(p.text) <= at {
			d.asWritten = d.inst.Calls[:p.call+1]
		}
	}
	return true
}

// callsUpTo returns the calls up to piece i, which ends a value. The last call has only the parameters
// before the cut.
func (d *draft) callsUpTo(i int) []ToolCall {
	at := d.pieces[i].call
	calls := slices.Clone(d.inst.Calls[:at+1])
	calls[at].Input.Members = slices.DeleteFunc(slices.Clone(calls[at].Input.Members), func(m Member) bool {
		return !slices.ContainsFunc(d.pieces[:i+1], func(p piece) bool { return p.role == rParamClose && p.call == at && p.name == m.Name })
	})
	return calls
}

// dropHead removes the start of the calls.
func (d *draft) dropHead() bool {
	if d.holdsACall() {
		return false
	}
	first := d.start()
	text := joined(d.pieces[first:])
	end := len(joined(d.pieces[first : d.indexes(rInvokeOpen, rJSONCall)[0]+1]))
	at := 1 + d.IntN(end-1)
	a := endedAnswer(joined(d.pieces[:first]) + text[min(at, len(text)):])
	d.answer = &a
	return true
}

// meansQuoted reports whether a value equals the meant one, except for quotation marks (`> `) and newlines
// at the ends of strings. A string with marks may also spell the JSON that was meant.
func meansQuoted(got, meant Value) bool {
	if got.Kind == '"' {
		said := strings.Trim(strings.ReplaceAll("\n"+got.Text, "\n> ", "\n"), "\r\n")
		v, err := ReadValue([]byte(said))
		return meant.Kind == '"' && said == strings.Trim(meant.Text, "\r\n") || strings.EqualFold(said, meant.JSON()) || err == nil && v.Equal(meant)
	}
	if got.Kind != meant.Kind || got.Text != meant.Text || len(got.List) != len(meant.List) || len(got.Members) != len(meant.Members) {
		return false
	}
	for i := range got.List {
		if !meansQuoted(got.List[i], meant.List[i]) {
			return false
		}
	}
	for _, m := range got.Members {
		if v, ok := meant.member(m.Name); !ok || !meansQuoted(m.Value, v) {
			return false
		}
	}
	return true
}
