package held

import (
	"slices"

	"dragoman/translate/format"
	"dragoman/translate/schema"
)

// Value is an open value, with what the tags inside it mean for its end.
type Value struct {
	Property string
	Closer   string // name of the closing tag
	Element  bool   // the value is in <tag>, not in <parameter name="tag">
	Schema   *schema.Schema
	From     int // where the text begins in all that was fed

	open     []element
	seen     format.ByteSet // first bytes of the names of all elements opened in the value
	Unpaired bool           // the value has a closing tag of another element, at which it could have ended
	CallTags int            // number of tags of the call inside the value
	elements int            // number of elements in the value that may be parameters
	passed   bool           // the value has a closing tag of its own name that closes nothing
	stray    string         // name of the last closing tag that closes nothing, where the call could go on
	crossed  bool           // an element named stray was opened later, as if the closing tags of two values were swapped
	stands   bool           // a closing tag that closes nothing is where the call could go on
	item     bool           // the last tag was its own closing tag; the value may continue as a list
	Fenced   bool           // the opening tag is in a code fence of the value before
	unsure   bool           // the value has more open elements than are followed

	JSON   JSON // state of the text as JSON, if the type is not a string
	JSONTo int  // how far JSON has read the text
	Whole  bool // the text is a whole value of the type
}

// element is an open element inside a value.
type element struct {
	name   string
	param  bool // the element may be a parameter
	stands bool // its tag is where the call could go on
	call   bool // its tag begins another call
	fenced bool // its tag is in a code fence
}

// maxElements limits how many open elements are followed in one value.
const maxElements = 256

// Holds reports whether an element with the name is open in the value.
func (v *Value) Holds(name string) bool {
	return slices.ContainsFunc(v.open, func(e element) bool { return e.name == name })
}

// HoldsFrom reports whether the value has an open element with a name that begins with c.
func (v *Value) HoldsFrom(c byte) bool {
	return slices.ContainsFunc(v.open, func(e element) bool { return e.name != "" && e.name[0] == c })
}

// Saw reports whether the value has had an element with a name that begins with c.
func (v *Value) Saw(c byte) bool { return v.seen.Has(c) }

// See records an element with a name that begins with c.
func (v *Value) See(c byte) { v.seen.Add(c) }

// IsUnsure reports whether the value has more open elements than are followed.
func (v *Value) IsUnsure() bool { return v.unsure }

// OwnOpener reports whether t opens an element that the value's closing tag would close.
func (v *Value) OwnOpener(t *Tag) bool {
	return t.Nameless && !v.Element || t.Kind == OpensOther && v.Element && string(t.Name) == v.Closer
}

// isText reports whether t opens an element in a value that is in <parameter name="…">. Parameters of such a call are
// no elements, so the element is text.
func (v *Value) isText(t *Tag) bool {
	return t.Kind <= OpensParameter && !v.Element && !t.IsNamed(parameterName)
}

// typed reports whether the type of the value shows where its text is whole. It does if the text is JSON so far, or
// if the schema accepts only numbers, booleans and null, or only listed values.
func (v *Value) typed() bool { return v.JSON.Is || v.Schema.IsScalar() || v.Schema.IsEnum() }

// misfits reports whether the value would not fit its type if it ended here.
func (v *Value) misfits() bool { return v.typed() && !v.Whole }

// HoldsMarkup reports whether the value has tags that may belong to parameters, paired or not.
func (v *Value) HoldsMarkup() bool { return v.elements > 0 || v.passed }

// Take records t as text of the value. stands reports whether the call could go on with t, ends whether a value
// could end there, and calls whether another call begins there.
func (v *Value) Take(t *Tag, stands, ends, calls bool) {
	if v.item {
		v.item = false
		if t.Gap != Text && t.Kind <= OpensParameter && t.Property == v.Property { // the next element of a list
			v.JSON = JSON{}
			return
		}
		v.passed = true
		v.takeCloser(true, true, true)
	}
	switch {
	case t.Empty || t.Kind >= Comment:
	case t.Escaped: // a string of JSON may have such a tag, so it ends no call in the value
		if (t.Kind != ClosesOther || !v.close(string(t.Name))) && t.Closes(v.Closer) {
			v.passed = true
			v.CallTags++
		}
	case !t.IsCloser():
		v.takeOpener(t, stands, calls)
	case v.close(string(t.Name)):
	case t.Closes(v.Closer) && v.Schema.ArraySchema() != nil:
		v.item = true
	default:
		v.passed = v.passed || t.Closes(v.Closer)
		if stands && t.Kind == ClosesOther {
			v.stray = string(t.Name)
		}
		v.takeCloser(t.Kind != ClosesOther || t.Declared || t.Maybe || t.Closes(v.Closer), stands, ends)
	}
}

// takeCloser records a closing tag that closes nothing. call reports whether it may belong to the call.
func (v *Value) takeCloser(call, stands, ends bool) {
	v.Unpaired = v.Unpaired || ends
	if call {
		v.CallTags++
	}
	v.stands = v.stands || stands
}

func (v *Value) takeOpener(t *Tag, stands, calls bool) {
	if len(t.Name) > 0 {
		v.seen.Add(t.Name[0])
	}
	param := (t.Kind == OpensParameter || t.Maybe || v.OwnOpener(t)) && !v.isText(t)
	if (param || t.Kind == OpensStructure) && !t.isQuoted() {
		v.CallTags++
		v.elements++
	}
	v.crossed = v.crossed || v.stray != "" && v.stray == string(t.Name) && !v.OwnOpener(t) && t.Bare
	if len(v.open) == maxElements {
		v.unsure = true
		return
	}
	v.open = append(v.open, element{string(t.Name), param && t.Bare && !t.isQuoted(), stands, calls, t.Edge.fenced})
}

// holdsCall reports whether another call begins in the value and has no end there. own: the value ends at its own
// closing tag, and an open parameter of the other call has the same one.
func (v *Value) holdsCall(own bool) bool {
	i := slices.IndexFunc(v.open, func(e element) bool { return e.call })
	return i >= 0 && (!own || slices.ContainsFunc(v.open[i:], func(e element) bool { return e.name == v.Closer }))
}

// close closes the last open element with the name. Elements inside it stay open, because some markup is never
// closed.
func (v *Value) close(name string) bool {
	for i := len(v.open) - 1; i >= 0; i-- {
		if v.open[i].name == name {
			v.open = slices.Delete(v.open, i, i+1)
			return true
		}
	}
	return false
}

// slips returns the slips of the value if it ends at t. If t is nil, the value ends with the text. own reports
// whether t is its closing tag. If so, other tags in the value are plain text, except where the call could go on.
// Tags inside a closed code fence do not count.
func (v *Value) slips(t *Tag, own bool) slipSet {
	opener := slices.ContainsFunc(v.open, func(e element) bool {
		return e.stands && !(e.fenced && t != nil && !t.Edge.fenced)
	})
	if !own { // every tag counts
		return slipSet(0).with(TagInValue, v.stands || opener || v.Unpaired || v.HoldsMarkup() || v.item).with(Misfit, v.misfits())
	}
	return slipSet(0).with(TagInValue, v.stands).with(OpenerInValue, opener).with(CallInValue, v.holdsCall(true)).with(Misfit, v.misfits())
}

// Clone returns a copy that shares nothing with v.
func (v *Value) Clone() Value {
	c := *v
	c.open = slices.Clone(v.open)
	return c
}
