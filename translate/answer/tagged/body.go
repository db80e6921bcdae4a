package tagged

import (
	"bytes"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads the text between the parameters of a call: the tag of the next parameter, the tags of the call's
// own structure, and stray text. Stray text is text that models write there although the format has no place for
// it (docs/reference/legacy-format.md §12 row 10).

// MaxParameters limits the parameters of a call. Above the limit, Dragoman breaks off the call (G6).
const MaxParameters = 10_000

// bodySeen records what has been read between the parameters.
type bodySeen struct {
	keys             []string   // the names of parameters that still lack a value: see readLoneKey
	begunTwice       bool       // <invoke name="…"> stands twice: restarted, or two calls
	restarted        bool       // the model began the call again, after a prefill or <parameters>
	parametersClosed bool       // </parameters> was read
	ends             []held.End // where the next values end, if package held has decided: see doubt.go
	gap, before      layout     // white space before the next tag so far, and before the last tag
	strayText        bool       // stray text stands between the last tag and the next one
	strayLine        bool       // the stray text so far is one line that will be dropped: see readStrayText
	inLine           bool       // stray text precedes the next text on the same line
}

// readCall is the function of the state inCall. It reads one of these:
//
//	<p>, <parameter name="p">      the opening tag of a parameter (atValue)
//	{                              an input that is one JSON object (inValue)
//	</invoke>, </function_calls>   the end of the call (the reader leaves the call)
//	<invoke>, <function_calls>     the next call: this call was not closed (the reader leaves the call)
//	<parameters>, </parameters>    a tag of the structure (inCall)
//	<!-- … -->                     a comment (inCall)
//	parameter name="p">, /invoke>  one of these tags without its `<` or `</`: see unbracketed.go
//	anything else                  stray text: held or dropped, or a pending call is given back
func (r *Reader) readCall() state {
	call := r.call
	if call.Spelling.IsNested() {
		return r.readNested()
	}
	blank := r.in.Rest()
	more := r.in.SkipBlanks()
	blank = blank[:len(blank)-len(r.in.Rest())]
	r.open.gap.note(blank)
	if r.straysTooFar(blank) {
		call.Stray = append(call.Stray, blank...)
		return r.leave(Strayed)
	}
	r.open.inLine = r.open.inLine && bytes.IndexByte(blank, '\n') < 0
	if r.open.strayLine && (more && r.in.Rest()[0] == '<' || !more && r.in.EOF || bytes.IndexByte(blank, '\n') >= 0) {
		call.Stray, r.open.strayLine = nil, false
	}
	if len(call.Stray) > 0 {
		call.Stray = append(call.Stray, blank...)
	}
	if !more {
		if !r.in.EOF {
			return wait
		}
		return r.closeAtEOF()
	}
	rest := r.in.Rest()
	if rest[0] != '<' {
		return r.readBeforeTag(rest)
	}
	switch n, v := markup.MatchComment(rest, r.in.EOF); v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		r.open.inLine = false
		return r.readComment(n)
	}
	t, v := r.MatchTag(rest)
	if v == markup.NeedMore {
		return wait
	}
	if v == markup.NoMatch {
		if r.in.EOF && (bytes.IndexByte(rest, '>') < 0 || r.in.CutShort && r.endsWithin(rest)) { // the text was cut inside a tag
			r.in.TakeAll(completion.SpanMarkup)
			return r.leave(BrokenOff)
		}
		if r.readLoneKey(rest) {
			return inCall
		}
		return r.readStrayText(rest)
	}
	if !r.respell(&t) {
		return wait
	}
	r.open.before, r.open.gap, r.open.inLine = r.open.gap, layout{}, false
	unopened := r.open.strayText && call.Spelling != nil && !call.StrayTag && !r.IsPending()
	if r.open.strayText = false; unopened && t.Closing && t.Is("parameter") {
		return r.doubtful() // the stray text was a value, but its opening tag cannot be read
	}
	if t.Closing {
		return r.readClosingTag(t)
	}
	return r.readOpeningTag(t)
}

