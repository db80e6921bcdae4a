package tagged

import (
	"bytes"

	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Where it is doubtful which tag ends a value, what follows settles it. From the doubtful tag on the
// text is held, and all ways to read it are followed (package held):
//
//	<a>1 <b>2</b> x</a>          b is text of a: its end is followed by no parameter
//	<a>1 <b>2</b> </parameters>  b is a parameter: a has no closing tag, and b has one
//	<a>1</b> <b>2</a>            b and a are parameters whose closing tags are swapped
//	<a>1</a> and <b>2</b>        what stands between the parameters a and b is dropped …
//	<a>1</a> and <b>2</b> x</a>  … but here it is text of a

// Bounds on what is held while it is doubtful where a value ends. Beyond them the text is that of the
// value, which then has to end at its closing tag, or is doubtful.
const (
	MaxDoubt     = 64 << 10 // bytes
	maxDoubtTags = 4096
)

// A doubt may be followed to the end of the answer, and another one may begin in what was followed. So that the work
// grows with the text alone, all doubts of an answer together may follow freeDoubt bytes, and doubtPerByte for
// each byte that was read. A tag counts as tagCost bytes more.
const (
	freeDoubt    = 1 << 20
	doubtPerByte = 2
	tagCost      = 64
)

// doubt is the text that is held.
type doubt struct {
	search  *held.Search
	from    int       // where the doubtful tag stands in all that was fed
	scanned int       // how many bytes have been looked at since
	tag     *held.Tag // the last tag that was found, which is followed when it is known what stands behind it
	tagEnd  int       // where it ends, in bytes since
	done    int       // where the last tag ends that was followed, in bytes since
	tags    int       // how many tags have been followed
	opened  bool      // the last tag was the opening tag of an element
	gap     held.Gap  // what stands after the last tag, as far as it has been looked at
	edge    held.Edge // of the text up to the last tag, with that
	looked  int       // how far the end of a CDATA section has been looked for: see matchOpaque
	cut     bool      // it was settled where the text was cut, so that the call is not whole
}

// beginDoubt begins to hold text, from the tag that is next.
func (r *Reader) beginDoubt() state {
	r.doubt = doubt{search: held.NewSearch(r.heldCall(), &r.value.text), from: r.in.Offset(), edge: r.value.edge}
	return inDoubt
}

// heldCall returns what counts of the call that is being read.
func (r *Reader) heldCall() held.Call {
	call := r.call
	r.Followed += len(call.Schema.Required)
	missing := make(map[string]bool)
	for _, name := range call.Schema.Required {
		if !call.Parameters[name] && name != r.value.text.Property {
			missing[name] = true
		}
	}
	return held.Call{
		Missing: missing,
		Lines:   r.value.layout.lines, Padded: r.value.layout.padded, WrapperOpen: call.WrapperOpen, Alone: call.Spelling != nil && !call.Spelling.HasWrapper(),
		ParametersOpen: call.ParametersOpen, Attribute: call.AttributeForm || !r.value.text.Element, AnyName: len(call.Schema.Properties) == 0,
		ClosedTwice: call.Spelling != nil && call.Spelling.ClosedTwice,
		Unclosed:    call.Spelling != nil && call.Spelling == r.reads.Elements,
	}
}

// readDoubt is the state inDoubt: text of a value has been read, up to a doubtful tag. It follows the
// tags from there up to the one that settles where the value ends, or that it goes on (inValue). It
// reads nothing. If that cannot be settled, the call is broken off.
func (r *Reader) readDoubt() state {
	d := &r.doubt
	rest := r.in.Rest()
	text := rest[:min(len(rest), MaxDoubt)]
	eof := r.in.EOF && len(text) == len(rest)
	known := len(text) // what begins with a `<` behind that may be a tag that was cut
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
		n, v := d.nextTag(r.call.Spelling, text, eof)
		r.Followed += d.scanned - was
		if v == markup.NeedMore || v == markup.Match && d.scanned+n == len(text) && !eof && text[d.scanned+1] != '/' { // what stands behind an opening tag counts, too
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
				behind.Tag = nil
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
		d.tag, d.opened = next, next.Kind <= held.OpensParameter && !d.search.InString()
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

// follow follows the last tag in all readings, and returns the next state if that has settled where the value
// ends, else wait.
func (r *Reader) follow(text []byte, behind held.Follow) state {
	d := &r.doubt
	d.search.Step(d.tag, behind)
	d.tag, d.done = nil, d.tagEnd
	return r.settle(d.search.Settle())
}

// complete notes in a value whether its text is whole before a tag, which stands at an index of the held text.
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

// maxWhole bounds the text of a value that is tried by its type, in bytes, with its escapes.
const maxWhole = 256

// nextTag looks for the next tag, and returns its length. The verdict is NoMatch if there is
// no tag after all, but text was passed.
func (d *doubt) nextTag(g *markup.Spelling, text []byte, eof bool) (n int, v markup.Verdict) {
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
		if n, v = matchOpaque(rest, d.opened, d.looked, eof); v != markup.NoMatch {
			d.looked = 0
			if v == markup.NeedMore {
				d.looked = n
			}
			return n, v
		}
	}
	t, v := g.MatchTag(rest, eof)
	if v == markup.Match && !t.Is("parameter") && bytes.IndexByte(t.Attributes, '<') >= 0 {
		v = markup.NoMatch // the quotes in it are those of the text
	}
	if v == markup.NoMatch {
		d.gap = max(d.gap, held.Text)
		d.scanned++
	}
	return t.Len, v
}

// heldTag returns what the tag means that is next in the held text, of n bytes.
func (r *Reader) heldTag(text []byte, n int) *held.Tag {
	d := &r.doubt
	t := r.valueTagAt(text[d.scanned:], n, d.scanned)
	t.Name = bytes.Clone(t.Name) // the input may move before the tag is followed
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
		if len(ends) > 0 && ends[0].Len == 0 && r.isNamedLikeOurs() { // its closing tag may have been taken for one of the call
			return r.settleDoubtful()
		}
		r.open.ends = append(r.open.ends[:0], ends...)
		return inValue
	case held.Refused:
		return r.settleDoubtful()
	}
	return wait
}

// settleAsText returns inValue, with what has been followed as text of the value. unsure says
// that this is not certain.
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

// settleDoubtful breaks the call off.
func (r *Reader) settleDoubtful() state {
	r.value.open = false
	r.value.held = nil
	return r.doubtful()
}

// settleAtEOF settles on the best reading at the end of the text. If the upstream has cut the text,
// a value may well be open, and what was cut off may speak for any of several readings: so the call has
// not come to its end, whatever they say.
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
