package held

// This file tells where a tag could be one of the call.

// Follow is what stands behind a tag.
type Follow struct {
	Tag  *Tag // the next tag, if white space alone stands before it; nil for none
	Ends bool // the text ends there, and the model has ended it
}

// beginsHere reports whether a tag stands where the next one of the call would: at the beginning of a line, behind a
// closing tag or, unless values stand on lines of their own, right behind a word: sure says that it does not stand
// behind a quotation mark, which may open a quotation. Elements have names that texts have, too: they do not stand
// behind a word.
func (s *Search) beginsHere(t *Tag) (here, sure bool) {
	switch {
	case t.Edge.beginsLine(), s.closed && t.Gap != Text:
		return true, true
	case t.Unopened || !t.IsNamed(parameterName) || s.call.Lines && s.call.Padded:
		return false, false
	}
	return t.Edge.isWord() || t.Edge.isQuote(), !t.Edge.isQuote()
}

// stands reports whether t, which is text of the value, stands where the call could go on.
func (s *Search) stands(t *Tag, next Follow, o *open) bool {
	switch t.Kind {
	case ClosesParameters:
		return next.Ends || next.Tag != nil && (next.Tag.Kind == ClosesCall || next.Tag.Kind == ClosesWrapper)
	case ClosesCall:
		return next.Ends || next.Tag != nil && (next.Tag.Kind == ClosesWrapper || next.Tag.Kind == OpensStructure)
	case ClosesWrapper:
		return next.Ends || next.Tag != nil && next.Tag.Kind == OpensStructure
	case ClosesOther:
		may := (t.Declared || t.Maybe) && (o.Element || len(t.Name) == 0 || !o.Saw(t.Name[0])) // else it may close an element of the value
		again := s.call.ClosedTwice && t.Closes(o.Closer) && next.Tag != nil && next.Tag.Closes(o.Closer)
		return again || (may || t.Closes(o.Closer)) && s.mayFollow(next)
	case OpensParameter, OpensOther, OpensStructure:
		known := t.Declared || t.Maybe || t.Kind == OpensStructure || s.call.Attribute && t.IsNamed(parameterName)
		if t.Kind != OpensStructure && t.Property == o.Property {
			return t.Bare && !o.Element && o.From == t.At
		}
		here, _ := s.beginsHere(t)
		return here && known && (t.Declared || !s.isEmpty(o, t)) && (t.Kind == OpensStructure || t.Bare && !t.Given) && !t.isQuoted()
	}
	return false
}

// mayFollow reports whether what stands behind a tag can follow a value.
func (s *Search) mayFollow(next Follow) bool {
	t := next.Tag
	switch {
	case t == nil:
		return next.Ends
	case t.Kind == OpensParameter, t.Kind == OpensOther:
		return (t.Bare || t.Empty) && (t.Declared || t.Maybe || s.call.AnyName || s.call.Attribute && t.IsNamed(parameterName))
	}
	return t.Kind == OpensStructure || t.Kind >= ClosesParameters && t.Kind <= ClosesWrapper
}
