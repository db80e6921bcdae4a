package held

// This file decides where a tag could belong to the call.

// Follow is the text after a tag.
type Follow struct {
	Tag  *Tag // the next tag, if only white space precedes it; else nil
	Ends bool // the text ends here, and the model ended it

	Object bool // text begins with a brace, as an object does
}

// beginsHere reports whether t is in a place where the next tag of the call would be. These places are the start of
// a line, and after a closing tag. A <parameter> tag may also follow a word or a quotation mark directly, unless
// values are on lines of their own. Other elements may not, because plain text has elements of the same names. sure
// is false after a quotation mark, which may begin a quotation.
func (s *Search) beginsHere(t *Tag) (here, sure bool) {
	switch {
	case t.Edge.beginsLine(), s.closed && t.Gap != Text:
		return true, true
	case t.Unopened || !t.IsNamed(parameterName) || s.call.Lines && s.call.Padded:
		return false, false
	}
	return t.Edge.isWord() || t.Edge.isQuote(), !t.Edge.isQuote()
}

// stands reports whether the call could go on with t, which is text of the value.
func (s *Search) stands(t *Tag, next Follow, o *open) bool {
	switch t.Kind {
	case ClosesParameters:
		return next.Ends || next.Tag != nil && (next.Tag.Kind == ClosesCall || next.Tag.Kind == ClosesWrapper)
	case ClosesCall:
		return next.Ends || next.Tag != nil && (next.Tag.Kind == ClosesWrapper || next.Tag.Kind == OpensStructure)
	case ClosesWrapper:
		return next.Ends || next.Tag != nil && next.Tag.Kind == OpensStructure
	case ClosesOther:
		may := (t.Declared || t.Maybe) && (o.Element || len(t.Name) == 0 || !o.Saw(t.Name[0])) // else t may close an element of the value
		again := s.call.ClosedTwice && t.Closes(o.Closer) && next.Tag != nil && next.Tag.Closes(o.Closer)
		return again || (may || t.Closes(o.Closer)) && s.mayFollow(o, next)
	case OpensParameter, OpensOther, OpensStructure:
		known := t.Declared || t.Maybe || t.Kind == OpensStructure || s.call.Attribute && t.IsNamed(parameterName)
		if t.Kind != OpensStructure && t.Property == o.Property {
			return t.Bare && !o.Element && o.From == t.At
		}
		here, _ := s.beginsHere(t)
		return here && known && !o.isText(t) && (t.Declared || !s.isEmpty(o, t)) && (t.Kind == OpensStructure || t.Bare && !t.Given) && !t.isQuoted()
	}
	return false
}

// opensCall reports whether t, which is text of a value, begins another call: the name of an offered tool is in t, and
// a parameter or an object follows. Or the element with the name of the tool follows.
func (s *Search) opensCall(t *Tag, next Follow) bool {
	switch {
	case t.isQuoted():
		return false
	case t.Call:
		return next.Object || next.Tag != nil && next.Tag.IsNamed(parameterName) && !next.Tag.Nameless
	}
	return t.Structure && t.Bare && string(t.Name) == "invoke" && next.Tag != nil && string(next.Tag.Name) == "tool_name"
}

// mayFollow reports whether the text after a tag can follow the value.
func (s *Search) mayFollow(o *open, next Follow) bool {
	t := next.Tag
	switch {
	case t == nil:
		return next.Ends
	case t.Kind == OpensParameter, t.Kind == OpensOther:
		return (t.Bare || t.Empty && !t.Nameless) && !o.isText(t) && (t.Declared || t.Maybe || s.call.AnyName || s.call.Attribute && t.IsNamed(parameterName))
	}
	return t.Kind == OpensStructure || t.Kind >= ClosesParameters && t.Kind <= ClosesWrapper
}
