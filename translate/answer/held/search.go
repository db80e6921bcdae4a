package held

import (
	"math/bits"
	"slices"

	"dragoman/translate/messages"
)

// CallForm is how the call that is searched is written.
type CallForm struct {
	Attribute      bool // the call is <invoke name="…">
	ParametersOpen bool // <parameters> is open
	WrapperOpen    bool // the call is inside a wrapper
	Alone          bool // the format has no wrapper: other calls or text may follow
	Lines, Padded  bool // the opening tag, and the text, of the first value are on lines of their own
	AnyName        bool // the tool declares no parameters, so a parameter may have any name
	Unclosed       bool // the format has no closing tags for values
	ClosedTwice    bool // models that write this format close a value twice

	Missing map[string]bool // required parameters that have not begun
}

// End is the end of a value.
type End struct {
	From     int             // where the text of the value begins in all that was fed; for the first value, where the search began
	At, Len  int             // position and length of the closing tag; Len is 0 if the tag is missing
	Reason   messages.Reason // name of the slip, or ReasonNone for a regular end
	Doubtful bool            // it is uncertain whether the value ends here
	Again    bool            // not an end: the opening tag of the value is written twice
	Slip     messages.Reason // how the closing tag is misspelt, ReasonNone if it is not
	Markup   bool            // the value has markup that is not whole: see [Value.HoldsMarkup]
	own      bool            // the closing tag belongs to the value
	whole    bool            // the type of the value shows that it ends here
	regular  bool            // text that may follow a value follows the closing tag
	closer   string          // name of the value's own closing tag
	before   *End
	sum      uint64 // hash of this end and all ends before it: paths with the same sum end alike
}

// behind sets the end before e, and returns e.
func (e *End) behind(before *End) *End {
	e.before, e.sum = before, 1
	if before != nil {
		e.sum = before.sum
	}
	for _, n := range [...]int{e.At, e.Len} {
		e.sum = bits.RotateLeft64((e.sum^uint64(n))*0x9E3779B97F4A7C15, 29)
	}
	return e
}

// doubtful returns a doubtful copy of the end. It is a copy, because other readings may share the end.
func (e *End) doubtful() *End {
	d := *e
	d.Doubtful = true
	return &d
}

// Search follows all readings of the text of a call, from the first tag with an uncertain meaning on. It reads the
// text once: see [Search.Step].
type Search struct {
	call   CallForm
	first  *open
	inside []*open
	paths  [places][]path // readings that are outside values
	closed bool           // the last tag was a closing tag, or stands in for one; comments do not count
	tagEnd int            // where the last tag ends
	lost   slipSet        // slips of the best reading that was dropped for lack of room
	isLost bool
}

// open is a value that is open in some paths.
type open struct {
	Value
	paths []path
}

// Limits on the number of values and paths that a search follows.
const (
	maxOpen  = 16
	maxPaths = 12
)

// NewSearch returns a search in the text of a call, from a tag on that is in the value v.
func NewSearch(call CallForm, v *Value) *Search {
	first := &open{Value: v.Clone(), paths: []path{{lacks: len(call.Missing)}}}
	return &Search{call: call, first: first, inside: []*open{first}}
}

// First returns the first value if it is still open in some reading, or nil.
func (s *Search) First() *Value {
	if slices.Contains(s.inside, s.first) {
		return &s.first.Value
	}
	return nil
}

// Values yields the open values. The text up to the next tag belongs to them.
func (s *Search) Values(yield func(*Value) bool) {
	for _, o := range s.inside {
		if !yield(&o.Value) {
			return
		}
	}
}

// InString reports whether the text continues inside a JSON string in some reading.
func (s *Search) InString() bool {
	return slices.ContainsFunc(s.inside, func(o *open) bool { return o.JSON.Is && o.JSON.InString })
}

// Step follows the next tag in all readings.
func (s *Search) Step(t *Tag, next Follow) {
	if t.Structure && next.Tag != nil && next.Tag.Kind == ClosesOther { // no part of a call begins like this
		text := *t
		text.Kind, text.Structure = OpensOther, false
		t = &text
	}
	was, inside := s.paths, s.inside
	s.paths, s.inside = [places][]path{}, nil
	var begun *open // the value that t begins
	for _, o := range inside {
		for _, p := range o.paths {
			s.leave(o, p, t, next, &begun)
		}
		if !o.JSON.Is || !o.JSON.InString {
			o.Take(t, s.stands(t, next, o), s.mayFollow(o, next), s.opensCall(t, next))
		}
		o.paths = slices.DeleteFunc(o.paths, func(p path) bool { return o.slipsOf(p).len() > MaxSlips })
		if len(o.paths) > 0 {
			s.inside = append(s.inside, o)
		}
	}
	for at, list := range was {
		for _, p := range list {
			s.step(place(at), p, t, t.Gap == Text, &begun)
		}
	}
	if begun != nil {
		s.inside = append(s.inside, begun)
	}
	s.bound()
	s.closed = t.IsCloser() || t.Nameless && t.Bare || t.Kind == Comment && s.closed && t.Gap != Text
	s.tagEnd = t.End()
}

