package tagged

import (
	"slices"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// How a call ends.

// Exit says what has become of the call.
type Exit struct {
	Kind   ExitKind
	Reason string // of a call that is closed or given back
}

// ExitKind says how a [Reader] has left the call.
type ExitKind uint8

// The kinds of an [Exit].
const (
	Waits      ExitKind = iota // it has not: more text has to come
	Reads                      // it has not: Step has to be called again
	Closed                     // the call was read to its end
	GivenBack                  // it is no call: its text is text of the answer
	BrokenOff                  // it was not read to its end, because it was cut, is doubtful or cannot be read
	Cut                        // the text was cut within a value
	Unreadable                 // it holds text that cannot be read
	Strayed                    // it holds too much text that cannot be read: what follows is text, too
	ObjectNext                 // its input is a JSON object, in the spelling of calls in JSON, which is next
)

// leave ends the call.
func (r *Reader) leave(kind ExitKind) state {
	r.exit = Exit{Kind: kind}
	return left
}

// close ends the call, which was read to its end. If reason is not "", it says how the end was malformed.
func (r *Reader) close(reason string) state {
	switch none := len(r.call.Parameters) == 0 && !r.call.JSONInput; {
	case r.call.IsUnreadable():
		return r.leave(Unreadable)
	case len(r.open.ends) > 0, // the reading that was settled on goes on
		len(r.open.keys) > 0, // there are fewer values than names
		r.open.begunTwice && (none || reason == "missing_closer"): // or it is two calls, the first of which has no parameters
		return r.doubtful()
	}
	r.exit = Exit{Closed, reason}
	return left
}

// giveBack ends the call, since it is none. reason says why.
func (r *Reader) giveBack(reason string) state {
	r.exit = Exit{GivenBack, reason}
	return left
}

// doubtful breaks off the call, in which it is not certain where a value ends: see doubt.go.
func (r *Reader) doubtful() state {
	r.call.Reason = messages.ReasonAmbiguous
	return r.leave(BrokenOff)
}

// tooLong breaks off the call, which has more parameters or a longer one than is held.
func (r *Reader) tooLong() state {
	r.value.held, r.value.open = nil, false
	r.call.Reason = "too_long"
	return r.leave(BrokenOff)
}

// closeAtEOF ends a call where the text ends between its parameters. The call is whole if the model
// has only left out its last closing tags: the upstream did not cut the text, and the tool has all that it
// requires. So it is where a stray closing tag stands in place of the end of a call without parameters: no
// text that was cut ends so.
func (r *Reader) closeAtEOF() state {
	if r.lacksInput() && !r.in.CutShort {
		return r.close("missing_input")
	}
	given := len(r.call.Parameters) > 0 || r.call.JSONInput
	if !r.in.CutShort && !given && r.call.Reason == "stray_closer" && !r.call.MustBeWhole && len(r.call.Schema.Properties) == 0 {
		return r.close("")
	}
	if r.in.CutShort || !given || (r.call.ParametersOpen || r.call.AttributeForm) && !r.hasRequired() {
		return r.leave(BrokenOff)
	}
	return r.close("missing_closer")
}

// hasRequired reports whether the call stands in its wrapper, its tool is offered, and all that it requires was given.
func (r *Reader) hasRequired() bool {
	call := r.call
	return call.WrapperOpen && !call.Unoffered && !slices.ContainsFunc(call.Schema.Required, func(name string) bool {
		return !call.Parameters[name] && !slices.Contains(call.Members, name)
	})
}

// lacksInput reports whether the call has nothing in place of its input, which ends it, and its tool
// requires nothing.
func (r *Reader) lacksInput() bool {
	call := r.call
	return call.IsInput() && !call.Spelling.Ends() && !call.JSONInput && len(call.Stray) == 0 && !call.Unoffered && len(call.Schema.Required) == 0
}

// breakOffValue breaks off a call whose text ends within a value. A string is sent up to where it was
// cut. Of an object that is the whole input, the members that came whole are sent.
func (r *Reader) breakOffValue() state {
	r.in.TakeAll(completion.SpanDropped)
	if r.value.text.Schema == nil {
		r.out.WriteCutObject(markup.Unescape(string(r.value.held), r.escaped, ""))
	}
	r.call.NoteReason("cut_value")
	if r.IsPending() {
		return r.giveBack("incomplete")
	}
	return r.leave(Cut)
}
