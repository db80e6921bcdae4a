// Package tagged reads the open call of a format whose parameters are tags around raw values: legacy, attribute, and
// every format of that kind. It begins behind the name of the tool, and ends where the call ends.
//
//	inCall        -> atValue inValue inNestedValue, or the call ends
//	atValue       -> inValue
//	inValue       -> inCall, inDoubt where it is doubtful which tag ends the value
//	inNestedValue -> inCall
//	inDoubt       -> inValue
package tagged

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Reader reads one open call whose parameters are tags around raw values, from behind the name of its tool to its end.
// It reads the regular form as it comes, and sends values while it reads them. Where it is doubtful which tag ends a
// value, it holds the text, and has package held settle that.
type Reader struct {
	Wrapper  string // the name of the wrapper that was opened last
	Followed int    // how many bytes have been followed in doubts: see freeDoubt
	Open     func() // opens the block of the call, if it may be opened before the call is whole
	Hold     func() // makes the call certain, if it may be certain before it is whole

	call    *Call
	in      *completion.Text
	out     *emit.Emitter
	reads   *format.Reads
	tools   *format.ToolNames
	escaped markup.Escapes // what the prompt has escaped: only this is unescaped

	plain bool // the last piece ended in a string value, whose text may be written as it comes: see Plain
	state state
	exit  Exit
	open  bodySeen
	value valueSeen
	doubt doubt
}

// state names what is being read of the call. The function of a state reads as much of the unread input as it can
// decide on, and returns the next state, or wait if more text has to come first, or left. The comment of each state says
// what has been read when the state begins.
type state uint8

const (
	wait state = iota // no state: more text has to come
	left              // no state: the call has ended, as the Exit says

	inCall        // the tool's name, or a whole parameter, or a tag of the call's structure
	atValue       // the opening tag of a parameter
	inValue       // a part of a parameter's value, or nothing of an input that is a JSON object
	inNestedValue // the same of a parameter that may hold elements: see nested.go
	inDoubt       // a part of a value, up to a tag of which it is doubtful what it is
)

// states holds the function of each state.
var states = [...]func(*Reader) state{
	inCall:        (*Reader).readCall,
	atValue:       (*Reader).readValueStart,
	inValue:       (*Reader).readValue,
	inNestedValue: (*Reader).readNestedValue,
	inDoubt:       (*Reader).readDoubt,
}

// stateNames are the names of the states.
var stateNames = [...]string{inCall: "inCall", atValue: "atValue", inValue: "inValue", inNestedValue: "inNestedValue", inDoubt: "inDoubt"}

// NewReader returns a reader of the calls in an answer: of call, which is in what is read of the input.
func NewReader(call *Call, in *completion.Text, out *emit.Emitter, reads *format.Reads, tools *format.ToolNames, escaped markup.Escapes) Reader {
	return Reader{call: call, in: in, out: out, reads: reads, tools: tools, escaped: escaped}
}

// Begin forgets the call that was read last.
func (r *Reader) Begin() {
	r.open, r.value, r.state = bodySeen{}, valueSeen{tail: r.value.tail[:0]}, inCall
}

// Step reads on, and says whether the call has ended.
func (r *Reader) Step() Exit {
	r.plain = false
	return r.moveTo(states[r.state](r))
}

// moveTo sets the next state.
func (r *Reader) moveTo(next state) Exit {
	switch next {
	case wait:
		return Exit{Kind: Waits}
	case left:
		return r.exit
	}
	r.state = next
	return Exit{Kind: Reads}
}

// Enter begins to read what stands behind the name of the tool.
func (r *Reader) Enter() { r.state = inCall }

// EnterParameter is Enter where t, which is next, opens the parameter of the name.
func (r *Reader) EnterParameter(t markup.Tag, name string) Exit {
	r.state = inCall
	return r.moveTo(r.beginValue(t, name, name, false))
}

// IsPlain reports whether the next piece of the completion may go to WritePlain, if Plain finds nothing in it.
func (r *Reader) IsPlain() bool { return r.plain }

// Plain returns how many bytes of text, which is next, can be nothing but text of the value that is open.
func (r *Reader) Plain(text []byte) int {
	if len(r.open.ends) > 0 {
		return 0
	}
	r.value.looked = r.nextSpecial(text, 0)
	return r.value.looked
}

// WritePlain writes all of such a text.
func (r *Reader) WritePlain(text []byte) {
	r.value.looked = 0
	r.value.edge.Add(text)
	r.writeStringValue(text)
}

// InObject reports whether the input of the call is a JSON object that is open.
func (r *Reader) InObject() bool { return r.value.json.Depth > 0 }

// WouldBeText reports whether tag, if it stood after the text so far, would be text of a value that is open, or of a
// string in it.
func (r *Reader) WouldBeText(tag string) bool {
	return r.value.open && r.wouldBeValue(tag) || r.value.json.InString
}

// State returns the name of what is being read.
func (r *Reader) State() string { return stateNames[r.state] }

// IsDoubtful reports whether text is held because it is doubtful where a value ends.
func (r *Reader) IsDoubtful() bool { return r.state == inDoubt }

// ClosesValue reports whether tag is the closing tag of the value that is open.
func (r *Reader) ClosesValue(tag string) bool {
	return r.value.open && "</"+r.value.text.Closer+">" == tag
}

// Size returns how many bytes there is room for.
func (r *Reader) Size() int { return cap(r.call.Stray) + cap(r.value.held) + cap(r.value.tail) }

// holdsTooMuch reports whether the parameter that is being read is longer than MaxHeld.
func (r *Reader) holdsTooMuch() bool { return r.out.HoldsTooMuch(len(r.value.held)) }

// IsPending reports whether the call may yet turn out to be none, so that its text is given back.
func (r *Reader) IsPending() bool { return r.out.Pending && !r.call.Certain }