// slipsOf returns the slips of a path that are certain while the value is open.
func (o *open) slipsOf(p path) slipSet { return p.slips.with(TagInValue, o.Value.stands) }

// bound drops the worst readings if there are too many.
func (s *Search) bound() {
	for len(s.inside) > maxOpen {
		worst := 0
		for i, o := range s.inside {
			if o != s.first && (s.inside[worst] == s.first || o.least().len() >= s.inside[worst].least().len()) {
				worst = i
			}
		}
		lost := s.inside[worst].least()
		if !s.isLost || lost.len() < s.lost.len() {
			s.lost, s.isLost = lost, true
		}
		s.inside = slices.Delete(s.inside, worst, worst+1)
	}
}

// least returns the slips of the best path of the open value.
func (o *open) least() slipSet {
	least := o.slipsOf(o.paths[0])
	for _, p := range o.paths[1:] {
		if l := o.slipsOf(p); l.len() < least.len() {
			least = l
		}
	}
	return least
}

// leave follows the path p if the value ends at t.
func (s *Search) leave(o *open, p path, t *Tag, next Follow, begun **open) {
	switch {
	case t.Closes(o.Closer):
		p = s.end(o, p, t, WrongCloser, !t.Escaped)
		p.ends.regular = next.Ends || s.mayFollow(o, next) && next.Tag.Kind != OpensStructure && !next.Tag.Given && next.Tag.Property != o.Property
		s.add(between, p)
	case t.Kind == ClosesOther:
		if next.Tag != nil && !t.Escaped && next.Tag.Kind != ClosesWrapper && s.mayFollow(o, next) && !o.Holds(string(t.Name)) {
			p = s.end(o, p, t, WrongCloser, false)
			p.ends.Doubtful = p.ends.Doubtful || !t.Declared && s.isEmpty(o, t)
			s.add(between, p)
		}
	case t.IsCloser(), t.Kind == OpensStructure:
		if (t.Kind == ClosesParameters && !s.call.ParametersOpen || t.IsCloser() && (t.Declared || string(t.Name) == o.Property)) && next.Tag != nil && s.mayFollow(o, next) {
			s.add(between, s.end(o, p, t, WrongCloser, false))
		}
		p = s.endBefore(o, p, t)
		p.ends.Doubtful = p.ends.Doubtful || t.Declared && next.Ends // the tag may close the value, at which the model was stopped
		s.step(between, p, t, false, begun)
	case t.Kind <= OpensParameter && t.Bare:
		own := t.Property == o.Property || o.OwnOpener(t)
		if own {
			if o.From == t.At && !o.Element {
				s.restart(o, p, t, begun)
			}
			if s.mayFollow(o, next) {
				s.add(between, s.end(o, p, t, WrongCloser, false))
			}
			return
		}
		if o.isText(t) || t.isQuoted() || t.Kind == OpensOther && !t.Maybe && !s.call.AnyName && !(o.Whole && o.JSON.Begun) {
			return
		}
		before := s.endBefore(o, p, t)
		here, sure := s.beginsHere(t)
		switch {
		case o.typed() && o.Value.Whole:
			here, sure = true, true
		case !here && s.isMissing(p, t):
			here = true
		}
		before.slips = before.slips.with(QuotedTag, !here)
		before.ends.Doubtful = before.ends.Doubtful || here && !sure
		s.step(between, before, t, false, begun)
	}
}

// end returns the path p after t has closed the value.
func (s *Search) end(o *open, p path, t *Tag, slip Slip, own bool) path {
	inValue := o.Value.slips(t, own)
	if p.begun != nil && p.begun.again {
		inValue &^= 1 << Misfit // the value is dropped
	}
	p.slips = (p.slips|inValue).with(slip, !own).with(QuotedTag, o.Fenced && !t.Edge.fenced)
	p.tags += o.CallTags
	e := &End{From: o.From, At: t.At, Len: t.Len, Markup: o.HoldsMarkup(), Doubtful: o.crossed || o.holdsCall(own), own: own, whole: o.typed() && o.Value.Whole, closer: o.Closer, Slip: t.Slip}
	if !own {
		if e.Reason = Slips[slip].Name; t.Escaped && slip == WrongCloser {
			e.Reason = t.Slip
		}
		e.Doubtful = e.Doubtful || o.passed && o.Value.stands && !e.whole || slices.ContainsFunc(o.open, func(e element) bool { return e.param }) // the end would leave half a parameter
	}
	p.ends = e.behind(p.ends)
	return p
}

// isEmpty reports whether the value has no text before t.
func (s *Search) isEmpty(o *open, t *Tag) bool {
	return o.From == t.At || o.From == s.tagEnd && t.Gap != Text
}

// endBefore returns the path p after the value has ended before t, without a closing tag.
func (s *Search) endBefore(o *open, p path, t *Tag) path {
	if s.call.Unclosed {
		p = s.end(o, p, t, MissingCloser, true)
		p.ends.Len = 0
		return p
	}
	p = s.end(o, p, t, MissingCloser, false)
	p.ends.Len, p.ends.Doubtful = 0, p.ends.Doubtful || s.isEmpty(o, t) && !t.Declared
	return p
}
