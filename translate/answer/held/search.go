package held

import (
	"math/bits"
	"slices"
)

// Call is what counts of the call whose text is searched.
type Call struct {
	Attribute      bool // it is <invoke name="…">
	ParametersOpen bool // <parameters> is open
	WrapperOpen    bool // it stands in a wrapper
	Alone          bool // its format has no wrapper: other calls follow it, or text
	Lines, Padded  bool // the opening tag of the first value stands on a line of its own, and so does its text
	AnyName        bool // the tool declares no parameter, so that one may have any name
	Unclosed       bool // its format has no closing tags of values
	ClosedTwice    bool // models that write it close a value twice

	Missing map[string]bool // the parameters that the tool requires, and that have not begun
}

// End is the end of a value.
type End struct {
	From     int    // where the text of the value begins in all that was fed; of the first value, where the search began
	At, Len  int    // where its closing tag stands, and how long it is; 0 if it is missing
	Reason   string // the name of the slip, "" if the end is as it should be
	Doubtful bool   // it is not certain that the value ends here
	Again    bool   // it is none: the opening tag of the value stands twice
	Markup   bool   // the value holds markup that is not whole: see [Value.HoldsMarkup]
	own      bool   // it is the closing tag of the value
	whole    bool   // the type of the value tells that it ends here
	regular  bool   // … and what can follow a value follows
	closer   string // the name of that
	before   *End
	sum      uint64 // of where this end and all before it stand: ends with the same sum end alike
}

// behind returns the end as the one behind another.
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

// doubtful returns the end as one that is doubtful: other readings may share it.
func (e *End) doubtful() *End {
	d := *e
	d.Doubtful = true
	return &d
}

// Search follows all ways to read the text of a call from a tag on of which it is doubtful what it is. It reads the
// text once: see [Search.Step].
type Search struct {
	call   Call
	first  *open
	inside []*open
	paths  [places][]path // outside of values
	closed bool           // the last tag was a closing one, or one in place of it; comments do not count
	tagEnd int            // where it ends
	lost   slipSet        // of the best reading that was dropped for want of room
	isLost bool
}

// open is a value that is open in some paths.
type open struct {
	Value
	paths []path
}

// Bounds on what is followed at once.
const (
	maxOpen  = 16
	maxPaths = 12
)

// NewSearch returns a search in the text of a call from a tag on, which stands in the value v.
func NewSearch(call Call, v *Value) *Search {
	first := &open{Value: v.Clone(), paths: []path{{lacks: len(call.Missing)}}}
	return &Search{call: call, first: first, inside: []*open{first}}
}

// First returns the first value as it is if it goes on; nil if no reading has it so.
func (s *Search) First() *Value {
	if slices.Contains(s.inside, s.first) {
		return &s.first.Value
	}
	return nil
}

// Values yields the values that are open, of which the text goes on up to the next tag.
func (s *Search) Values(yield func(*Value) bool) {
	for _, o := range s.inside {
		if !yield(&o.Value) {
			return
		}
	}
}

// InString reports whether, in some reading, the text goes on in a string of JSON.
func (s *Search) InString() bool {
	return slices.ContainsFunc(s.inside, func(o *open) bool { return o.JSON.Is && o.JSON.InString })
}

// Step follows the next tag in all readings.
func (s *Search) Step(t *Tag, next Follow) {
	if t.Structure && next.Tag != nil && next.Tag.Kind == ClosesOther { // nothing of a call begins so
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
			o.Take(t, s.stands(t, next, o), s.mayFollow(next))
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

// slipsOf returns the slips of a path that are certain while the value goes on.
func (o *open) slipsOf(p path) slipSet { return p.slips.with(TagInValue, o.Value.stands) }

// bound drops readings of which there are too many.
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

// least returns the fewest slips that the value costs so far.
func (o *open) least() slipSet {
	least := o.slipsOf(o.paths[0])
	for _, p := range o.paths[1:] {
		if l := o.slipsOf(p); l.len() < least.len() {
			least = l
		}
	}
	return least
}

// leave follows the readings in which the value ends at t.
func (s *Search) leave(o *open, p path, t *Tag, next Follow, begun **open) {
	switch {
	case t.Closes(o.Closer):
		p = s.end(o, p, t, WrongCloser, true)
		p.ends.regular = next.Ends || s.mayFollow(next) && next.Tag.Kind != OpensStructure && !next.Tag.Given && next.Tag.Property != o.Property
		s.add(between, p)
	case t.Kind == ClosesOther:
		if next.Tag != nil && next.Tag.Kind != ClosesWrapper && s.mayFollow(next) && !o.Holds(string(t.Name)) {
			p = s.end(o, p, t, WrongCloser, false)
			p.ends.Doubtful = p.ends.Doubtful || !t.Declared && s.isEmpty(o, t)
			s.add(between, p)
		}
	case t.IsCloser(), t.Kind == OpensStructure:
		if (t.Kind == ClosesParameters && !s.call.ParametersOpen || t.IsCloser() && (t.Declared || string(t.Name) == o.Property)) && next.Tag != nil && s.mayFollow(next) {
			s.add(between, s.end(o, p, t, WrongCloser, false))
		}
		p = s.endBefore(o, p, t)
		p.ends.Doubtful = p.ends.Doubtful || t.Declared && next.Ends // or it closes the value, and the model was stopped at it
		s.step(between, p, t, false, begun)
	case t.Kind <= OpensParameter && t.Bare:
		own := t.Property == o.Property || o.OwnOpener(t)
		if own {
			if o.From == t.At && !o.Element {
				s.restart(o, p, t, begun)
			}
			if s.mayFollow(next) {
				s.add(between, s.end(o, p, t, WrongCloser, false))
			}
			return
		}
		if t.isQuoted() || t.Kind == OpensOther && !t.Maybe && !s.call.AnyName && !(o.Whole && o.JSON.Begun) {
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

// end returns the path in which t closes the value.
func (s *Search) end(o *open, p path, t *Tag, slip Slip, own bool) path {
	inValue := o.Value.slips(t, own)
	if p.begun != nil && p.begun.again {
		inValue &^= 1 << Misfit // the value is dropped
	}
	p.slips = (p.slips|inValue).with(slip, !own).with(QuotedTag, o.Fenced && !t.Edge.fenced)
	p.tags += o.CallTags
	e := &End{From: o.From, At: t.At, Len: t.Len, Markup: o.HoldsMarkup(), Doubtful: o.crossed, own: own, whole: o.typed() && o.Value.Whole, closer: o.Closer}
	if !own {
		e.Reason = Slips[slip].Name
		e.Doubtful = e.Doubtful || o.passed && o.Value.stands && !e.whole || slices.ContainsFunc(o.open, func(e element) bool { return e.param }) // half a parameter
	}
	p.ends = e.behind(p.ends)
	return p
}

// isEmpty reports whether the value has no text before t.
func (s *Search) isEmpty(o *open, t *Tag) bool {
	return o.From == t.At || o.From == s.tagEnd && t.Gap != Text
}

// endBefore returns the path in which the value ends before t, without a closing tag.
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