// readBeforeTag reads text that does not begin with `<`. The text may be a JSON input, a tag of another form that
// begins the next call, a tag that has lost its bracket, or stray text.
func (r *Reader) readBeforeTag(rest []byte) state {
	call := r.call
	if (rest[0] == '{' || rest[0] == '"') && call.Spelling.IsJSON() && r.mayBeObject() {
		r.Hold()
		return r.leave(ObjectNext)
	}
	if r.reads.BeginsTag(rest[0]) && r.lacksInput() {
		switch t, v := r.MatchTag(rest); {
		case v == markup.NeedMore:
			return wait
		case v == markup.Match && call.Opening && !r.open.restarted && r.opensAgain(t):
			r.open.restarted = true
			r.call.NoteReason(messages.ReasonRestarted)
			r.in.Take(t.Len, completion.SpanMarkup)
			return inCall
		case v == markup.Match && !t.Closing:
			return r.close(messages.ReasonMissingInput)
		}
	}
	if !r.open.inLine { // stray text continues to the end of its line, however the pieces divide it
		switch next, v := r.readUnbracketed(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return next
		}
	}
	return r.readStrayText(rest)
}

// readComment reads a comment of n bytes. It drops the comment, unless the comment follows stray text that is
// held.
func (r *Reader) readComment(n int) state {
	if call := r.call; len(call.Stray) > 0 {
		call.Stray = append(call.Stray, r.in.Rest()[:n]...)
	}
	r.call.NoteReason(messages.ReasonStrayText)
	r.in.Take(n, completion.SpanDropped)
	return inCall
}

// readClosingTag reads a closing tag between parameters: the end of the call, the end of its parameters, or a
// stray tag.
func (r *Reader) readClosingTag(t markup.Tag) state {
	r.call.NoteSlip(&t)
	call, kind := r.call, completion.SpanMarkup
	switch {
	case t.Is("invoke"):
		r.in.Take(t.Len, completion.SpanMarkup)
		if r.call.ParametersOpen {
			r.call.NoteReason(messages.ReasonMissingCloser)
		}
		return r.close(messages.ReasonNone)
	case t.IsWrapper():
		return r.close(messages.ReasonMissingCloser)
	case t.Is("parameters"):
		if !call.ParametersOpen {
			call.NoteReason(messages.ReasonStrayCloser)
		}
		call.ParametersOpen, r.open.parametersClosed = false, true
	case r.IsPending() && !(call.Spelling != nil && !call.Unoffered && t.Is("parameter")):
		return r.giveBack(messages.ReasonStrayCloser)
	case t.Is("parameter") && call.AfterOpen && len(r.call.Parameters) == 0: // it closes the last value of the call before
		return r.doubtful()
	default:
		if len(r.call.Stray) > 0 {
			r.call.Stray = append(r.call.Stray, r.in.Rest()[:t.Len]...)
		}
		r.call.NoteReason(messages.ReasonStrayCloser)
		kind = completion.SpanDropped
	}
	r.in.Take(t.Len, kind)
	return inCall
}

