package tagged

import (
	"slices"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file ends a call: it decides whether the call is closed, broken off, or given back as text.

// Exit says how a Step has ended.
type Exit struct {
	Kind   ExitKind
	Reason messages.Reason // why the call is malformed or no call, if Kind is Closed or GivenBack
}

// ExitKind says whether a [Reader] has reached the end of the call, and how.
type ExitKind uint8

// The kinds of an [Exit].
const (
	Waits      ExitKind = iota // the call goes on: more text must arrive first
	Reads                      // the call goes on: call Step again
	Closed                     // the call was read to its end
	GivenBack                  // this is no call: its text is text of the answer
	BrokenOff                  // the call was not read to its end, because it was cut, is ambiguous or cannot be read
	Cut                        // the text was cut inside a value
	Unreadable                 // the call contains text that cannot be read
	Strayed                    // the call contains too much unreadable text, and the text after it is text as well
	ObjectNext                 // the input comes next: JSON, in a spelling of calls that have JSON
)

// leave ends the call.
func (r *Reader) leave(kind ExitKind) state {
	r.exit = Exit{Kind: kind}
	return left
}

// close ends the call, which was read to its end. reason says how its end is malformed, ReasonNone if it is not.
func (r *Reader) close(reason messages.Reason) state {
	switch none := len(r.call.Parameters) == 0 && !r.call.JSONInput; {
	case r.call.IsUnreadable():
		return r.leave(Unreadable)
	case len(r.open.ends) > 0, // package held expects more values
		len(r.open.keys) > 0, // there are fewer values than names
		r.open.begunTwice && (none || reason == messages.ReasonMissingCloser): // or these are two calls, the first without parameters
		return r.doubtful()
	}
	r.exit = Exit{Closed, reason}
	return left
}

// giveBack ends the call, because the text is no call. reason says why.
func (r *Reader) giveBack(reason messages.Reason) state {
	r.exit = Exit{GivenBack, reason}
	return left
}

// doubtful breaks off the call, because its text is ambiguous: see doubt.go.
func (r *Reader) doubtful() state {
	r.call.Reason = messages.ReasonAmbiguous
	return r.leave(BrokenOff)
}

// tooLong breaks off the call. The call has too many parameters, or one that is too long to hold.
func (r *Reader) tooLong() state {
	r.value.held, r.value.open = nil, false
	r.call.Reason = messages.ReasonTooLong
	return r.leave(BrokenOff)
}

// closeAtEOF ends a call if the text ends between its parameters. The call is whole if the model has only omitted
// its last closing tags: the upstream did not cut the text, and the call has everything that its tool requires.
// The call is also whole if its tool has no parameters, and the call ends with a wrong closing tag. A text that
// was cut does not end in this way.
func (r *Reader) closeAtEOF() state {
	if r.lacksInput() && !r.in.CutShort {
		return r.close(messages.ReasonMissingInput)
	}
	given := len(r.call.Parameters) > 0 || r.call.JSONInput
	if !r.in.CutShort && !given && r.call.Reason == messages.ReasonStrayCloser && !r.call.MustBeWhole && len(r.call.Schema.Properties) == 0 {
		return r.close(messages.ReasonNone)
	}
	if r.in.CutShort || !given || (r.call.ParametersOpen || r.call.AttributeForm) && !r.hasRequired() {
		return r.leave(BrokenOff)
	}
	return r.close(messages.ReasonMissingCloser)
}

// hasRequired reports whether the call is in the wrapper of its format, if there is one, its tool is offered, and every
// required parameter was given. A call in tags of one family needs no wrapper.
func (r *Reader) hasRequired() bool {
	call := r.call
	wrapped := call.WrapperOpen || call.Spelling != nil && (call.Bare || !call.Spelling.HasWrapper())
	return wrapped && !call.Unoffered && !slices.ContainsFunc(call.Schema.Required, func(name string) bool {
		return !call.Parameters[name] && !slices.Contains(call.Members, name)
	})
}

// lacksInput reports whether the call should contain JSON but contains nothing, and its tool requires nothing.
// Such a call has no closing tag: its input would end it.
func (r *Reader) lacksInput() bool {
	call := r.call
	return call.IsInput() && !call.Spelling.Ends() && !call.JSONInput && len(call.Stray) == 0 && !call.Unoffered && len(call.Schema.Required) == 0
}

// breakOffValue breaks off a call if the text ends inside a value. A string is sent up to the cut. If the whole
// input is one JSON object, its whole members are sent.
func (r *Reader) breakOffValue() state {
	r.in.TakeAll(completion.SpanDropped)
	if r.value.text.Schema == nil {
		r.out.WriteCutObject(markup.Unescape(string(r.value.held), r.escaped, ""))
	}
	r.call.NoteReason(messages.ReasonCutValue)
	if r.IsPending() {
		return r.giveBack(messages.ReasonIncomplete)
	}
	return r.leave(Cut)
}
