// Package tagged reads an open call whose parameters are tags around raw values, as in legacy, attribute and
// similar formats. It starts after the name of the tool, and stops at the end of the call.
//
//	inCall        -> atValue inValue inNestedValue, or the call ends
//	atValue       -> inValue
//	inValue       -> inCall, or inDoubt if it is not clear which tag ends the value
//	inNestedValue -> inCall
//	inDoubt       -> inValue
package tagged

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Reader reads one open call whose parameters are tags around raw values. It starts after the name of the tool,
// and stops at the end of the call. It reads the regular form as it arrives, and writes values while it reads
// them. If it is not clear which tag ends a value, Reader holds the text, and package held decides.
type Reader struct {
	Wrapper  string // the name of the wrapper that was opened last
	Stop     string // the stop sequence of the format
	Followed int    // how many bytes all doubts of the answer have followed: see freeDoubt
	Open     func() // makes the call certain, and opens its block if values flow
	Whole    func() // opens the block of a certain call, because a parameter is whole
	Hold     func() // makes the call certain, if it may be certain before it is whole

	call    *OpenCall
	in      *completion.Text
	out     *emit.Emitter
	reads   *format.Reads
	tools   *format.ToolNames
	escaped markup.Escapes // what the prompt has escaped; nothing else is unescaped

	plain bool // the last piece ended inside a string value, so the next piece may be plain text: see Plain
	state state
	exit  Exit
	open  bodySeen
	value valueSeen
	doubt doubt
}

// state says which part of the call is next. Each state has a function. The function reads as much of the unread
// text as it can decide on, and returns the next state. It returns wait if it needs more text, and left if the
// call has ended. The comment of each state says what has just been read when the state begins.
type state uint8

const (
	wait state = iota // not a state: more text must arrive first
	left              // not a state: the call has ended, and Reader.exit says how

	inCall        // the tool's name, a whole parameter, or a tag of the call's structure
	atValue       // the opening tag of a parameter
	inValue       // part of a parameter's value, or nothing yet of an input that is a JSON object
	inNestedValue // the opening tag of a parameter that may contain elements, or part of its value: see nested.go
	inDoubt       // part of a value, up to a tag that may or may not end it
)

// states holds the function of each state.
var states = [...]func(*Reader) state{
	inCall:        (*Reader).readCall,
	atValue:       (*Reader).readValueStart,
	inValue:       (*Reader).readValue,
	inNestedValue: (*Reader).readNestedValue,
	inDoubt:       (*Reader).readDoubt,
}

// stateNames holds the names of the states.
var stateNames = [...]string{inCall: "inCall", atValue: "atValue", inValue: "inValue", inNestedValue: "inNestedValue", inDoubt: "inDoubt"}

// NewReader returns a reader for the calls of one answer. call is the open call. The reader takes the text of the
// answer from in, and writes the call to out.
func NewReader(call *OpenCall, in *completion.Text, out *emit.Emitter, reads *format.Reads, tools *format.ToolNames, escaped markup.Escapes) Reader {
	return Reader{call: call, in: in, out: out, reads: reads, tools: tools, escaped: escaped}
}

// Begin forgets the last call, so that the reader can read the next one.
func (r *Reader) Begin() {
	r.open, r.value, r.state = bodySeen{}, valueSeen{tail: r.value.tail[:0]}, inCall
}

// Step runs the function of the current state. The Exit says whether the call has ended.
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

// Enter begins to read the text after the name of the tool.
func (r *Reader) Enter() { r.state = inCall }

// EnterParameter begins to read the call at t, which is the next tag and opens the parameter with this name.
func (r *Reader) EnterParameter(t markup.Tag, name string) Exit {
	r.state = inCall
	return r.moveTo(r.beginValue(t, name, name, false))
}

// IsPlain reports whether the next piece of the completion may go to WritePlain. It may if Plain finds nothing
// special in the piece.
func (r *Reader) IsPlain() bool { return r.plain }

// Plain returns how many bytes at the start of text can only be text of the open value. text comes next in the
// completion.
func (r *Reader) Plain(text []byte) int {
	if len(r.open.ends) > 0 {
		return 0
	}
	r.value.looked = r.nextSpecial(text, 0)
	return r.value.looked
}

// WritePlain writes all of text to the open value. Plain must have returned the length of text.
func (r *Reader) WritePlain(text []byte) {
	r.value.looked = 0
	r.value.edge.Add(text)
	r.writeStringValue(text)
}

// InObject reports whether the input of the call is a JSON object that is still open.
func (r *Reader) InObject() bool { return r.value.json.Depth > 0 }

// WouldBeText reports whether tag would be text if it came next: text of the open value, or of a string in an
// input that is JSON.
func (r *Reader) WouldBeText(tag string) bool {
	return r.value.open && r.wouldBeValue(tag) || r.value.json.InString
}

// State returns the name of the current state.
func (r *Reader) State() string { return stateNames[r.state] }

// HasParameter reports whether the call has begun a parameter.
func (r *Reader) HasParameter() bool { return r.value.open || len(r.call.Parameters) > 0 }

// IsDoubtful reports whether the reader holds text because it is not clear where a value ends.
func (r *Reader) IsDoubtful() bool { return r.state == inDoubt }

// ClosesValue reports whether tag is the closing tag of the open value.
func (r *Reader) ClosesValue(tag string) bool {
	return r.value.open && "</"+r.value.text.Closer+">" == tag
}

// Size returns the capacity of the buffers in bytes.
func (r *Reader) Size() int { return cap(r.call.Stray) + cap(r.value.held) + cap(r.value.tail) }

// holdsTooMuch reports whether the open parameter exceeds emit.MaxHeld.
func (r *Reader) holdsTooMuch() bool { return r.out.HoldsTooMuch(len(r.value.held)) }

// IsPending reports whether the call may still turn out to be text, which the parser would give back.
func (r *Reader) IsPending() bool { return r.out.Pending && !r.call.Certain }
