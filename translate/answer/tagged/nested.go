package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// In some formats, parameters are elements with their own names, and a mark (markup.Mark) stands before each tag:
//
//	]<]minimax[>[<invoke name="book">
//	]<]minimax[>[<note>text]<]minimax[>[</note>
//	]<]minimax[>[<tags>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[</tags>
//	]<]minimax[>[</invoke>
//
// No value contains the mark. So a tag with the mark belongs to the call, and everything else is text. The call is
// ambiguous if tags are not balanced, or if a value mixes text and elements. The opening tag of a parameter may be
// missing. Then the value follows the mark or <invoke>, and only its closing tag contains the name.

// nestedTag is a tag with a mark before it.
type nestedTag struct {
	len       int
	name      string // the name of the element, or the name attribute of a <parameter> tag
	closing   bool
	attribute bool // the tag is a <parameter> tag with a name attribute
	invoke    bool // the tag opens or closes the call
	wrapper   bool // the tag opens or closes the wrapper
}

// isStructure reports whether t opens or closes the call or its wrapper.
func (t *nestedTag) isStructure() bool { return t.invoke || t.wrapper }

// matchNestedTag matches the tag at the beginning of rest, which begins with a whole mark. The verdict is NoMatch
// if no tag follows the mark.
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

// readNested does what readCall does, for these calls. It reads the opening tag of a parameter, a mark without a
// tag, or text at the beginning of the call (inNestedValue). At the end of the call, at the end of its wrapper and
// at the next call, it ends the call.
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
		return r.close(messages.ReasonNone)
	case t.isStructure() && (t.closing || len(call.Parameters) > 0):
		return r.close(messages.ReasonMissingCloser)
	case t.isStructure(): // the model may have begun the call again
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

// beginNamedValue does what beginValue does, for a parameter with a tag of n bytes (inNestedValue).
func (r *Reader) beginNamedValue(n int, property, tag string, element bool) state {
	if next := r.beginValue(markup.Tag{Len: n}, property, tag, element); next != atValue {
		return next
	}
	r.value.text.From = r.in.Offset()
	return inNestedValue
}

// waitOrCut waits for the rest of a tag between parameters. If the text was cut inside the tag, it breaks off the
// call.
func (r *Reader) waitOrCut() state {
	if !r.in.EOF {
		return wait
	}
	r.in.TakeAll(completion.SpanMarkup)
	return r.leave(BrokenOff)
}

// passCloser skips a repeated closing tag of a parameter that was already given.
func (r *Reader) passCloser(t *nestedTag) state {
	property, _, _ := r.call.Schema.PropertyByTag(t.name)
	if !r.call.Parameters[property] {
		return r.doubtful()
	}
	r.call.NoteReason(messages.ReasonStrayCloser)
	r.in.Take(t.len, completion.SpanDropped)
	return inCall
}

// beginUnnamed begins a value without an opening tag. A mark of n bytes precedes the value.
func (r *Reader) beginUnnamed(n int) state {
	r.in.Take(n, completion.SpanMarkup)
	r.value = valueSeen{open: true, mode: modeHeld, unnamed: true}
	r.value.text.Schema = format.AnyValue
	return inNestedValue
}

// mayBeMark reports whether rest is the beginning of a mark, or exactly a mark. The reader then needs more text.
func mayBeMark(rest []byte) bool {
	return markup.IsPrefixOf(rest, markup.Mark) || string(rest) == markup.Mark
}
