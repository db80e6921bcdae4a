package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Calls whose parameters are elements of their own names, with a mark before each tag (markup.Mark):
//
//	]<]minimax[>[<invoke name="book">
//	]<]minimax[>[<note>text]<]minimax[>[</note>
//	]<]minimax[>[<tags>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[</tags>
//	]<]minimax[>[</invoke>
//
// No value holds the mark, so that a tag with it is one of the call, and all else is text. What is not
// balanced, or mixes text and elements, is doubtful. The opening tag of a parameter may be missing: the
// value then stands behind the mark, or behind <invoke>, and its closing tag has the name.

// nestedTag is a tag with a mark before it.
type nestedTag struct {
	len       int
	name      string // of an element; of a parameter that has its name as an attribute, that
	closing   bool
	attribute bool // it is such a parameter
	invoke    bool // it opens or closes the call
	wrapper   bool // … or the wrapper
}

// isStructure reports whether t is no tag of a parameter.
func (t *nestedTag) isStructure() bool { return t.invoke || t.wrapper }

// matchNestedTag matches the tag that rest begins with, whose mark is there. The verdict is NoMatch if the mark
// stands alone, or before what is no tag.
func (r *Reader) matchNestedTag(rest []byte) (t nestedTag, v markup.Verdict) {
	listed, v := r.call.Spelling.MatchListed(rest, false)
	switch {
	case v == markup.NeedMore:
		return t, v
	case v == markup.Match:
		t = nestedTag{listed.Len, string(listed.Full), listed.Closing, false, listed.Is("invoke"), listed.IsWrapper()}
		if name, ok := listed.NameAttribute(); ok && listed.Is("parameter") {
			t.name, t.attribute = name, true
		}
		return t, v
	}
	behind := rest[len(markup.Mark):]
	if behind[0] != '<' {
		return t, markup.NoMatch
	}
	t.len = len(markup.Mark) + 1
	if t.closing = len(behind) > 1 && behind[1] == '/'; t.closing {
		t.len++
	}
	name := rest[t.len:min(len(rest), t.len+markup.MaxParamTagLen)]
	n := bytes.IndexAny(name, "<>\n")
	switch {
	case n < 0 && len(name) < markup.MaxParamTagLen:
		return t, markup.NeedMore
	case n <= 0 || name[n] != '>' || name[n-1] == '/':
		return t, markup.NoMatch
	}
	t.name = string(name[:n])
	t.len += n + 1
	return t, markup.Match
}

// readNested is the state inCall for such a call. It reads the opening tag of a parameter, a mark without
// one, or text as the first thing in the call (inNestedValue), or the end of the call (betweenCalls,
// afterAnswer), maybe that of its wrapper or the next call.
func (r *Reader) readNested() state {
	call := r.call
	more := r.in.SkipBlanks()
	rest := r.in.Rest()
	switch {
	case !more && !r.in.EOF:
		return wait
	case !more:
		return r.closeAtEOF()
	case mayBeMark(rest):
		return r.waitOrCut()
	case !markup.HasPrefix(rest, markup.Mark) && len(call.Parameters) == 0:
		return r.beginUnnamed(0)
	case !markup.HasPrefix(rest, markup.Mark):
		return r.doubtful()
	case rest[len(markup.Mark)] != '<':
		return r.beginUnnamed(len(markup.Mark))
	}
	t, v := r.matchNestedTag(rest)
	switch {
	case v == markup.NeedMore:
		return r.waitOrCut()
	case v == markup.NoMatch:
		return r.doubtful()
	case t.invoke && t.closing:
		r.in.Take(t.len, completion.SpanMarkup)
		return r.close("")
	case t.isStructure() && (t.closing || len(call.Parameters) > 0):
		return r.close("missing_closer")
	case t.isStructure(): // the call may begin again
		return r.doubtful()
	case t.closing:
		return r.passCloser(&t)
	case len(call.Parameters) == MaxParameters:
		return r.tooLong()
	}
	r.Open()
	property, _, _ := call.Schema.PropertyByTag(t.name)
	return r.beginNamedValue(t.len, property, t.name, !t.attribute)
}

// beginNamedValue is beginValue for a parameter with a tag of n bytes (inNestedValue).
func (r *Reader) beginNamedValue(n int, property, tag string, element bool) state {
	if next := r.beginValue(markup.Tag{Len: n}, property, tag, element); next != atValue {
		return next
	}
	r.value.text.From = r.in.Offset()
	return inNestedValue
}

// waitOrCut waits for the rest of a tag between parameters, or breaks off the call that was cut in one.
func (r *Reader) waitOrCut() state {
	if !r.in.EOF {
		return wait
	}
	r.in.TakeAll(completion.SpanMarkup)
	return r.leave(BrokenOff)
}

// passCloser passes over the closing tag of a parameter that was given: it stands twice.
func (r *Reader) passCloser(t *nestedTag) state {
	property, _, _ := r.call.Schema.PropertyByTag(t.name)
	if !r.call.Parameters[property] {
		return r.doubtful()
	}
	r.call.NoteReason("stray_closer")
	r.in.Take(t.len, completion.SpanDropped)
	return inCall
}

// beginUnnamed begins a value whose opening tag is missing, behind a mark of n bytes.
func (r *Reader) beginUnnamed(n int) state {
	r.in.Take(n, completion.SpanMarkup)
	r.value = valueSeen{open: true, mode: modeHeld, unnamed: true}
	r.value.text.Schema = format.AnyValue
	return inNestedValue
}

// mayBeMark reports whether a mark may begin at the end of the text, or a tag behind one.
func mayBeMark(rest []byte) bool {
	return markup.IsPrefixOf(rest, markup.Mark) || string(rest) == markup.Mark
}
