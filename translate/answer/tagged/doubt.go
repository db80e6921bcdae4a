package tagged

import (
	"bytes"

	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// If it is not clear which tag ends a value, the tags that follow decide. From the doubtful tag on, the reader
// holds the text, and package held follows all possible readings:
//
//	<a>1 <b>2</b> x</a>          b is text of a: no parameter follows </b>
//	<a>1 <b>2</b> </parameters>  b is a parameter: a has no closing tag, and b has one
//	<a>1</b> <b>2</a>            b and a are parameters, and their closing tags are swapped
//	<a>1</a> and <b>2</b>        " and " stands between the parameters a and b, and is dropped …
//	<a>1</a> and <b>2</b> x</a>  … but here it is text of a

// These limits apply to the text that is held in a doubt. Above them, the reader treats the text as part of the
// value. The value then has to end at its own closing tag, or the call is ambiguous.
const (
	MaxDoubt     = 64 << 10 // bytes
	maxDoubtTags = 4096
)

// A doubt may last to the end of the answer, and the next doubt may begin inside the same text. These limits make
// the work linear in the length of the answer. All doubts of an answer together may follow freeDoubt bytes, plus
// doubtPerByte bytes for each byte that was read. Each tag counts as tagCost additional bytes.
const (
	freeDoubt    = 1 << 20
	doubtPerByte = 2
	tagCost      = 64
)

// doubt is the text that is held. Offsets are in bytes from the doubtful tag on, if their comment names no other
// start.
type doubt struct {
	search  *held.Search
	from    int       // the offset of the doubtful tag in the completion
	scanned int       // how many bytes have been scanned
	tag     *held.Tag // the last tag that was found; it is followed when the text after it is known
	tagEnd  int       // the end of that tag
	done    int       // the end of the last tag that was followed
	tags    int       // how many tags were found
	opened  bool      // a value may begin behind the last tag: see opensValue
	gap     held.Gap  // the text after the last tag, as far as it was scanned
	edge    held.Edge // the end of the text up to and including the last tag
	looked  int       // how far the end of a CDATA section has been searched: see matchOpaque
}

// beginDoubt begins to hold text, from the next tag on.
func (r *Reader) beginDoubt() state {
	r.doubt = doubt{search: held.NewSearch(r.heldCall(), &r.value.text), from: r.in.Offset(), edge: r.value.edge}
	return inDoubt
}

// heldCall returns the facts of the open call that package held needs.
func (r *Reader) heldCall() held.CallForm {
	call := r.call
	r.Followed += len(call.Schema.Required)
	missing := make(map[string]bool)
	for _, name := range call.Schema.Required {
		if !call.Parameters[name] && name != r.value.text.Property {
			missing[name] = true
		}
	}
	return held.CallForm{
		Missing: missing,
		Lines:   r.value.layout.lines, Padded: r.value.layout.padded, WrapperOpen: call.WrapperOpen, Alone: call.Spelling != nil && !call.Spelling.HasWrapper(),
		ParametersOpen: call.ParametersOpen, Attribute: call.AttributeForm || !r.value.text.Element, AnyName: len(call.Schema.Properties) == 0,
		ClosedTwice: call.Spelling != nil && call.Spelling.ClosedTwice,
		Unclosed:    call.Spelling != nil && call.Spelling == r.reads.Elements,
	}
}

// readDoubt is the function of the state inDoubt. It follows the tags after the doubtful tag until one of them
// decides where the value ends, or that the value goes on (inValue). It marks no text as read. If no tag decides,
// readDoubt breaks off the call.
func (r *Reader) readDoubt() state {
	d := &r.doubt
	rest := r.in.Rest()
	text := rest[:min(len(rest), MaxDoubt)]
	eof := r.in.EOF && len(text) == len(rest)
	known := len(text) // from here on, a `<` may begin a tag that was cut
	if eof && r.in.CutShort {
		known = bytes.LastIndexByte(text, '>') + 1
	}
	for d.scanned < len(text) {
		if d.scanned >= known && text[d.scanned] == '<' {
			break
		}
		if r.Followed > freeDoubt+doubtPerByte*r.in.Offset() {
			return r.settleAsText(!d.search.IsText())
		}
		was := d.scanned
		n, v := d.nextTag(r.call, text, eof)
		r.Followed += d.scanned - was
		if v == markup.NeedMore || v == markup.Match && d.scanned+n == len(text) && !eof && text[d.scanned+1] != '/' { // the character after an opening tag matters as well
			break
		}
		if v == markup.NoMatch && d.gap < held.Text {
			continue
		}
		var next *held.Tag
		if v == markup.Match {
			next = r.heldTag(text, n)
		}
		if d.tag != nil {
			behind := held.Follow{Tag: next}
			if d.gap == held.Text {
				behind.Tag, behind.Object = nil, bytes.HasPrefix(bytes.TrimLeft(text[d.tagEnd:], " \t\r\n"), []byte("{"))
			}
			if state := r.follow(text, behind); state != wait {
				return state
			}
		}
		if next == nil {
			continue
		}
		if d.tags++; d.tags > maxDoubtTags {
			return r.settleAsText(!d.search.IsText())
		}
		for v := range d.search.Values {
			r.complete(v, text, d.scanned)
		}
		r.Followed += n + tagCost
		d.tag, d.opened = next, r.opensValue(next)
		d.scanned += n
		d.tagEnd, d.gap = d.scanned, held.NoGap
	}
	switch {
	case len(text) == MaxDoubt:
		return r.settleAsText(!d.search.IsText())
	case r.in.EOF:
		return r.settleAtEOF(text)
	}
	return wait
}

// opensValue reports whether t may begin a value, so that a CDATA section may follow.
func (r *Reader) opensValue(t *held.Tag) bool {
	return t.Kind <= held.OpensParameter && !t.Empty && (r.value.text.Element || t.IsNamed(parameterName)) && !r.doubt.search.InString()
}

// follow follows the last tag in all readings. It returns the next state if that decides where the value ends, and
// wait if it does not.
func (r *Reader) follow(text []byte, behind held.Follow) state {
	d := &r.doubt
	d.search.Step(d.tag, behind)
	d.tag, d.done = nil, d.tagEnd
	return r.settle(d.search.Settle())
}

// complete records in v whether the text of the value is whole before a tag. at is the index of the tag in the
// held text.
func (r *Reader) complete(v *held.Value, text []byte, at int) {
	if !held.IsTyped(v.Schema) {
		return
	}
	d := &r.doubt
	from := max(v.From, v.JSONTo, d.from) - d.from
	if from < at {
		v.JSON.Advance(text[from:at])
		v.JSONTo = d.from + at
	}
	if v.JSON.Is {
		v.Whole = v.JSON.HasEnded()
		return
	}
	var before []byte
	if v == d.search.First() {
		before = r.value.held
	}
	said := text[max(v.From-d.from, 0):at]
	v.Whole = (v.Schema.IsScalar() || v.Schema.IsEnum()) && len(before)+len(said) <= maxWhole &&
		format.FitsText(v.Schema, string(before)+markup.Unescape(string(said), r.escaped, markup.ParamTag(v.Property)))
}

// maxWhole limits the text that complete compares with the type of the value, in bytes with escapes.
const maxWhole = 256

// nextTag looks for the next tag, and returns its length. If it has passed only text, the verdict is NoMatch.
func (d *doubt) nextTag(call *OpenCall, text []byte, eof bool) (n int, v markup.Verdict) {
	g := call.Spelling
	rest := text[d.scanned:]
	i := bytes.IndexByte(rest, '<')
	if i < 0 {
		i = len(rest)
	}
	if i > 0 {
		d.gap.Note(rest[:i])
		d.scanned += i
		return 0, markup.NoMatch
	}
	if d.gap < held.Text {
		if n, v = matchOpaque(rest, d.opened && (g == nil || g.CDATA), d.looked, eof); v != markup.NoMatch {
			d.looked = 0
			if v == markup.NeedMore {
				d.looked = n
			}
			return n, v
		}
	}
	t, v := g.MatchTag(rest, eof)
	if v == markup.Match {
		call.asDeclared(&t, rest)
	}
	if v == markup.Match && (isNoCloser(&t) || !t.Is("parameter") && bytes.IndexByte(t.Attributes, '<') >= 0) {
		v = markup.NoMatch // if its attributes contain a `<`, the quotes belong to the text
	}
	if v == markup.NoMatch {
		d.gap = max(d.gap, held.Text)
		d.scanned++
	}
	return t.Len, v
}

// heldTag returns the meaning of the next tag in the held text. The tag has n bytes.
func (r *Reader) heldTag(text []byte, n int) *held.Tag {
	d := &r.doubt
	t := r.valueTagAt(text[d.scanned:], n, d.scanned)
	t.Name = bytes.Clone(t.Name) // the buffer may move before the tag is followed
	t.Gap, t.Edge = d.gap, d.edge
	t.Edge.Add(text[d.tagEnd:d.scanned])
	d.edge = t.Edge
	d.edge.Add(text[d.scanned : d.scanned+n])
	if d.scanned+n < len(text) {
		t.Behind = text[d.scanned+n]
	}
	return &t
}

// settle returns the state after a verdict of the search.
func (r *Reader) settle(verdict held.Verdict, ends []held.End) state {
	switch verdict {
	case held.GoesOn:
		return r.settleAsText(false)
	case held.Ends:
		if len(ends) > 0 && ends[0].Len == 0 && r.isNamedLikeOurs() { // its own closing tag may look like a tag of the call
			return r.settleDoubtful()
		}
		r.open.ends = append(r.open.ends[:0], ends...)
		return inValue
	case held.Refused:
		return r.settleDoubtful()
	}
	return wait
}

// settleAsText returns inValue, and makes the text that was followed part of the value. unsure: this reading is
// not certain.
func (r *Reader) settleAsText(unsure bool) state {
	d := &r.doubt
	r.value.unsure = unsure
	if v := d.search.First(); v != nil {
		r.value.text = *v
		r.value.unsure = unsure || v.IsUnsure()
	}
	to := d.done
	if d.tags > maxDoubtTags || d.scanned == MaxDoubt {
		to = d.scanned
	}
	r.open.ends = append(r.open.ends[:0], held.End{At: d.from + max(to, 1), Len: -1})
	return inValue
}

// settleDoubtful breaks off the call.
func (r *Reader) settleDoubtful() state {
	r.value.open = false
	r.value.held = nil
	return r.doubtful()
}

// settleAtEOF chooses the best reading at the end of the text. If the upstream has cut the text, settleAtEOF
// breaks off the call: a value may still be open, and the missing text could have favored another reading.
func (r *Reader) settleAtEOF(text []byte) state {
	d := &r.doubt
	if r.in.CutShort {
		return r.settleDoubtful()
	}
	if d.tag != nil {
		if next := r.follow(text, held.Follow{Ends: d.gap < held.Text}); next != wait {
			return next
		}
	}
	return r.settle(d.search.AtEnd())
}