// readOpeningTag reads an opening tag between parameters. The tag opens a parameter, belongs to the call's own
// structure, or is stray.
func (r *Reader) readOpeningTag(t markup.Tag) state {
	call := r.call
	call.NoteSlip(&t)
	tag, element := string(t.Full), true
	if t.Is("parameter") {
		name, ok := t.NameAttribute()
		switch {
		case len(r.open.keys) > 0:
			if name, ok = r.nextKey(name); !ok {
				return r.readStrayTag(t)
			}
			tag, element = name, false
		case ok:
			if tag, element = r.trimmedName(name), false; tag != name {
				r.call.NoteReason(messages.ReasonTagSpelling)
			}
		case t.Spelling != nil: // <arg_value> without a key
			return r.readStrayTag(t)
		}
	}
	property, _, declared := call.Schema.PropertyByTag(tag)
	if element && !call.StrayTag {
		reading := asStructure
		if (declared || r.mayBeDeclared(tag)) && (t.Spelling == nil || !t.Is("parameters")) {
			reading = r.readingOf(&t)
		}
		switch reading {
		case undecided:
			return wait
		case asEither:
			return r.doubtful()
		case asStructure:
			if next, ok := r.readStructure(t); ok {
				return next
			}
		}
	}
	switch {
	case t.Spelling != nil && element && !declared: // in this spelling, parameters have other tags
		return r.readStrayTag(t)
	case t.Empty && t.HasValues(): // <parameter name="a" value="x"/>
		return r.readStrayTag(t)
	case call.JSONInput, call.StrayTag, element && !declared && len(call.Stray) > 0, bytes.IndexByte(call.Stray, '{') >= 0:
		return r.readStrayTag(t)
	case len(call.Parameters) == MaxParameters:
		return r.tooLong()
	case call.WrapperOpen, !element, call.ParametersOpen, declared:
		r.Open()
	}
	if element && !call.ParametersOpen {
		r.call.NoteReason(messages.ReasonNoParametersTag)
	}
	call.Stray = nil // text before a parameter was not meant as the input
	if element && len(t.Attributes) > 0 {
		r.call.NoteReason(messages.ReasonAttributes)
	}
	return r.beginValue(t, property, tag, element)
}

// trimmedName returns the name of a parameter without white space around it, if the tool declares that name.
func (r *Reader) trimmedName(name string) string {
	if trimmed := strings.TrimSpace(name); trimmed != name && r.call.Schema.Declares([]byte(trimmed)) && !r.call.Schema.Declares([]byte(name)) {
		return trimmed
	}
	return name
}

// readStrayTag reads an opening tag that has no place in the call. Such a call cannot be read to its end: close
// ends it as unreadable.
func (r *Reader) readStrayTag(t markup.Tag) state {
	if r.IsPending() {
		return r.giveBack(messages.ReasonStrayText)
	}
	r.call.Stray = append(r.call.Stray, r.in.Rest()[:t.Len]...)
	r.call.StrayTag, r.call.Unread = true, true
	r.call.NoteReason(messages.ReasonStrayText)
	r.in.Take(t.Len, completion.SpanDropped)
	return inCall
}

// MatchFencedInput matches the line that opens a Markdown code fence before the input of the call. The input must
// be a JSON object or, in spellings with JSON, may be a string that contains one. n is the index of the input. The
// tool must be offered.
func (r *Reader) MatchFencedInput(rest []byte) (n int, v markup.Verdict) {
	if r.call.Unoffered || rest[0] != '`' {
		return 0, markup.NoMatch
	}
	if n, v = r.matchFencedLine(rest); v != markup.NoMatch {
		return n, v
	}
	n, v = r.in.MatchFence(rest)
	if v != markup.Match {
		return 0, v
	}
	n, v = r.in.MatchBlanks(rest, n, completion.MaxGap)
	if v == markup.Match {
		v = markup.VerdictOf(n < len(rest) && r.beginsInput(rest[n]))
	}
	return n, v
}

// matchFencedLine does what MatchFencedInput does, for an input on the line that opens the fence:
//
//	```json {"count":3}```
func (r *Reader) matchFencedLine(rest []byte) (n int, v markup.Verdict) {
	ticks := 0
	for ticks < len(rest) && ticks < completion.MaxInfo && rest[ticks] == '`' {
		ticks++
	}
	n = ticks
	for n < len(rest) && n < completion.MaxInfo && (rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z') {
		n++
	}
	for n < len(rest) && n < completion.MaxInfo && (rest[n] == ' ' || rest[n] == '\t') {
		n++
	}
	switch {
	case n == len(rest) && n < completion.MaxInfo:
		return 0, r.in.NeedMore()
	case ticks < len(completion.Fence) || n == completion.MaxInfo:
		return 0, markup.NoMatch
	}
	return n, markup.VerdictOf(r.beginsInput(rest[n]))
}

// beginsInput reports whether the input of the call may begin with c.
func (r *Reader) beginsInput(c byte) bool { return c == '{' || c == '"' && r.call.Spelling.IsJSON() }
