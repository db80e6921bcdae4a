package held

import (
	"slices"

	"dragoman/translate/format"
	"dragoman/translate/schema"
)

// Value is a value that is open, and what counts of the tags that are text of it.
type Value struct {
	Property string
	Closer   string // the name of its closing tag
	Element  bool   // it stands in <tag>, and not in <parameter name="tag">
	Schema   *schema.Schema
	From     int // where its text begins in all that was fed

	open     []element
	seen     format.ByteSet // the first bytes of the names of elements that were opened in it
	Unpaired bool           // it holds a closing tag of another element with which it could have ended
	CallTags int            // how many tags of the call are text of it
	elements int            // how many elements in it may be parameters
	passed   bool           // it holds a closing tag of its own name that closes nothing
	stray    string         // the name of the last closing tag in it that stands so and closes nothing
	crossed  bool           // an element of that name is opened behind it, as the closing tags of two values do that are swapped
	stands   bool           // one of them is a closing tag that closes nothing, and stands where the call could go on
	item     bool           // the last tag was its own closing tag, behind which it may go on as a list
	Fenced   bool           // its opening tag stands in a code fence of the value before it
	unsure   bool           // it holds more elements than are followed

	JSON   JSON // how far its text is JSON, if its type is no string
	JSONTo int  // how far the text was followed as JSON
	Whole  bool // the text is a whole value of the type
}

// element is one that is open in a value.
type element struct {
	name   string
	param  bool // it may be a parameter
	stands bool // its tag stands where the call could go on
	fenced bool // … in a code fence
}

// maxElements bounds how many elements are followed in one value.
const maxElements = 256

// Holds reports whether an element of the name is open in the value.
func (v *Value) Holds(name string) bool {
	return slices.ContainsFunc(v.open, func(e element) bool { return e.name == name })
}

// HoldsFrom reports whether an element whose name begins with c is open in the value.
func (v *Value) HoldsFrom(c byte) bool {
	return slices.ContainsFunc(v.open, func(e element) bool { return e.name != "" && e.name[0] == c })
}

// Saw reports whether an element whose name begins with c was opened in the value.
func (v *Value) Saw(c byte) bool { return v.seen.Has(c) }

// See records an element whose name begins with c.
func (v *Value) See(c byte) { v.seen.Add(c) }

// IsUnsure reports whether the value holds more elements than are followed.
func (v *Value) IsUnsure() bool { return v.unsure }

// OwnOpener reports whether t opens an element of the name that closes the value.
func (v *Value) OwnOpener(t *Tag) bool {
	return t.Nameless && !v.Element || t.Kind == OpensOther && v.Element && string(t.Name) == v.Closer
}

// typed reports whether the type of the value tells where its text is whole: it is JSON so far, or
// its schema allows nothing but numbers, booleans and null, or a list of values.
func (v *Value) typed() bool { return v.JSON.Is || v.Schema.IsScalar() || v.Schema.IsEnum() }

// misfits reports whether the value, if it ended here, would not be of its type.
func (v *Value) misfits() bool { return v.typed() && !v.Whole }

// HoldsMarkup reports whether the value holds tags that may be those of parameters, in pairs or not.
func (v *Value) HoldsMarkup() bool { return v.elements > 0 || v.passed }

// Take records t as text of the value. stands says that the call could go on with t, and ends that a value could end
// with it.
func (v *Value) Take(t *Tag, stands, ends bool) {
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
	case !t.IsCloser():
		v.takeOpener(t, stands)
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

// takeCloser records a closing tag that closes nothing. call says that it may be one of the call.
func (v *Value) takeCloser(call, stands, ends bool) {
	v.Unpaired = v.Unpaired || ends
	if call {
		v.CallTags++
	}
	v.stands = v.stands || stands
}

func (v *Value) takeOpener(t *Tag, stands bool) {
	if len(t.Name) > 0 {
		v.seen.Add(t.Name[0])
	}
	param := t.Kind == OpensParameter || t.Maybe || v.OwnOpener(t)
	if (param || t.Kind == OpensStructure) && !t.isQuoted() {
		v.CallTags++
		v.elements++
	}
	v.crossed = v.crossed || v.stray != "" && v.stray == string(t.Name) && !v.OwnOpener(t) && t.Bare
	if len(v.open) == maxElements {
		v.unsure = true
		return
	}
	v.open = append(v.open, element{string(t.Name), param && t.Bare && !t.isQuoted(), stands, t.Edge.fenced})
}

// close closes the last element of the name that is open. Elements within it that are still open stay so: not all
// markup is closed.
func (v *Value) close(name string) bool {
	for i := len(v.open) - 1; i >= 0; i-- {
		if v.open[i].name == name {
			v.open = slices.Delete(v.open, i, i+1)
			return true
		}
	}
	return false
}

// slips returns the slips of the value if it ends at t, or where no tag follows; own says that t is its closing tag.
// In a value that ends with that, tags are free text, but for those that stand where the call could go on. What
// stands in a code fence does not, if the fence is closed.
func (v *Value) slips(t *Tag, own bool) slipSet {
	opener := slices.ContainsFunc(v.open, func(e element) bool {
		return e.stands && !(e.fenced && t != nil && !t.Edge.fenced)
	})
	if !own { // every tag counts
		return slipSet(0).with(TagInValue, v.stands || opener || v.Unpaired || v.HoldsMarkup() || v.item).with(Misfit, v.misfits())
	}
	return slipSet(0).with(TagInValue, v.stands).with(OpenerInValue, opener).with(Misfit, v.misfits())
}

// Clone returns a copy that shares nothing with v.
func (v *Value) Clone() Value {
	c := *v
	c.open = slices.Clone(v.open)
	return c
}
