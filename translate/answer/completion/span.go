package completion

import (
	"bytes"
	"slices"
)

// What each part of a completion is read as. The input notes it for a [Trace]; without one nothing is
// noted.

// SpanKind is what a part of a completion is.
type SpanKind uint8

// The kinds of a [Span]. The last two are not decided on yet.
const (
	SpanText    SpanKind = iota // text, or thinking
	SpanMarkup                  // a tag of a call or of thinking, a tool's name in it, and the white space around
	SpanValue                   // the value of a parameter, or a call in JSON
	SpanDropped                 // no part of the answer: a comment, text without a place in a call, what follows the answer
	SpanHeld                    // waits for more text: it may be the beginning of a tag, or of a call that is none
	SpanDoubt                   // waits for what follows: it is doubtful where a value ends
)

// spanNames are the names of the kinds.
var spanNames = [...]string{
	SpanText: "text", SpanMarkup: "markup", SpanValue: "value", SpanDropped: "dropped", SpanHeld: "held", SpanDoubt: "doubt",
}

// String returns the name of the kind, as in JSON.
func (k SpanKind) String() string { return spanNames[k] }

// MarshalText returns the name of the kind.
func (k SpanKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Span is a part of a completion. It begins where the one before it ends.
type Span struct {
	End  int      `json:"end"` // in bytes of the completion
	Kind SpanKind `json:"kind"`
}

// Spans is what was read of all that was fed, in bytes of that. No two that stand side by side are of
// one kind. A nil *spans notes nothing.
type Spans struct {
	List  []Span
	call  int // where the last call begins
	blank int // where the white space between tags begins that was read last; at the end if that was something else
	Same  int // what stands before this has not changed since it was last set
}

// note notes that the text from one offset to another is of the kind, and forgets what was noted of
// the text from there on.
func (s *Spans) note(from, to int, kind SpanKind) {
	s.Same = min(s.Same, from)
	n := s.Index(from)
	if n < len(s.List) {
		s.List = s.List[:n+1]
		if s.List[n].End = from; s.start(n) == from {
			s.List = s.List[:n]
		}
	}
	s.add(to, kind)
	s.blank = to
}

// noteBlanks is note for white space between tags, which may come in pieces.
func (s *Spans) noteBlanks(from, to int) {
	blank := min(s.blank, from)
	s.note(from, to, SpanMarkup)
	s.blank = blank
}

// noteStray is note for text that has no place in a call. White space around it is not part of it, but
// that between two such texts is.
func (s *Spans) noteStray(from int, text []byte) {
	blank := min(s.blank, from)
	if n := s.Index(blank - 1); n < len(s.List) && s.List[n].Kind == SpanDropped && s.List[n].End == blank {
		s.note(blank, from, SpanDropped)
	}
	words := from + len(bytes.TrimRight(text, " \t\r\n"))
	s.note(from, words, SpanDropped)
	s.noteBlanks(words, from+len(text))
}

// add adds a span up to an offset.
func (s *Spans) add(to int, kind SpanKind) {
	n := len(s.List)
	switch {
	case s.start(n) == to:
	case n > 0 && s.List[n-1].Kind == kind:
		s.List[n-1].End = to
	default:
		s.List = append(s.List, Span{to, kind})
	}
}

// Index returns the index of the span that ends after an offset.
func (s *Spans) Index(offset int) int {
	n, _ := slices.BinarySearchFunc(s.List, offset, func(e Span, offset int) int {
		if e.End <= offset {
			return -1
		}
		return 1
	})
	return n
}

// start returns where the span of that index begins.
func (s *Spans) start(n int) int {
	if n == 0 {
		return 0
	}
	return s.List[n-1].End
}

// replace turns the spans of one kind into another, from the last call on.
func (s *Spans) replace(old, kind SpanKind) {
	if s == nil {
		return
	}
	n := s.Index(s.call)
	changed := slices.Clone(s.List[n:])
	for i, e := range changed {
		if e.Kind == old {
			changed[i].Kind = kind
		}
	}
	s.note(s.call, s.call, kind)
	for _, e := range changed {
		s.add(e.End, e.Kind)
	}
	s.blank = s.start(len(s.List))
}

// BeginCall notes where a call begins.
func (s *Spans) BeginCall(offset int) {
	if s != nil {
		s.call = offset
	}
}

// MakeStray notes that what was read of the call's values has no place in it.
func (s *Spans) MakeStray() { s.replace(SpanValue, SpanDropped) }

// RestoreStray notes that what has no place in the call is text of the answer after all.
func (s *Spans) RestoreStray() { s.replace(SpanDropped, SpanText) }

// RestoreBlanks notes that the white space that was read last is not layout but text.
func (s *Spans) RestoreBlanks() {
	if s != nil {
		s.note(s.blank, s.start(len(s.List)), SpanText)
	}
}
