package tagged

import (
	"bytes"
	"cmp"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// This file reads the values of calls that have a mark before each tag: see nested.go.

// maxElements limits how deep elements may be nested in a value.
const maxElements = 64

// readNestedValue is the function of the state inNestedValue. It writes the value up to its end (inCall).
func (r *Reader) readNestedValue() state { return r.readValueBy((*Reader).readNestedText) }

// readNestedText writes the part of the value that is already certain. If it finds the end of the value, it ends
// the value. If not, it returns wait.
func (r *Reader) readNestedText() state {
	for r.value.open {
		if r.holdsTooMuch() {
			return r.tooLong()
		}
		rest := r.in.Rest()
		if n := r.nextNested(rest); n > 0 {
			r.takeNested(n)
			continue
		}
		next := wait
		switch {
		case len(rest) == 0:
		case rest[0] == '&':
			if r.in.ReadEntity(r.escaped, r.value.tag, completion.SpanValue, r.writeValue) {
				next = inNestedValue
			}
		case rest[0] == '<':
			next = r.readPlainCloser(rest)
		case !mayBeMark(rest):
			next = r.readNestedTag(rest)
		}
		if next != inNestedValue {
			return next
		}
	}
	return inCall
}

// takeNested reads n bytes as text of the value.
func (r *Reader) takeNested(n int) state {
	r.writeValue(r.in.Rest()[:n])
	r.in.Take(n, completion.SpanValue)
	return inNestedValue
}

// nextNested returns the index of the first byte of rest that may begin a tag of the call, one of Dragoman's
// escapes, or the value's own closing tag without a mark. If there is no such byte, it returns len(rest).
func (r *Reader) nextNested(rest []byte) int {
	for from, n := 0, 0; ; n++ {
		from, n = n, completion.IndexEither(rest, n, markup.Mark[0], '<')
		if r.escaped.Tags != 0 {
			n = from + completion.NextEntity(rest[from:], n-from)
		}
		if n == len(rest) || rest[n] == '&' || markup.IsPrefixOf(rest[n:], markup.Mark) || markup.HasPrefix(rest[n:], markup.Mark) {
			return n
		}
		if rest[n] == '<' && !r.value.unnamed && mayClose(rest[n:], r.value.text.Closer) {
			return n
		}
	}
}

// mayClose reports whether s begins with the closing tag of this name, or with the beginning of that tag. s begins
// with `<`.
func mayClose(s []byte, name string) bool {
	if len(s) > 1 && s[1] != '/' {
		return false
	}
	s = s[min(2, len(s)):]
	return markup.IsPrefixOf(s, name) || markup.HasPrefix(s, name) && (len(s) == len(name) || s[len(name)] == '>')
}

// readNestedTag reads the tag at the beginning of rest, which may still be incomplete. The tag belongs to an
// element inside the value (inNestedValue), or ends the value.
func (r *Reader) readNestedTag(rest []byte) state {
	v := &r.value
	t, verdict := r.matchNestedTag(rest)
	depth := len(v.elements)
	switch {
	case verdict == markup.NeedMore:
		return wait
	case v.ahead.end > r.in.Offset(): // the tag is text: see isStructureText
		return r.takeNested(max(t.len, len(markup.Mark)))
	case verdict == markup.NoMatch && (depth > 0 && v.elements[depth-1] == "" || !r.mayHoldElements()):
		return r.doubtful()
	case verdict == markup.NoMatch: // an element without an opening tag
		r.call.NoteReason(messages.ReasonWrongOpener)
		t.len = len(markup.Mark)
		return r.openElement(&t)
	case depth > 0 && t.closing && !t.isStructure() && (t.name == v.elements[depth-1] || v.elements[depth-1] == ""):
		v.elements = v.elements[:depth-1]
		return r.takeNested(t.len)
	case depth > 0 && (t.closing || t.isStructure()):
		return r.doubtful()
	case depth > 0:
		return r.openElement(&t)
	case v.unnamed:
		return r.readUnnamedTag(&t)
	case t.closing && t.name == v.text.Closer:
		return r.endNested(t.len)
	case t.isStructure():
		switch r.isStructureText(rest) {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return r.takeNested(t.len)
		}
		r.endUnclosed()
		return r.endNested(0)
	case t.closing:
		return r.doubtful()
	case r.mayHoldElements():
		return r.openElement(&t)
	case r.mayBeNext(&t):
		r.endUnclosed()
		return r.endNested(0)
	}
	return r.doubtful()
}

// ahead records how far the text was searched for the closing tag of a nested value.
type ahead struct {
	looked int // how many bytes from the first tag of a call on were searched
	depth  int // how many elements named like the value were open there
	end    int // the offset of the closing tag, if it was found
}

// isStructureText reports whether the tag of a call at the start of rest is text of the value. It is if the value's own
// closing tag follows. If the tag ends an unclosed value, the tags with the name of the value are balanced after it.
// All such searches share the limit of doubts.
func (r *Reader) isStructureText(rest []byte) markup.Verdict {
	v := &r.value
	a := &v.ahead
	text := rest[:min(len(rest), MaxDoubt)]
	if a.looked == 0 && r.Followed > freeDoubt+doubtPerByte*r.in.Offset() {
		return markup.NoMatch
	}
	from := a.looked
	defer func() { r.Followed += max(a.looked-from, 0) }()
	for {
		i := bytes.Index(text[a.looked:], []byte(markup.Mark))
		if i < 0 {
			a.looked = max(a.looked, len(text)-len(markup.Mark)+1)
			break
		}
		a.looked += i
		if mayBeMark(text[a.looked:]) {
			break
		}
		t, found := r.matchNestedTag(text[a.looked:])
		switch {
		case found == markup.NeedMore && len(text) < MaxDoubt:
			return r.in.NeedMore()
		case found == markup.Match && t.name == v.text.Closer && t.closing && a.depth == 0:
			*a = ahead{end: r.in.Offset() + a.looked}
			return markup.Match
		case found == markup.Match && t.name == v.text.Closer && t.closing:
			a.depth--
		case found == markup.Match && t.name == v.text.Closer:
			a.depth++
		}
		a.looked += max(t.len, len(markup.Mark))
	}
	if len(text) == MaxDoubt {
		return markup.NoMatch
	}
	return r.in.NeedMore()
}

// mayHoldElements reports whether an element may begin in the value. It may if the value already contains
// elements, or if the value contains no text and its schema allows more than scalars.
func (r *Reader) mayHoldElements() bool {
	v := &r.value
	if v.elements != nil {
		return true
	}
	return v.mode == modeHeld && !v.unnamed && !v.text.Schema.IsScalar() && !v.text.Schema.IsEnum() && isBlank(v.held)
}

// openElement reads the opening tag of an element in the value (inNestedValue).
func (r *Reader) openElement(t *nestedTag) state {
	if len(r.value.elements) == maxElements {
		return r.doubtful()
	}
	r.value.elements = append(r.value.elements, t.name)
	return r.takeNested(t.len)
}

// mayBeNext reports whether t names a parameter that the tool declares and that the call does not have yet.
func (r *Reader) mayBeNext(t *nestedTag) bool {
	property, _, declared := r.call.Schema.PropertyByTag(t.name)
	return declared && !r.call.Parameters[property] && property != r.value.text.Property
}

// readUnnamedTag does what readNestedTag does, for a value without an opening tag. The closing tag of the value
// contains the name of the parameter. If only white space precedes another tag, there is no value.
func (r *Reader) readUnnamedTag(t *nestedTag) state {
	held := r.value.held
	switch {
	case isBlank(held) && !(t.closing && !t.isStructure()):
		r.call.NoteReason(messages.ReasonStrayText)
		r.value = valueSeen{}
		return inCall
	case !t.closing || t.isStructure() || !r.mayBeNext(t):
		return r.doubtful()
	}
	r.call.NoteReason(messages.ReasonWrongOpener)
	r.Open()
	property, _, _ := r.call.Schema.PropertyByTag(t.name)
	if next := r.beginNamedValue(0, property, t.name, true); next != inNestedValue {
		return next
	}
	r.writeValue(held)
	return r.endNested(t.len)
}

// readPlainCloser reads the value's own closing tag, written without a mark. rest begins with the tag, or with its
// beginning. The tag ends the value if a tag of the call or the next parameter follows.
func (r *Reader) readPlainCloser(rest []byte) state {
	n := len("</>") + len(r.value.text.Closer)
	if len(rest) < n {
		return wait
	}
	i, v := r.in.MatchBlanks(rest, n, completion.MaxGap)
	if len(r.value.elements) > 0 || v == markup.NoMatch {
		return r.takeNested(1)
	}
	switch behind := rest[i:]; {
	case v == markup.NeedMore, mayBeMark(behind):
		return wait
	case !markup.HasPrefix(behind, markup.Mark):
		return r.takeNested(1)
	}
	t, v := r.matchNestedTag(rest[i:])
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match && (t.isStructure() || !t.closing && r.mayBeNext(&t)):
		r.call.NoteReason(messages.ReasonWrongCloser)
		r.value.misclosed = true
		return r.endNested(n)
	}
	return r.takeNested(1)
}

// endNested does what endValue does, for a value that may consist of elements.
func (r *Reader) endNested(n int) state {
	v := &r.value
	if v.elements == nil {
		return r.endValue(n)
	}
	r.in.Take(n, completion.SpanMarkup)
	v.open = false
	if v.duplicate {
		return inCall
	}
	value, fits, ok := schema.AppendTypedMarked(nil, v.text.Schema, string(v.held))
	if !ok {
		return r.doubtful()
	}
	if !fits {
		r.call.Misfit = cmp.Or(r.call.Misfit, messages.ReasonType)
	}
	r.beginMember()
	r.out.Write(value)
	r.markWhole()
	return inCall
}

// isBlank reports whether text contains only white space.
func isBlank(text []byte) bool { return markup.SkipBlanks(text, 0, len(text)) == len(text) }

// endUnclosed ends a value without a closing tag of its own, before a tag of the call.
func (r *Reader) endUnclosed() decision {
	r.value.unclosed = true
	r.call.NoteReason(messages.ReasonMissingCloser)
	return endsValue
}
