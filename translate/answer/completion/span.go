package completion

import (
	"bytes"
	"slices"
)

// This file records what each part of a completion was read as. Only a trace needs the record; without a trace,
// nothing is recorded.

// SpanKind says what a part of a completion was read as.
type SpanKind uint8

// The kinds of a [Span]. SpanHeld and SpanDoubt are not final: later text decides.
const (
	SpanText    SpanKind = iota // answer text or thinking
	SpanMarkup                  // a tag of a call or of thinking, a tool name, or the white space around them
	SpanValue                   // the value of a parameter, or a call in JSON
	SpanDropped                 // not part of the answer: a comment, stray text in a call, or text after the answer
	SpanHeld                    // waits for more text: the beginning of a tag, or text that may become a call
	SpanDoubt                   // waits for more text: it is not clear yet where a value ends
)

// spanNames holds the names of the kinds.
var spanNames = [...]string{
	SpanText: "text", SpanMarkup: "markup", SpanValue: "value", SpanDropped: "dropped", SpanHeld: "held", SpanDoubt: "doubt",
}

// String returns the name of the kind in JSON.
func (k SpanKind) String() string { return spanNames[k] }

// MarshalText returns the name of the kind.
func (k SpanKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Span is a part of a completion. It begins where the previous span ends.
type Span struct {
	End  int      `json:"end"` // the offset of its end, in bytes of the completion
	Kind SpanKind `json:"kind"`
}

// Spans records what each byte of the completion was read as. Adjacent spans have different kinds. A nil *Spans
// records nothing.
type Spans struct {
	List  []Span
	call  int // where the last call begins
	blank int // where the last white space between tags begins; the end of the record if something else was read last
	Same  int // the spans before this offset have not changed since Same was last set
}

// note records that the bytes between two offsets are of the kind. It forgets all spans after the first offset.
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

// noteBlanks does what note does, for white space between tags. The white space may arrive in pieces.
func (s *Spans) noteBlanks(from, to int) {
	blank := min(s.blank, from)
	s.note(from, to, SpanMarkup)
	s.blank = blank
}

// noteStray does what note does, for stray text in a call. White space around stray text is markup, but white
// space between two pieces of stray text is stray text.
func (s *Spans) noteStray(from int, text []byte) {
	blank := min(s.blank, from)
	if n := s.Index(blank - 1); n < len(s.List) && s.List[n].Kind == SpanDropped && s.List[n].End == blank {
		s.note(blank, from, SpanDropped)
	}
	words := from + len(bytes.TrimRight(text, " \t\r\n"))
	s.note(from, words, SpanDropped)
	s.noteBlanks(words, from+len(text))
}

// add adds a span that ends at an offset.
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

// Index returns the index of the span that contains the byte at offset.
func (s *Spans) Index(offset int) int {
	n, _ := slices.BinarySearchFunc(s.List, offset, func(e Span, offset int) int {
		if e.End <= offset {
			return -1
		}
		return 1
	})
	return n
}

// start returns the offset where span n begins.
func (s *Spans) start(n int) int {
	if n == 0 {
		return 0
	}
	return s.List[n-1].End
}

// replace changes all spans of one kind to another kind, from the beginning of the last call on.
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

// BeginCall records where a call begins.
func (s *Spans) BeginCall(offset int) {
	if s != nil {
		s.call = offset
	}
}

// MakeStray records that the values of the last call are stray text.
func (s *Spans) MakeStray() { s.replace(SpanValue, SpanDropped) }

// RestoreStray records that the stray text of the last call is text of the answer.
func (s *Spans) RestoreStray() { s.replace(SpanDropped, SpanText) }

// RestoreBlanks records that the last white space between tags is text of the answer, not layout.
func (s *Spans) RestoreBlanks() {
	if s != nil {
		s.note(s.blank, s.start(len(s.List)), SpanText)
	}
}
